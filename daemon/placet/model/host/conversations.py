"""Earlier messages of each conversation, so that the daemon need not send the messages again."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from placet.model import frames
from placet.model.host.rounds import Round, in_rounds

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(dict[str, Any])


@dataclass(frozen=True, eq=False)
class CachedMessage:
    """Message of a conversation; the object stays the same from request to request."""

    data: bytes
    """Message as msgpack bytes, because litellm may change the message which litellm gets."""
    role: str
    is_text: bool
    """True if the message holds no images and no files."""

    @classmethod
    def of(cls, message: dict[str, Any]) -> "CachedMessage":
        return cls(_encoder.encode(message), message["role"], not isinstance(message.get("content"), list))

    def message(self) -> dict[str, Any]:
        return _decoder.decode(self.data)


@dataclass(frozen=True)
class Conversation:
    """Messages of a conversation up to one request."""

    messages: tuple[CachedMessage, ...] = ()
    rounds: tuple[Round[CachedMessage], ...] = ()

    @cached_property
    def opening(self) -> tuple[CachedMessage, ...]:
        """Return the messages before the first round."""
        return self.messages[: self.rounds[0].start] if self.rounds else self.messages

    def going_on(self, kept_count: int, new: list[dict[str, Any]]) -> "Conversation":
        """Return the conversation with the new messages after `kept_count` messages; known rounds stay known."""
        messages = (*self.messages[:kept_count], *map(CachedMessage.of, new))
        # The last round may go on, unless another text has already replaced a part of the round.
        rounds = [round_ for round_ in self.rounds if round_.end < kept_count]
        start = rounds[-1].end if rounds else 0
        earlier_rounds = {_words(round_): round_ for round_ in self.rounds[len(rounds) :]}
        for round_ in in_rounds(messages[start:], start):
            if (earlier := earlier_rounds.get(_words(round_))) is not None:
                round_.rendered = earlier.rendered
            rounds.append(round_)
        return Conversation(messages, tuple(rounds))


def _words(round_: Round[CachedMessage]) -> tuple[bytes, ...]:
    return tuple(message.data for message in round_.messages)


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
