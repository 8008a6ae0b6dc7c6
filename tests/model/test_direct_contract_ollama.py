"""Requests to Ollama by the direct way, which are litellm's requests but for what keeps a request from being cut."""

from typing import Any

import pytest

from corpus_support import corpus
from model_support.contract_asks import CONVERSATIONS, ask
from model_support.litellm_judge import Sent, compare, we_send
from model_support.provider_server import ProviderServer, json_lines, json_reply
from placet.core.values import replace
from placet.model import frames
from placet.model.host.compatible.answer import CompatibleAnswer
from placet.model.host.conversations import Conversation
from placet.model.host.errors import NotDirect

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAME = "ollama_chat/qwen3:8b"
BASE = "http://127.0.0.1:9"
PDF = "a PDF"
NO_ARGUMENTS = "a call without arguments"
"""litellm fails with such a call in the conversation."""
COMPARED = sorted(CONVERSATIONS.keys() - {PDF, NO_ARGUMENTS})
OPTIONS = (
    {"temperature": 0.2, "max_output_tokens": 99},
    {"options": {"top_p": 0.5, "seed": 7, "stop": ["END"], "top_k": 3}},
    {"context_size": 16_384},
    {"options": {"keep_alive": "5m"}},
    *({"options": {"reasoning_effort": effort}} for effort in ("none", "low", "high")),
)


def ours(sent: Sent) -> Sent:
    """Return our request without what litellm does not send: it lets Ollama cut, and names no call and no tool."""
    body = {name: value for name, value in sent.body.items() if name not in {"truncate", "shift"}}
    if body["keep_alive"] == "30m":
        del body["keep_alive"]
    body["messages"] = [_without_names(message) for message in body["messages"]]
    return replace(sent, body=body)


def _without_names(message: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in message.items() if name != "tool_name"}
    if "tool_calls" in kept:
        kept["tool_calls"] = [{"function": call["function"]} for call in kept["tool_calls"]]
    return kept


def theirs(sent: Sent) -> Sent:
    """Return litellm's request without empty lists and without an empty object for no options."""
    body = dict(sent.body)
    if not body["options"]:
        del body["options"]
    body["messages"] = [
        {**{name: value for name, value in message.items() if value != []}, "content": message.get("content") or ""}
        for message in body["messages"]
    ]
    return replace(sent, body=body)


async def litellm_sends(asked: frames.Ask) -> Sent:
    """Return litellm's request, which goes around the client below which the other contracts catch requests."""
    done = {"model": "x", "message": {"role": "assistant", "content": "hi"}, "done": True, "done_reason": "stop"}
    async with ProviderServer(json_lines([done]), pages={"/api/show": json_reply({})}) as server:
        to_server = replace(asked, api_base=server.address)
        answer = CompatibleAnswer(to_server, Conversation().going_on(0, to_server.messages))
        try:
            await answer.begin()
        finally:
            await answer.close()
        (sent,) = (one for one in server.asked if one.path == "/api/chat")
    return Sent("POST", f"{BASE}{sent.path}", {"content-type": "application/json"}, sent.body)


@corpus("conversation", COMPARED)
async def test_a_conversation_reaches_ollama_as_litellm_sends_it(conversation: str):
    asked = ask(NAME, conversation, api_base=BASE)

    compare(ours(we_send(asked, {})), theirs(await litellm_sends(asked)))


@corpus("options", OPTIONS)
async def test_the_options_reach_ollama_as_litellm_sends_them(options: dict[str, Any]):
    asked = ask(NAME, api_base=BASE, **options)

    compare(ours(we_send(asked, {})), theirs(await litellm_sends(asked)))


@corpus("base", [BASE, f"{BASE}/v1", f"{BASE}/v1/", None])
async def test_ollama_is_asked_over_its_own_wire_and_may_cut_nothing(base: str | None):
    sent = we_send(ask(NAME, "a call", api_base=base, context_size=8192), {"OLLAMA_API_KEY": "secret"})

    assert sent.url == f"{BASE if base else 'http://127.0.0.1:11434'}/api/chat"
    assert sent.headers == {"content-type": "application/json", "authorization": "Bearer secret"}
    assert (sent.body["truncate"], sent.body["shift"], sent.body["keep_alive"]) == (False, False, "30m")
    assert sent.body["options"]["num_ctx"] == 8192
    assert sent.body["messages"][-1] == {
        "role": "tool",
        "content": "ok",
        "tool_call_id": "c1",
        "tool_name": "read",
    }


async def test_no_other_provider_gets_the_size_of_the_context():
    for name in ("openai/x", "lm_studio/x", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"):
        sent = we_send(ask(name, api_base=BASE, context_size=8192), {})

        assert "8192" not in str(sent.body), name


async def test_a_call_without_arguments_reaches_ollama_with_an_empty_object():
    sent = we_send(ask(NAME, NO_ARGUMENTS, api_base=BASE), {})

    (call,) = sent.body["messages"][-2]["tool_calls"]
    assert call["function"]["arguments"] == {}


async def test_a_document_is_left_to_litellm():
    with pytest.raises(NotDirect, match="neither text nor an image"):
        we_send(ask(NAME, PDF, api_base=BASE), {})
