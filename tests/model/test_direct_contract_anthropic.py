"""Requests of Anthropic's Messages API by the direct way, which are litellm's requests."""

import re
from typing import Any

import pytest

from corpus_support import corpus
from model_support.contract_asks import CONVERSATIONS, PDF_ITEM, SYSTEM, TOOLS, ask, asks, call, in_turn, result, says
from model_support.litellm_judge import compare, litellm_sends, we_send
from placet.model import frames
from placet.model.host.errors import NotDirect

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEY = {"ANTHROPIC_API_KEY": "the-key"}
SONNET = "anthropic/claude-sonnet-4-5"
MODELS = (
    *("claude-3-5-sonnet-20241022", "claude-3-7-sonnet-20250219", "claude-sonnet-4-20250514", "claude-opus-4-1"),
    *("claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-4-7", "claude-opus-5-5", "glm-4.6"),
)

OPTIONS: dict[str, dict[str, Any]] = {
    **{f"effort {effort}": {"reasoning_effort": effort} for effort in ("none", "minimal", "low", "high", "max")},
    "effort and limit": {"reasoning_effort": "high", "max_tokens": 3000},
    **{f"a budget of {size}": {"thinking": {"type": "enabled", "budget_tokens": size}} for size in (2048, 4096, 8192)},
    "thinking off": {"thinking": {"type": "disabled"}},
    "thinking": {"thinking": {"type": "enabled", "budget_tokens": 3000}},
    "long thinking": {"thinking": {"type": "enabled", "budget_tokens": 9000}},
    "top_p": {"top_p": 0.9},
    "top_k": {"top_k": 5},
    "a stop": {"stop": "END"},
    "stops": {"stop": ["A", " "]},
    "an empty stop": {"stop": " "},
    "a forced call": {"tool_choice": "required"},
    "a named call": {"tool_choice": {"type": "function", "function": {"name": "read"}}},
    "no call": {"tool_choice": "none", "parallel_tool_calls": True},
    "one call": {"tool_choice": "auto", "parallel_tool_calls": False},
    "parallel calls": {"parallel_tool_calls": True},
    "a user": {"user": "u-1"},
    "a user's mail": {"user": "a@example.com"},
    "a limit": {"max_tokens": 77},
    "another limit": {"max_completion_tokens": 78},
    "OpenAI's": {"seed": 1, "frequency_penalty": 1, "store": True, "verbosity": "low", "prompt_cache_key": "x"},
}


async def equal(asked: frames.Ask, environment: dict[str, str]) -> None:
    compare(we_send(asked, environment), await litellm_sends(asked, environment))


@corpus(("cache", "tools"), [("auto", True), ("off", False)])
@corpus("conversation", CONVERSATIONS)
async def test_a_conversation_is_asked_as_litellm_asks(conversation: str, cache: str, tools: bool):
    await equal(ask(SONNET, conversation, cache=cache, tools=TOOLS if tools else []), KEY)


def is_of_thinking(option: str) -> bool:
    return bool(OPTIONS[option].keys() & {"reasoning_effort", "thinking"})


@corpus(
    ("model", "option"),
    [
        *((model, option) for option in OPTIONS if is_of_thinking(option) for model in MODELS),
        *in_turn(MODELS, [option for option in OPTIONS if not is_of_thinking(option)]),
    ],
)
async def test_an_option_is_asked_as_litellm_asks(model: str, option: str):
    await equal(ask(f"anthropic/{model}", options=OPTIONS[option]), KEY)


@corpus("model", [model for model in MODELS if model != "claude-opus-4-6"])
async def test_the_effort_xhigh_is_asked_as_litellm_asks(model: str):
    await equal(ask(f"anthropic/{model}", options={"reasoning_effort": "xhigh"}), KEY)


@corpus(("model", "temperature", "limit"), in_turn(MODELS, (0.2, 1, None), (None, 100, 500)))
async def test_the_temperature_and_the_limit_are_asked_as_litellm_asks(
    model: str, temperature: float | None, limit: int | None
):
    await equal(ask(f"anthropic/{model}", temperature=temperature, max_output_tokens=limit), KEY)


@corpus("environment", [KEY, {}])
@corpus("path", ["", "/v1", "/v1/messages", "/anthropic"])
async def test_an_address_is_completed_as_litellm_completes(path: str, environment: dict[str, str]):
    await equal(ask(SONNET, api_base=f"http://127.0.0.1:9{path}"), environment)


@corpus("variable", ["ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"])
async def test_an_address_of_the_environment_counts(variable: str):
    await equal(ask(SONNET), KEY | {variable: "http://127.0.0.1:9/path"})


@corpus(
    "headers",
    [
        {"X-Team": "b"},
        {"anthropic-beta": "interleaved-thinking-2025-05-14,context-1m-2025-08-07"},
        {"anthropic-version": "2024-01-01"},
        {"x-api-key": "mine"},
        {"authorization": "Bearer sk-ant-oat02"},
    ],
)
@corpus("key", ["the-key", "sk-ant-oat01"])
async def test_headers_are_sent_as_litellm_sends_them(headers: dict[str, str], key: str):
    await equal(ask(SONNET, headers=headers), {"ANTHROPIC_API_KEY": key})


async def test_a_token_of_a_sign_in_is_sent_as_litellm_sends_it():
    await equal(ask(SONNET), {"ANTHROPIC_API_KEY": "sk-ant-oat01"})


# ---------------------------------------------------------------- differences


async def test_a_beta_of_the_user_reaches_anthropic_though_litellm_does_not_know_it():
    asked = ask(SONNET, headers={"anthropic-beta": "brand-new-2026-11-23"})

    ours, theirs = we_send(asked, KEY), await litellm_sends(asked, KEY)

    assert ours.headers.pop("anthropic-beta") == "brand-new-2026-11-23"
    assert ours == theirs, "litellm drops features which are newer than its list"


async def test_a_token_of_a_sign_in_replaces_another_login():
    asked, environment = ask(SONNET, headers={"Authorization": "Bearer other"}), {"ANTHROPIC_API_KEY": "sk-ant-oat01"}

    assert we_send(asked, environment).headers["authorization"] == "Bearer sk-ant-oat01"
    theirs = await litellm_sends(asked, environment)
    assert theirs.headers["authorization"] == "Bearer other, Bearer sk-ant-oat01", "litellm sends two logins"


async def test_another_login_stands_beside_a_key():
    await equal(ask(SONNET, headers={"Authorization": "Bearer other"}), KEY)


async def test_a_slash_at_the_end_of_an_address_does_no_harm():
    asked = ask(SONNET, api_base="http://127.0.0.1:9/")

    assert we_send(asked, KEY).url == "http://127.0.0.1:9/v1/messages"
    assert (await litellm_sends(asked, KEY)).url == "http://127.0.0.1:9//v1/messages"


# ---------------------------------------------------------------- what litellm is left to do

_BAD_TOOL = {"type": "function", "function": {"name": "mcp/read", "parameters": {}}}
_OTHER_TOOL = {"type": "web_search_20250305", "name": "web_search"}
_OLD_DEFINITIONS = {"type": "function", "function": {"name": "a", "parameters": {"definitions": {}}}}


@corpus(
    ("more", "reason"),
    [
        ({"options": {"response_format": {"type": "json_object"}}}, "the option `response_format`"),
        ({"options": {"unheard_of": 1}}, "the option `unheard_of`"),
        ({"options": {"thinking": {"type": "adaptive"}}}, "the option `thinking` does not suit the model"),
        ({"options": {"thinking": {"type": "disabled"}, "reasoning_effort": "low"}}, "both `reasoning_effort` and"),
        ({"options": {"reasoning_effort": "extreme"}}, "the effort `extreme`"),
        (
            {"model": "anthropic/claude-opus-4-6", "options": {"reasoning_effort": "xhigh"}},
            "the model does not know the effort `xhigh`",
        ),
        ({"options": {"tool_choice": "maybe"}}, "the option `tool_choice` has an unknown form"),
        ({"tools": [_BAD_TOOL]}, "the name of a tool must be changed"),
        ({"tools": [_OTHER_TOOL]}, "a tool is no function"),
        ({"tools": [_OLD_DEFINITIONS]}, "the schema of a tool has definitions outside of `$defs`"),
        ({"model": "anthropic/claude-next-9"}, "litellm's table does not have the model"),
    ],
)
async def test_an_unknown_part_is_left_to_litellm(more: dict[str, Any], reason: str):
    with pytest.raises(NotDirect, match=re.escape(reason)):
        we_send(ask(**({"model": SONNET} | more)), KEY)


@corpus(
    ("messages", "reason"),
    [
        ([SYSTEM], "the conversation has no message"),
        ([asks(), SYSTEM, asks()], "a system message stands within the conversation"),
        ([asks(" ")], "a message holds an empty text"),
        ([asks([{"type": "input_audio"}])], "content of the kind input_audio"),
        ([asks([{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}])], "no base64 data"),
        ([asks(), says("x", thinking_blocks=[{"type": "thinking", "thinking": "x"}])], "thinking without a signature"),
        ([asks(), says(None, call("c1", arguments="{")), result("c1")], "the arguments of a call are no JSON"),
        ([asks(), says(None, call("c1")), {**result("c1"), "content": [PDF_ITEM]}], "a result holds more than text"),
        ([{"role": "developer", "content": "x"}], "a message has the role developer"),
    ],
)
async def test_an_unknown_message_is_left_to_litellm(messages: list[dict[str, Any]], reason: str):
    with pytest.raises(NotDirect, match=re.escape(reason)):
        we_send(frames.Ask(1, SONNET, messages), KEY)
