"""A conversation in rounds, so that litellm translates each of them once and not again in every request. Pure.

A round is an answer of the model and all that follows it up to the next one; what stands before the first is the
opening. For the wires we know, litellm translates a round without regard to the others (a contract test says so of
each provider): so the body of a request is that of its opening and its new rounds, and in between, as JSON, what
became of the others before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

import msgspec

# Providers for which that is so (tests/model/test_rounds_contract.py).
IN_ROUNDS = {
    *("openai", "anthropic", "openrouter", "deepseek", "groq", "xai", "mistral", "fireworks_ai", "together_ai"),
    *("hosted_vllm", "cerebras", "moonshot", "zai", "lm_studio", "litellm_proxy", "custom_openai"),
}


class HasRole(Protocol):
    @property
    def role(self) -> str: ...


T = TypeVar("T", bound=HasRole)


class NotInRounds(Exception):
    """The body is not made as those that we know."""


@dataclass(slots=True, eq=False)
class Round(Generic[T]):
    start: int
    """Its place in the conversation."""
    messages: Sequence[T]
    rendered: bytes | None = None
    """JSON of what it became on the provider's wire, with a comma before each message."""

    @property
    def end(self) -> int:
        return self.start + len(self.messages)


def in_rounds(messages: Sequence[T], start: int = 0) -> list[Round[T]]:
    """The rounds of what stands at `start` in a conversation, without its opening."""
    answers = [message.role == "assistant" for message in messages]
    starts = [place for place, (before, now) in enumerate(pairwise([False, *answers])) if now and not before]
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
    """How the body of one request is put together from litellm's, which has the opening and what it was told."""

    rounds: Sequence[Round[T]]
    told: Sequence[Round[T]]
    """Those of the rounds that litellm has to translate."""
    lasting: Sequence[Round[T]]
    """Those of the told ones that will be translated alike in the next request."""

    @property
    def is_whole(self) -> bool:
        return len(self.told) == len(self.rounds)

    def body(self, content: bytes) -> bytes:
        """The whole body; what the lasting rounds became is known from now on. Raises NotInRounds."""
        try:
            fields = _body_decoder.decode(content)
            raws = _messages_decoder.decode(fields["messages"])
            translated = [_Translated(raw, _message_decoder.decode(raw).role) for raw in raws]
        except (msgspec.MsgspecError, KeyError) as error:
            raise NotInRounds(str(error)) from error
        rounds = in_rounds(translated)
        if len(rounds) != len(self.told):
            raise NotInRounds(f"{len(self.told)} rounds became {len(rounds)}")
        rendered = {one: _rendered(new.messages) for one, new in zip(self.told, rounds, strict=True)}
        for one in self.lasting:
            one.rendered = rendered[one]
        opening = _rendered(translated[: rounds[0].start] if rounds else translated)
        return b"".join(_pieces(fields, [opening, *(rendered.get(one) or one.rendered or b"" for one in self.rounds)]))


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
