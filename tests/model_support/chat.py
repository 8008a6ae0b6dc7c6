"""The chat form of a whole conversation, made anew."""

from collections.abc import Sequence

from placet.core.messages import JsonObject, Message
from placet.model.client.conversations import ChatHistory


def chat_messages(
    system: Sequence[str], messages: Sequence[Message], *, model: str, prompted: bool = False
) -> list[JsonObject]:
    """Return the system prompt as one message, then the conversation."""
    return ChatHistory(system, model=model, prompted=prompted).chat(messages)
