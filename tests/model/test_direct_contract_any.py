"""Any conversation is asked as litellm asks, on the wires of Anthropic, OpenAI's Responses API and Gemini."""

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from model_support.contract_asks import IMAGE_ITEM, PDF_ITEM, SYSTEM, TOOLS, Messages, asks, call, result, says
from model_support.contract_asks import text as text_item
from model_support.litellm_judge import litellm_sends, we_send
from placet.model import frames

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
