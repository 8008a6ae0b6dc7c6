"""Earlier messages of each conversation, so that the daemon need not send the messages again."""

from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from placet.model import frames

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(dict[str, Any])


class Render(Protocol):
    """Function which makes the JSON of a message on one wire."""

    __module__: str
    __qualname__: str

    def __call__(self, message: dict[str, Any], /) -> bytes: ...


@dataclass(eq=False, slots=True)
class CachedMessage:
    """Message of a conversation; the object stays the same from request to request."""

    data: bytes
    """Message as msgpack bytes, because litellm may change the message which litellm gets."""
    role: str
    rendered: tuple[str, bytes] | None = None
    """JSON of the message on the wire of the model, once made, with the name of the function which made the JSON
    (prompt.py)."""

    @classmethod
    def of(cls, message: dict[str, Any]) -> "CachedMessage":
        return cls(_encoder.encode(message), message["role"])

    def message(self) -> dict[str, Any]:
        return _decoder.decode(self.data)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages of a conversation up to one request."""

    messages: tuple[CachedMessage, ...] = ()

    def going_on(self, kept_count: int, new: list[dict[str, Any]]) -> "Conversation":
        """Return the conversation with the new messages after `kept_count` messages; known messages stay the same."""
        # Each known message stands once in the new conversation, as a mark of the cache belongs to one place.
        earlier = {message.data: message for message in self.messages[kept_count:]}
        made = (CachedMessage.of(message) for message in new)
        return Conversation((*self.messages[:kept_count], *(earlier.pop(message.data, message) for message in made)))


class Conversations:
    """Conversations which the daemon knows: the daemon says which messages are kept and which are forgotten."""

    def __init__(self) -> None:
        self._conversations: dict[int, Conversation] = {}

    def go_on(self, ask: frames.Ask) -> Conversation:
        """Return the conversation with the messages of the ask. The caller must keep the order in which the asks came
        in.
        """
        conversation = self._conversations.get(ask.conversation, Conversation()).going_on(ask.kept, ask.messages)
        if ask.conversation:
            self._conversations[ask.conversation] = conversation
        return conversation

    def forget(self, number: int) -> None:
        self._conversations.pop(number, None)
