"""Rounds of a conversation, so that litellm translates each round once and not again in every request. Pure.

A round is an answer of the model with all messages up to the next answer; the messages before the first round are the
opening. For the providers in IN_ROUNDS, litellm translates a round without regard to other rounds (a contract test
checks each provider). So the body of a request consists of the body for the opening and the new rounds, and in between,
as JSON, the earlier translations of the other rounds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

import msgspec

# Providers whose messages can be translated in rounds (tests/model/test_rounds_contract.py).
IN_ROUNDS = {
    *("openai", "anthropic", "openrouter", "deepseek", "groq", "xai", "mistral", "fireworks_ai", "together_ai"),
    *("hosted_vllm", "cerebras", "moonshot", "zai", "lm_studio", "litellm_proxy", "custom_openai"),
}


class HasRole(Protocol):
    @property
    def role(self) -> str: ...


T = TypeVar("T", bound=HasRole)


class NotInRounds(Exception):
    """Raised when the body does not have the known form."""


@dataclass(slots=True, eq=False)
class Round(Generic[T]):
    start: int
    """Place of the round in the conversation."""
    messages: Sequence[T]
    rendered: bytes | None = None
    """JSON of the round on the provider's wire, with a comma before each message."""

    @property
    def end(self) -> int:
        return self.start + len(self.messages)


def in_rounds(messages: Sequence[T], start: int = 0) -> list[Round[T]]:
    """Return the rounds of the messages from `start` in a conversation, without the opening."""
    answers = [message.role == "assistant" for message in messages]
    starts = [
        place for place, (before, is_answer) in enumerate(pairwise([False, *answers])) if is_answer and not before
    ]
    return [Round(start + place, messages[place:end]) for place, end in pairwise([*starts, len(messages)])]


class _Message(msgspec.Struct):
    role: str


@dataclass(frozen=True, slots=True)
class _Translated:
    json: msgspec.Raw
    role: str


_body_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
_messages_decoder = msgspec.json.Decoder(list[msgspec.Raw])
_message_decoder = msgspec.json.Decoder(_Message)


@dataclass(frozen=True, slots=True)
class Splice(Generic[T]):
    """Plan for the body of one request, made from litellm's body, which has the opening and the sent rounds."""

    rounds: Sequence[Round[T]]
    sent: Sequence[Round[T]]
    """Rounds which litellm has to translate."""
    lasting: Sequence[Round[T]]
    """Sent rounds which litellm will translate alike in the next request."""

    @property
    def is_whole(self) -> bool:
        return len(self.sent) == len(self.rounds)

    def body(self, content: bytes) -> bytes:
        """Return the whole body, and keep the translations of the lasting rounds. Raises NotInRounds."""
        try:
            fields = _body_decoder.decode(content)
            raws = _messages_decoder.decode(fields["messages"])
            translated = [_Translated(raw, _message_decoder.decode(raw).role) for raw in raws]
        except (msgspec.MsgspecError, KeyError) as error:
            raise NotInRounds(str(error)) from error
        rounds = in_rounds(translated)
        if len(rounds) != len(self.sent):
            raise NotInRounds(f"{len(self.sent)} rounds became {len(rounds)}")
        rendered = {round_: _rendered(new.messages) for round_, new in zip(self.sent, rounds, strict=True)}
        for round_ in self.lasting:
            round_.rendered = rendered[round_]
        opening = _rendered(translated[: rounds[0].start] if rounds else translated)
        return b"".join(
            _pieces(fields, [opening, *(rendered.get(round_) or round_.rendered or b"" for round_ in self.rounds)])
        )


def _rendered(messages: Sequence[_Translated]) -> bytes:
    return b"".join(b",%b" % message.json for message in messages)


def _pieces(fields: dict[str, msgspec.Raw], messages: Sequence[bytes]) -> Iterator[bytes | msgspec.Raw]:
    for place, (name, value) in enumerate(fields.items()):
        yield b"%b%b:" % (b"," if place else b"{", msgspec.json.encode(name))
        if name != "messages":
            yield value
            continue
        first, *others = messages
        yield b"[%b" % first[1:]
        yield from others
        yield b"]"
    yield b"}"
