"""Requests of the Gemini API by the direct way, which are litellm's requests."""

import re
from typing import Any

import pytest

from corpus_support import corpus
from model_support.contract_asks import CONVERSATIONS, IMAGE, SYSTEM, TOOLS, ask, asks, call, in_turn, result, says
from model_support.litellm_judge import compare, litellm_sends, we_send
from placet.model import frames
from placet.model.host.errors import NotDirect

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEY = {"GEMINI_API_KEY": "the-key"}
OLD, NEW = "gemini/gemini-2.5-flash", "gemini/gemini-3-pro-preview"
MODELS = (
    *("gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-flash-latest", "gemini-exp-1206"),
    *("gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-3.1-pro-preview"),
)

OPTIONS: dict[str, dict[str, Any]] = {
    **{
        f"effort {effort}": {"reasoning_effort": effort}
        for effort in ("none", "disable", "minimal", "low", "medium", "high")
    },
    "thinking": {"thinking": {"type": "enabled", "budget_tokens": 2000}},
    "a budget of nothing": {"thinking": {"type": "enabled", "budget_tokens": 0}},
    "thinking off": {"thinking": {"type": "disabled"}},
    "sampling": {"top_p": 0.5, "top_k": 3, "seed": 1},
    "a stop": {"stop": "x"},
    "stops": {"stop": ["a", "b"]},
    "a forced call": {"tool_choice": "required"},
    "a named call": {"tool_choice": {"type": "function", "function": {"name": "read"}}},
    "no call": {"tool_choice": "none", "parallel_tool_calls": False},
    "penalties": {"frequency_penalty": 0.5, "presence_penalty": 0.2},
    "a limit": {"max_tokens": 5},
    "OpenAI's": {"user": "u", "store": True, "verbosity": "low", "prompt_cache_key": "x", "logit_bias": {"1": 1}},
    "safety": {"safety_settings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}]},
}

NULL = {"type": "null"}
TEXT = {"type": "string"}
ENTRIES: dict[str, dict[str, Any]] = {
    "a list of types": {"type": ["string", "null"], "description": "x"},
    "a list of one type": {"type": ["string"]},
    "values of several types": {"type": ["string", "integer"], "title": "T", "enum": ["a", 1]},
    "or null": {"anyOf": [TEXT, NULL], "description": "d", "default": None},
    "or anything": {"anyOf": [{}, {"type": "integer"}]},
    "or null in a choice": {"anyOf": [{"anyOf": [TEXT, NULL]}, NULL]},
    "choices of objects": {
        "anyOf": [{"type": "array"}, {"type": "object", "properties": {"b": {"anyOf": [TEXT, NULL]}}}],
        "title": "t",
    },
    "an array": {"type": "array"},
    "an array of anything": {"type": "array", "items": {}},
    "an array of choices": {"type": "array", "items": {"anyOf": [TEXT, NULL]}},
    "formats": {
        "type": "array",
        "items": {"type": "object", "properties": {"b": TEXT | {"format": "uri"}, "c": TEXT | {"format": "date-time"}}},
    },
    "values of numbers": {"type": "integer", "enum": [1, 2]},
    "an empty value": TEXT | {"enum": ["", "b"]},
    "values without a type": {"enum": ["x"]},
    "one of": {"oneOf": [TEXT]},
    "all of": {"allOf": [TEXT], "description": "z"},
    "a description": {"description": "only"},
    "nothing": {},
    "other keys": {"type": "object", "additionalProperties": False, "patternProperties": {"x": {}}},
    "a constant": {"const": "x"},
    "bounds": TEXT | {"minLength": 1, "pattern": "a", "examples": ["b"], "default": "c"},
    "nullable": TEXT | {"nullable": True},
}
SCHEMAS: dict[str, dict[str, Any]] = {
    **{name: {"type": "object", "properties": {"a": entry}} for name, entry in ENTRIES.items()},
    "no properties": {"type": "object", "properties": {}, "required": []},
    "any properties": {"type": "object", "additionalProperties": TEXT},
    "a choice at the top": {"anyOf": [{"type": "object", "properties": {"a": TEXT}}]},
    "a reference at the top": {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": TEXT}}}},
    "a chain of references": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "beside"}},
        "$defs": {
            "A": {"type": "object", "properties": {"n": {"$ref": "#/$defs/B"}}},
            "B": {"type": "array", "items": {"$ref": "#/$defs/C"}},
            "C": {"enum": ["q"]},
        },
    },
}


def tool(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "t", "description": "d", "parameters": schema}}


async def equal(asked: frames.Ask, environment: dict[str, str]) -> None:
    compare(we_send(asked, environment), await litellm_sends(asked, environment))


@corpus(("model", "tools"), [(OLD, True), (NEW, False)])
@corpus("conversation", CONVERSATIONS)
async def test_a_conversation_is_asked_as_litellm_asks(conversation: str, model: str, tools: bool):
    await equal(ask(model, conversation, tools=TOOLS if tools else []), KEY)


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
    await equal(ask(f"gemini/{model}", options=OPTIONS[option]), KEY)


@corpus("model", MODELS)
async def test_the_temperature_and_the_limit_are_asked_as_litellm_asks(model: str):
    await equal(ask(f"gemini/{model}", temperature=0.2, max_output_tokens=100), KEY)


@corpus("schema", SCHEMAS)
async def test_a_schema_is_cleaned_as_litellm_cleans(schema: str):
    await equal(ask(OLD, tools=[tool(SCHEMAS[schema])]), KEY)


@corpus("environment", [KEY, {}])
@corpus("base", ["http://127.0.0.1:9", "http://127.0.0.1:9/v1beta"])
async def test_an_address_is_completed_as_litellm_completes(base: str, environment: dict[str, str]):
    await equal(ask(NEW, api_base=base), environment)


@corpus("variable", ["GOOGLE_API_KEY", "GEMINI_API_KEY", "GEMINI_API_BASE"])
async def test_the_environment_counts(variable: str):
    value = "http://127.0.0.1:9" if variable == "GEMINI_API_BASE" else "another-key"
    await equal(ask(NEW), KEY | {variable: value})


@corpus("headers", [{"X-Team": "b"}, {"x-goog-api-key": "mine"}, {"Content-Type": "text/json"}])
async def test_headers_are_sent_as_litellm_sends_them(headers: dict[str, str]):
    await equal(ask(NEW, headers=headers), KEY)


@corpus("model", [OLD, NEW])
async def test_the_signature_of_a_call_goes_back_as_litellm_gives_it(model: str):
    signed = call("c1", provider_specific_fields={"thought_signature": "Cs8B+/9abc=="})
    messages = [SYSTEM, asks(), says("t", signed, call("c2", "ls")), result("c1"), result("c2")]

    await equal(frames.Ask(1, model, messages, TOOLS), KEY)


@corpus("text", ['{"a": 123456789012345678901234567890}', '{"a": "\\ud83d"}', "{}", '"x"', "{'a': 1}", "data:,x"])
async def test_a_result_is_read_as_litellm_reads_it(text: str):
    await equal(frames.Ask(1, NEW, [asks(), says(None, call("c1")), result("c1", text)], TOOLS), KEY)


# ---------------------------------------------------------------- differences


async def test_a_slash_at_the_end_of_an_address_does_no_harm():
    asked = ask(NEW, api_base="http://127.0.0.1:9/")

    assert we_send(asked, KEY).url.startswith("http://127.0.0.1:9/models/")
    assert (await litellm_sends(asked, KEY)).url.startswith("http://127.0.0.1:9//models/")


# ---------------------------------------------------------------- what litellm is left to do

_LOOP = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}}
_STRICT = {"type": "object", "properties": {"strict": TEXT}}


@corpus(
    ("more", "reason"),
    [
        ({"options": {"response_format": {"type": "json_object"}}}, "the option `response_format`"),
        ({"options": {"reasoning_effort": "xhigh"}}, "the effort `xhigh`"),
        ({"options": {"reasoning_effort": "low", "thinking": {"type": "disabled"}}}, "both `reasoning_effort` and"),
        ({"options": {"tool_choice": "maybe"}}, "the option `tool_choice` has an unknown form"),
        ({"model": "gemini/gemma-3-27b-it"}, "the model is no Gemini"),
        ({"model": "gemini/gemini-9-new"}, "does not say that the model takes a system prompt"),
        ({"tools": [{"googleSearch": {}}]}, "a tool is no function"),
        ({"tools": [tool(_LOOP)]}, "a reference in the schema of a tool has no end"),
        ({"tools": [tool(_STRICT)]}, "or the keyword `strict`"),
        ({"tools": [tool({"properties": {"a": {"anyOf": [NULL]}}})]}, "no choice but `null`"),
        ({"tools": [tool({"properties": {"a": {"type": ["array", "null"]}}})]}, "has an unknown form"),
    ],
)
async def test_an_unknown_part_is_left_to_litellm(more: dict[str, Any], reason: str):
    with pytest.raises(NotDirect, match=re.escape(reason)):
        we_send(ask(**({"model": NEW} | more)), KEY)


@corpus(
    ("messages", "reason"),
    [
        ([SYSTEM], "the conversation has no message"),
        ([asks([{"type": "input_audio"}])], "content of the kind input_audio"),
        ([asks(), says(None, call("c1"), call("c2")), result("c1"), result("c2")], "two calls are equal"),
        ([asks(), result("c1")], "a result has no call"),
        ([asks(), says(None, call("c1")), result("c1", IMAGE)], "a result holds more than text"),
        ([asks(), says(None, call("c1")), result("c1", '{"a": NaN}')], "a result holds NaN"),
        ([asks(), says(None, call("c1", arguments="{")), result("c1")], "the arguments of a call are no JSON"),
        ([{"role": "developer", "content": "x"}], "a message has the role developer"),
    ],
)
async def test_an_unknown_message_is_left_to_litellm(messages: list[dict[str, Any]], reason: str):
    with pytest.raises(NotDirect, match=re.escape(reason)):
        we_send(frames.Ask(1, OLD, messages), KEY)
