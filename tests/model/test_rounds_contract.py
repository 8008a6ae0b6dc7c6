"""What an upgrade of litellm must not change: a request that goes on is the one that would be made anew."""

import os
import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from model_support.asking import READ, answer, assistant, completed, failed, user
from placet.core.messages import FilePart, Message, ReasoningPart, ToolPart
from placet.model.base import ModelRequest
from placet.model.client.host import HostedModel, ModelHost
from placet.model.host.rounds import IN_ROUNDS
from placet.settings import Settings
from wire_servers.answers import Text
from wire_servers.server import RecordedRequest, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODELS = {provider: f"{provider}/some-model" for provider in sorted(IN_ROUNDS)} | {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "openrouter": "openrouter/anthropic/claude-sonnet-4.5",
    "openai that reasons": "openai/o3",
    "openai over another wire": "openai/responses/gpt-4o",
}
REQUESTS = 12
IMAGE = FilePart(uri="data:image/png;base64,iVBORw0KGgo=", mime="image/png", name="x.png")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def keyless_host() -> AsyncIterator[ModelHost]:
    host = ModelHost(environment={name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")})
    await host.start()
    yield host
    await host.close()


def opened(host: ModelHost, server: WireServer, provider: str) -> HostedModel:
    base = server.anthropic_base if provider == "anthropic" else server.openai_base
    return host.model(MODELS[provider], Settings.model_validate({"modelOptions": {"apiBase": base}}))


def step(chance: random.Random, model: str) -> list[Message]:
    """An answer with any number of calls, thinking, text and results; now and then the user steers."""
    thinking = [ReasoningPart(text="Hm.", signature="sealed")] if chance.random() < 0.5 else []
    said = chance.choice(["", "I look. ", "ä 世界 🙂"])
    made = assistant(*thinking, said, *(call(chance) for _ in range(chance.choice([1, 1, 2, 3]))), model=model)
    steering = [user(chance.choice(["Mind the gap.", " "]))] if chance.random() < 0.3 else []
    return [made, *steering]


def call(chance: random.Random) -> ToolPart:
    call_id = chance.choice(["call_0", "call 1", "b"])
    if chance.random() < 0.2:
        return failed("read", {}, "no such file", call_id=call_id)
    output = chance.choice(["", "one\ntwo\n", 'say "hi"\\n'])
    attachments = (IMAGE,) if chance.random() < 0.15 else ()
    return completed("read", {"filePath": "ä", "n": 1.5}, output, call_id=call_id, attachments=attachments)


def changed(chance: random.Random, conversation: list[Message], model: str) -> list[Message]:
    """The conversation a step later; sometimes with a part of it pruned, or without its beginning."""
    place = chance.randrange(len(conversation))
    match chance.random():
        case number if number < 0.15:
            return [*conversation[:place], *step(chance, model), *conversation[place + 1 :], user("Go on.")]
        case number if number < 0.25:
            return [user("This is what was done."), *conversation[place:], user("Go on.")]
        case _:
            return [*conversation, *step(chance, model)]


def sent(request: RecordedRequest) -> tuple[object, dict[str, str]]:
    return request.body, {name: value for name, value in request.headers.items() if name != "content-length"}


@pytest.mark.parametrize("provider", list(MODELS))
async def test_a_request_that_goes_on_is_the_one_made_anew(keyless_host: ModelHost, server: WireServer, provider: str):
    chance = random.Random(provider)
    model = opened(keyless_host, server, provider)
    server.play(lambda _: (Text("ok"),))
    conversation: list[Message] = [user("hi")]
    for number in range(REQUESTS):
        for session_id in ("goes on", f"new {number}"):
            await answer(model, ModelRequest(("You are a test.",), tuple(conversation), (READ,), session_id))
        going_on, anew = server.requests[-2:]

        assert sent(going_on) == sent(anew)
        conversation = changed(chance, conversation, model.id)
