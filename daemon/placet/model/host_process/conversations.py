"""What was said in each conversation before, so that the daemon need not say it again."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from placet.model import frames
from placet.model.host_process.rounds import Round, in_rounds

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(dict[str, Any])


@dataclass(frozen=True, eq=False)
class Said:
    """One message of a conversation, the same object from request to request."""

    data: bytes
    """In msgpack, as what litellm is given it may change."""
    role: str
    is_text: bool
    """No images, no files."""

    @classmethod
    def of(cls, message: dict[str, Any]) -> "Said":
        return cls(_encoder.encode(message), message["role"], not isinstance(message.get("content"), list))

    def message(self) -> dict[str, Any]:
        return _decoder.decode(self.data)


@dataclass(frozen=True)
class Conversation:
    """All that was said up to one request."""

    said: tuple[Said, ...] = ()
    rounds: tuple[Round[Said], ...] = ()

    @cached_property
    def opening(self) -> tuple[Said, ...]:
        """What stands before the first round."""
        return self.said[: self.rounds[0].start] if self.rounds else self.said

    def going_on(self, kept: int, new: list[dict[str, Any]]) -> "Conversation":
        """The conversation with the new messages after so many of its own; what is known of its rounds stays known."""
        said = (*self.said[:kept], *map(Said.of, new))
        # The last round may go on, unless something else has gone before it already.
        rounds = [one for one in self.rounds if one.end < kept]
        start = rounds[-1].end if rounds else 0
        known = {_words(one): one for one in self.rounds[len(rounds) :]}
        for one in in_rounds(said[start:], start):
            if (earlier := known.get(_words(one))) is not None:
                one.rendered = earlier.rendered
            rounds.append(one)
        return Conversation(said, tuple(rounds))


def _words(one: Round[Said]) -> tuple[bytes, ...]:
    return tuple(said.data for said in one.messages)


class Conversations:
    """Exactly those that the daemon knows of: it says what is kept and what is forgotten."""

    def __init__(self) -> None:
        self._kept: dict[int, Conversation] = {}

    def go_on(self, ask: frames.Ask) -> Conversation:
        """The conversation with what the ask adds to it. To be called in the order the asks came in."""
        conversation = self._kept.get(ask.conversation, Conversation()).going_on(ask.kept, ask.messages)
        if ask.conversation:
            self._kept[ask.conversation] = conversation
        return conversation

    def forget(self, number: int) -> None:
        self._kept.pop(number, None)
