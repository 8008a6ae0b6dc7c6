"""Any conversation is asked as litellm asks, on the wires of Anthropic, OpenAI's Responses API and Gemini."""

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus
from model_support.contract_asks import IMAGE_ITEM, PDF_ITEM, SYSTEM, TOOLS, Messages, asks, call, result, says
from model_support.contract_asks import text as text_item
from model_support.litellm_judge import NothingSent, litellm_sends, we_send
from placet.model import frames
from placet.model.base import ToolSpec
from placet.model.client.messages import chat_tools
from placet.model.host.errors import NotDirect
from placet.tools.framework.builtin import tool_specs

MODELS = ("anthropic/claude-opus-4-6", "openai/gpt-5-codex", "gemini/gemini-3-flash-preview")
KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g"}

# The daemon sends no text of white space alone, and no lone surrogate (model/client/messages.py).
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20).filter(str.strip)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(TEXTS, VALUES, max_size=3).map(json.dumps)
CONTENTS = TEXTS | st.lists(TEXTS.map(text_item) | st.sampled_from([IMAGE_ITEM, PDF_ITEM]), min_size=1, max_size=3)
RESULTS = TEXTS | VALUES.map(json.dumps).filter(str.strip)
THOUGHTS = st.fixed_dictionaries({"type": st.just("thinking"), "thinking": TEXTS, "signature": TEXTS})
STEPS = st.tuples(
    st.none() | TEXTS, st.lists(st.tuples(ARGUMENTS, RESULTS), max_size=3), st.lists(THOUGHTS, max_size=2)
)
CACHES = st.sampled_from(["auto", "off"])
TURNS = st.tuples(CONTENTS, st.lists(STEPS, max_size=3))


def conversation(turns: list[tuple[Any, list[Any]]], *, thinks: bool) -> Messages:
    """Return the messages of the turns: the user's words, and the steps of the model with calls and results."""
    messages: Messages = [SYSTEM]
    for number, (content, steps) in enumerate(turns):
        messages.append(asks(content))
        for place, (said, calls, thoughts) in enumerate(steps):
            ids = [f"call_{number}_{place}_{index}" for index in range(len(calls))]
            made = [call(name, arguments=arguments) for name, (arguments, _) in zip(ids, calls, strict=True)]
            if said is not None or made:
                messages.append(says(said, *made, **({"thinking_blocks": thoughts} if thinks and thoughts else {})))
            messages += [result(name, text) for name, (_, text) in zip(ids, calls, strict=True)]
    return messages


@settings(max_examples=60)
@given(
    st.sampled_from(MODELS), st.lists(TURNS, min_size=1, max_size=4), st.sampled_from(["auto", "off"]), st.booleans()
)
def test_any_conversation_is_asked_as_litellm_asks(model: str, turns: Any, cache: Any, tools: bool):
    messages = conversation(turns, thinks=model.startswith("anthropic"))
    asked = frames.Ask(1, model, messages, TOOLS if tools else [], cache=cache, cache_key="the-session")

    assert we_send(asked, KEYS) == asyncio.run(litellm_sends(asked, KEYS))


@corpus("model", [*MODELS, "openai/o3-pro", "gemini/gemini-2.5-flash"])
def test_the_tools_of_placet_are_asked_as_litellm_asks(model: str):
    specs = [ToolSpec(spec.name, f"Does {spec.name}.", spec.schema) for spec in tool_specs()]
    tools = chat_tools(specs, model=model)
    asked = frames.Ask(1, model, [asks()], tools)

    assert we_send(asked, KEYS) == asyncio.run(litellm_sends(asked, KEYS))


KINDS = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": KINDS | st.lists(KINDS, min_size=1, max_size=2, unique=True),
        "description": TEXTS,
        "title": TEXTS,
        "enum": st.lists(st.sampled_from(["", "a", 1, True, None]), min_size=1, max_size=3),
        "format": st.sampled_from(["uri", "enum", "date-time"]),
        "default": VALUES,
        "minLength": st.integers(0, 9),
        "additionalProperties": st.booleans(),
    },
)
NAMES = st.sampled_from(["path", "type", "items", "kind", "ä"])


def _nested(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    choices = st.lists(inner | st.just({"type": "null"}), min_size=1, max_size=3)
    parts = {
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "items": inner,
        "anyOf": choices,
        "oneOf": choices,
    }
    return st.tuples(LEAVES, st.fixed_dictionaries({}, optional=parts)).map(_joined)


def _joined(parts: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    return {key: value for part in parts for key, value in part.items()}


SCHEMAS = st.recursive(LEAVES, _nested, max_leaves=8)


@settings(max_examples=100)
@given(st.sampled_from(MODELS), st.dictionaries(NAMES, SCHEMAS, max_size=3))
def test_any_schema_is_asked_as_litellm_asks_or_left_to_litellm(model: str, properties: Any):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    tool = {"type": "function", "function": {"name": "t", "description": "d", "parameters": schema}}
    asked = frames.Ask(1, model, [asks()], [tool])

    try:
        ours = we_send(asked, KEYS)
    except NotDirect:
        return
    try:
        theirs = asyncio.run(litellm_sends(asked, KEYS))
    except NothingSent:
        return  # litellm stumbles over a part of the schema which Gemini does not get.
    assert ours == theirs
