"""Effort of thinking through the real model host, on both ways to the model, and the notice of a clamped effort."""

from typing import Any

import pytest

from corpus_support import corpus
from model_support.asking import answer, request
from model_support.wires import NAMES, OpenModel, each_wire
from placet.core.effort import Effort
from placet.core.values import replace
from placet.model.base import Remark
from placet.model.client.host import HostedModel
from wire_servers.answers import Text
from wire_servers.server import Wire, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENT: dict[Wire, dict[str, Any]] = {
    "openai": {"reasoning_effort": None, "thinking": None},
    "anthropic": {"thinking": {"type": "enabled", "budget_tokens": 4096}, "max_tokens": 64000},
    "responses": {"reasoning": {"effort": "high"}},
    "gemini": {"thinkingConfig": {"thinkingBudget": 4096, "includeThoughts": True}},
}


async def remarks(model: HostedModel, effort: Effort) -> list[str]:
    events = await answer(model, replace(request("hello"), effort=effort))
    return [event.message for event in events if isinstance(event, Remark)]


@each_wire
@corpus("transport", ["auto", "compatible"])
async def test_the_effort_reaches_the_provider_on_both_ways(
    open_model: OpenModel, server: WireServer, wire: Wire, transport: str
) -> None:
    server.play(lambda _: (Text("Hi."),))

    await remarks(open_model(wire, transport=transport), "high")

    body = server.requests[0].body
    body = body.get("generationConfig", body)
    assert {name: body.get(name) for name in SENT[wire]} == SENT[wire]


async def test_an_effort_which_the_model_has_is_not_mentioned(open_model: OpenModel, server: WireServer) -> None:
    server.play(lambda _: (Text("Hi."),))

    assert await remarks(open_model("anthropic"), "high") == []
    assert await remarks(open_model("anthropic"), 9000) == []


async def test_a_clamped_effort_is_said_once_and_another_effort_again(
    open_model: OpenModel, server: WireServer
) -> None:
    server.play(lambda _: (Text("Hi."),))
    model = open_model("gemini")

    assert await remarks(model, "max") == [
        f"{NAMES['gemini']} does not have the effort max. Placet asks for high, which is nearest."
    ]
    assert await remarks(model, "max") == []
    assert len(await remarks(model, "xhigh")) == 1


async def test_a_model_without_levels_is_said(open_model: OpenModel, server: WireServer) -> None:
    server.play(lambda _: (Text("Hi."),))

    assert await remarks(open_model("openai"), 3000) == [
        f"{NAMES['openai']} has no levels of effort, so the effort 3000 tokens changes nothing."
    ]
