"""Encrypted thinking of OpenAI's Responses API goes back with the next step, on both ways to the model."""

from typing import Any

import msgspec
import pytest

from corpus_support import corpus
from model_support.asking import answer, assistant, completed, request, user
from model_support.contract_asks import ask, asks, call, result, says
from model_support.litellm_judge import litellm_sends, we_send
from placet.core.messages import AssistantMessage, ReasoningPart
from placet.model.base import ThoughtDelta
from placet.model.client.host import ModelHost
from placet.settings import Settings
from wire_servers.answers import Call, Finish, Text, Thought
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEY = {"OPENAI_API_KEY": "the-key"}
MODEL = "openai/gpt-5-codex"
SUMMARY = [{"type": "summary_text", "text": "First look."}]
ITEM: dict[str, Any] = {"id": "rs_0", "type": "reasoning", "encrypted_content": "sealed", "summary": SUMMARY}


def looking() -> WireServer:
    """Return a server whose model thinks and calls a tool, and has then done its work."""
    look = (Thought("First look.", redacted="sealed"), Call("read", {"filePath": "a.py"}, "c1"), Finish("tool_calls"))
    return WireServer([look, (Text("Done."),)])


async def thought(host: ModelHost, server: WireServer, way: str) -> AssistantMessage:
    """Have the model think and call a tool; return the answer with the tool's result."""
    settings = {"model": MODEL, "modelOptions": {"apiBase": server.openai_base, "transport": way}}
    model = host.model(MODEL, Settings.model_validate(settings))
    deltas = [event for event in await answer(model, request("hello")) if isinstance(event, ThoughtDelta)]
    (seal,) = [delta.signature for delta in deltas if delta.signature is not None]
    thinking = ReasoningPart(text="".join(delta.text for delta in deltas), signature=seal)
    return assistant(thinking, completed("read", {"filePath": "a.py"}, "one", call_id="c1"), model=MODEL)


@corpus("way", ["auto", "compatible"], server=looking)
async def test_the_thinking_comes_sealed_and_goes_back_before_the_call(
    host: ModelHost, server: WireServer, way: str
) -> None:
    said = await thought(host, server, way)
    settings = {"model": MODEL, "modelOptions": {"apiBase": server.openai_base, "transport": way}}
    await answer(host.model(MODEL, Settings.model_validate(settings)), request("hello", said))
    first, second = (one.body for one in server.requests)
    assert first["include"] == second["include"] == ["reasoning.encrypted_content"]
    kinds = [item["type"] for item in second["input"]]
    assert kinds.index("reasoning") == kinds.index("function_call") - 1
    assert next(item for item in second["input"] if item["type"] == "reasoning") == ITEM


@corpus("way", ["auto", "compatible"], server=looking)
async def test_another_model_does_not_get_the_thinking(host: ModelHost, server: WireServer, way: str) -> None:
    said = await thought(host, server, way)
    name = "openai/gpt-5.3-codex"
    settings = {"model": name, "modelOptions": {"apiBase": server.openai_base, "transport": way}}
    await answer(host.model(name, Settings.model_validate(settings)), request(user("hello"), said))
    assert "sealed" not in str(server.requests[-1].body)


@corpus("way", ["auto", "compatible"], server=looking)
@corpus("name", ["openai/gpt-4o", "openai/local"])
async def test_a_model_over_the_chat_wire_is_asked_for_no_thinking_and_gets_none(
    host: ModelHost, server: WireServer, way: str, name: str
) -> None:
    said = (await thought(host, server, "auto")).model_copy(update={"model": name})
    settings = {"model": name, "modelOptions": {"apiBase": server.openai_base, "transport": way}}
    await answer(host.model(name, Settings.model_validate(settings)), request("hello", said))
    body = server.requests[-1].body
    assert "messages" in body
    assert "include" not in body
    assert "sealed" not in str(body)


@corpus("more", [{}, {"content": "I look."}])
async def test_the_request_is_litellms_request_for_the_same_items(more: dict[str, Any]) -> None:
    said = says(more.get("content"), call("c1"), reasoning_items=[ITEM, {**ITEM, "id": "rs_1", "summary": []}])
    asked = msgspec.structs.replace(ask(MODEL), messages=[asks(), said, result("c1")])
    assert we_send(asked, KEY) == await litellm_sends(asked, KEY)
