"""What a provider is told to cache, as it arrives there."""

from typing import Any

import pytest

from corpus_support import corpus
from model_support.asking import READ, answer, assistant, completed, request, user
from placet.core.messages import Message
from placet.model.client.host import ModelHost
from placet.settings import Settings
from wire_servers.answers import Text
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

MARK = {"type": "ephemeral"}
CLAUDE, ROUTED = "anthropic/claude-sonnet-4-5", "openrouter/anthropic/claude-sonnet-4.5"
UNMARKED = ["openai/gpt-4o", "openrouter/openai/gpt-4o", "mistral/mistral-large-latest"]
STEPS = [
    assistant("I read.", *(completed("read", {"n": n}, f"text {n}", call_id=f"call_{m}{n}") for n in range(2)))
    for m in range(3)
]


async def body_of(
    host: ModelHost, server: WireServer, name: str, *messages: Message, **options: object
) -> dict[str, Any]:
    server.play(lambda _: (Text("ok"),))
    base = server.anthropic_base if name == CLAUDE else server.openai_base
    settings = Settings.model_validate({"modelOptions": {"apiBase": base, **options}})
    await answer(host.model(name, settings), request(*messages))
    return server.requests[-1].body


def marks_in(value: object) -> int:
    if isinstance(value, list):
        return sum(map(marks_in, value))
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(marks_in, value.values()))
    return 0


async def test_the_system_prompt_and_the_last_two_messages_are_marked(host: ModelHost, server: WireServer):
    body = await body_of(host, server, CLAUDE, user("hi"), *STEPS)

    assert body["system"] == [{"type": "text", "text": "You are a test.", "cache_control": MARK}]
    *_, calls, results = body["messages"]
    assert (calls["role"], calls["content"][-1]["type"]) == ("assistant", "tool_use")
    assert (results["role"], results["content"][-1]["type"]) == ("user", "tool_result")
    assert calls["content"][-1]["cache_control"] == results["content"][-1]["cache_control"] == MARK
    assert marks_in(body) == 3


async def test_marks_move_on_with_the_conversation(host: ModelHost, server: WireServer):
    conversation = [user("hi"), *STEPS]
    for length in range(1, len(conversation) + 1):
        body = await body_of(host, server, CLAUDE, *conversation[:length])

        assert marks_in(body) == min(length + 1, 3)
        assert all("cache_control" in message["content"][-1] for message in body["messages"][-2:])


async def test_what_the_user_says_last_is_marked(host: ModelHost, server: WireServer):
    body = await body_of(host, server, CLAUDE, user("hi"), *STEPS, user("Go on."))

    assert body["messages"][-1]["content"][-1] == {"type": "text", "text": "Go on.", "cache_control": MARK}
    assert marks_in(body) == 3


async def test_claude_behind_openrouter_is_marked_in_its_contents(host: ModelHost, server: WireServer):
    body = await body_of(host, server, ROUTED, user("hi"), *STEPS)

    system, *_, result = body["messages"]
    assert system["content"][-1]["cache_control"] == result["content"][-1]["cache_control"] == MARK
    assert marks_in(body) == 3
    assert not marks_in(body["tools"])


@corpus("name", UNMARKED, server=WireServer)
async def test_others_are_told_nothing(host: ModelHost, server: WireServer, name: str):
    body = await body_of(host, server, name, user("hi"), *STEPS)

    assert marks_in(body) == 0
    assert "prompt_cache_key" not in body


@corpus("name", [CLAUDE, ROUTED], server=WireServer)
async def test_marks_can_be_switched_off(host: ModelHost, server: WireServer, name: str):
    assert marks_in(await body_of(host, server, name, user("hi"), *STEPS, cache="off")) == 0


@corpus(("cache", "key"), [("auto", "ses_test"), ("off", None)], server=WireServer)
async def test_openai_itself_is_told_the_session(server: WireServer, cache: str, key: str | None):
    host = ModelHost(environment={"OPENAI_BASE_URL": server.openai_base, "OPENAI_API_KEY": "the-key"})
    try:
        settings = Settings.model_validate({"modelOptions": {"cache": cache}})
        server.play(lambda _: (Text("ok"),))
        await answer(host.model("openai/gpt-4o", settings), request("hi", tools=(READ,)))
    finally:
        await host.close()

    assert server.requests[-1].body.get("prompt_cache_key") == key
