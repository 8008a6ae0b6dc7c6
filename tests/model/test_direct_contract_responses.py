"""Requests of OpenAI's Responses API by the direct way, which are litellm's requests."""

import re
from typing import Any

import pytest

from corpus_support import corpus
from model_support.contract_asks import CONVERSATIONS, SYSTEM, TOOLS, ask, asks, call, in_turn, result, says
from model_support.litellm_judge import compare, litellm_sends, we_send
from placet.model import frames
from placet.model.host.errors import NotDirect

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEY = {"OPENAI_API_KEY": "the-key"}
CODEX = "openai/gpt-5-codex"
MODELS = (
    *("gpt-5-codex", "gpt-5.3-codex", "gpt-5.4", "gpt-5.6", "gpt-6-sol", "gpt-5.5-pro", "gpt-daybreak-red-latest"),
    *("o3-pro", "responses/gpt-4o", "responses/gpt-5", "responses/o3"),
)
UNSIGNED = [name for name in CONVERSATIONS if name not in {"thinking", "thinking without text"}]

OPTIONS: dict[str, dict[str, Any]] = {
    **{f"effort {effort}": {"reasoning_effort": effort} for effort in ("minimal", "low", "high", "xhigh", "max")},
    "top_p": {"top_p": 0.5},
    "a forced call": {"tool_choice": "required"},
    "a named call": {"tool_choice": {"type": "function", "function": {"name": "read"}}},
    "a user": {"user": "u" * 70},
    "verbosity": {"verbosity": "low"},
    "storage": {"store": False, "service_tier": "flex", "safety_identifier": "s", "truncation": "auto"},
    "thinking to get back": {"include": ["reasoning.encrypted_content"]},
    "a small limit": {"max_tokens": 5},
    "another limit": {"max_tokens": 500, "max_completion_tokens": 99},
    "of the chat wire": {"seed": 1, "stop": "x", "frequency_penalty": 0.5, "logit_bias": {"1": 1}, "n": 1},
    "of other makers": {"thinking": {"type": "enabled", "budget_tokens": 2000}, "top_k": 3},
}


async def equal(asked: frames.Ask, environment: dict[str, str]) -> None:
    ours = we_send(asked, environment)
    assert ours.url.endswith("/responses")
    compare(ours, await litellm_sends(asked, environment))


@corpus("tools", [True, False])
@corpus("conversation", UNSIGNED)
async def test_a_conversation_is_asked_as_litellm_asks(conversation: str, tools: bool):
    await equal(ask(CODEX, conversation, tools=TOOLS if tools else []), KEY)


@corpus(
    ("model", "option"),
    [
        *((model, option) for option in OPTIONS if "effort" in option for model in MODELS),
        *in_turn(MODELS, [option for option in OPTIONS if "effort" not in option]),
    ],
)
async def test_an_option_is_asked_as_litellm_asks(model: str, option: str):
    await equal(ask(f"openai/{model}", options=OPTIONS[option]), KEY)


@corpus(("model", "temperature", "limit"), in_turn(MODELS, (0.2, 1, None), (None, 100, 500)))
async def test_the_temperature_and_the_limit_are_asked_as_litellm_asks(
    model: str, temperature: float | None, limit: int | None
):
    await equal(ask(f"openai/{model}", temperature=temperature, max_output_tokens=limit), KEY)


@corpus("model", ["gpt-5-codex", "gpt-5.3-codex", "gpt-5.5-pro", "o3-pro", "responses/gpt-5"])
async def test_no_effort_lets_a_model_sample_as_litellm_does(model: str):
    await equal(ask(f"openai/{model}", temperature=0.3, options={"reasoning_effort": "none", "top_p": 0.5}), KEY)


@corpus("environment", [KEY, {}])
@corpus("base", ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/", "https://eu.api.openai.com/v1"])
async def test_an_address_is_completed_as_litellm_completes(base: str, environment: dict[str, str]):
    await equal(ask(CODEX, api_base=base), environment)


@corpus("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
async def test_an_address_of_the_environment_counts(variable: str):
    await equal(ask(CODEX), KEY | {variable: "http://127.0.0.1:9/path"})


@corpus("headers", [{"X-Team": "b"}, {"OpenAI-Organization": "o"}, {"Content-Type": "text/json"}])
async def test_headers_are_sent_as_litellm_sends_them(headers: dict[str, str]):
    await equal(ask(CODEX, headers=headers), KEY)


@corpus("effort", [None, "none", "low"])
@corpus("base", [None, "http://127.0.0.1:9/v1"])
@corpus("model", ["gpt-5", "gpt-5.1", "gpt-5.4", "gpt-5.6", "gpt-6-sol", "gpt-5.5-pro", "gpt-4.1"])
@corpus("tools", [True, False])
async def test_a_model_is_asked_over_the_wire_which_litellm_takes(
    model: str, tools: bool, base: str | None, effort: str | None
):
    options = {"reasoning_effort": effort} if effort is not None else {}
    asked = ask(f"openai/{model}", api_base=base, tools=TOOLS if tools else [], options=options)

    assert we_send(asked, KEY).url == (await litellm_sends(asked, KEY)).url


# ---------------------------------------------------------------- what litellm is left to do

_ODD_PATTERN = {"type": "object", "patternProperties": {r"\p{L}": {"type": "string"}}}


@corpus(
    ("more", "reason"),
    [
        ({"options": {"response_format": {"type": "json_object"}}}, "the option `response_format`"),
        ({"options": {"reasoning_effort": {"effort": "low"}}}, "the option `reasoning_effort` is no word"),
        ({"options": {"tool_choice": "maybe"}}, "the option `tool_choice` has an unknown form"),
        ({"model": "openai/o1-pro"}, "the model does not stream over this API"),
        ({"model": "openai/o3-deep-research"}, "the model takes no functions"),
        ({"model": "openai/responses/a-new-model"}, "litellm's table does not have the model"),
        ({"tools": [{"type": "web_search"}]}, "a tool is no function"),
        (
            {"tools": [{"type": "function", "function": {"name": "a", "parameters": _ODD_PATTERN}}]},
            "the schema of a tool names properties by an expression which Python does not know",
        ),
        (
            {
                "model": "openai/o3-pro",
                "tools": [{"type": "function", "function": {"name": "a", "parameters": {"anyOf": []}}}],
            },
            "OpenAI does not take the schema of a tool as the schema is",
        ),
    ],
)
async def test_an_unknown_part_is_left_to_litellm(more: dict[str, Any], reason: str):
    with pytest.raises(NotDirect, match=re.escape(reason)):
        we_send(ask(**({"model": CODEX} | more)), KEY)


@corpus(
    ("messages", "reason"),
    [
        ([SYSTEM], "the conversation has no message"),
        ([asks(), SYSTEM, asks()], "a system message is not at the beginning"),
        ([asks([{"type": "input_audio"}])], "content of the kind input_audio"),
        (CONVERSATIONS["thinking"], "signed thinking"),
        ([asks(), says(None, call("c1")), {**result("c1"), "content": None}], "a message of the role tool has"),
    ],
)
async def test_an_unknown_message_is_left_to_litellm(messages: list[dict[str, Any]], reason: str):
    with pytest.raises(NotDirect, match=re.escape(reason)):
        we_send(frames.Ask(1, CODEX, messages), KEY)
