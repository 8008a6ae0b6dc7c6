"""Messages of a conversation are encoded once for each wire."""

import pytest

from model_support.contract_asks import SYSTEM, TOOLS, asks, call, result, says
from placet.model import frames
from placet.model.host.conversations import Conversation
from placet.model.host.direct.answer import request_of
from placet.model.host.direct.routes import route

KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "GEMINI_API_KEY": "g"}
MODELS = (
    *("anthropic/claude-sonnet-4-5", "openai/gpt-5-codex", "openai/gpt-4o", "gemini/gemini-3-flash-preview"),
    "gemini/gemini-2.5-flash",
)
FIRST = [SYSTEM, asks(), says("Let me look.", call("c1")), result("c1"), says("Seen."), asks("go on")]
NEXT = [says("Again.", call("c2")), result("c2")]


def body(model: str, conversation: Conversation, **more: object) -> bytes:
    ask = frames.Ask(1, model, [], TOOLS, cache="auto", **more)  # pyright: ignore[reportArgumentType]
    return request_of(route(ask, KEYS), ask, conversation).body


@pytest.mark.parametrize("model", MODELS)
def test_a_message_is_encoded_once(model: str):
    conversation = Conversation().going_on(0, FIRST)
    body(model, conversation)
    earlier = [message.rendered for message in conversation.messages]

    longer = conversation.going_on(len(FIRST), NEXT)
    body(model, longer)

    kept = [message.rendered for message in longer.messages[: len(FIRST)]]
    made = [rendered for rendered in earlier if rendered is not None]
    assert len(made) >= 3
    assert all(now is before for now, before in zip(kept, earlier, strict=True) if before is not None)
    assert body(model, longer) == body(model, Conversation().going_on(0, FIRST + NEXT))


def test_another_wire_encodes_the_messages_anew():
    """The effort decides about the wire of this model."""
    conversation = Conversation().going_on(0, FIRST)
    over_responses = body("openai/gpt-5.4", conversation)

    over_chat = body("openai/gpt-5.4", conversation, options={"reasoning_effort": "none"})

    assert b'"input":[' in over_responses
    assert b'"messages":[' in over_chat
    fresh = Conversation().going_on(0, FIRST)
    assert over_chat == body("openai/gpt-5.4", fresh, options={"reasoning_effort": "none"})
    assert body("openai/gpt-5.4", conversation) == over_responses
