"""Retries of a call to the model as retry.py decides, and the text of an answer which is nothing but text."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Protocol, TypeVar

from msgspec import Struct, field

from placet.agent.turn.retry import Again, GiveUp, after_failures
from placet.core.errors import ModelError
from placet.core.messages import Tokens
from placet.model.base import Finished, ModelEvent, TextDelta, UsageReport

T = TypeVar("T")


class OnRetry(Protocol):
    def __call__(self, attempt: int, wait_seconds: float, error: ModelError) -> None:
        """Hear of the `attempt`-th failure (from 1) of the call, which will be made again after the wait."""
        ...


async def with_retries(call: Callable[[], Awaitable[T]], *, longest_wait_seconds: float, on_retry: OnRetry) -> T:
    """Return the result of the call. Raises ModelError when the call is given up."""
    failures: list[ModelError] = []
    while True:
        try:
            return await call()
        except ModelError as error:
            failures.append(error)
        match after_failures(failures, longest_wait_seconds=longest_wait_seconds):
            case GiveUp(error=error):
                raise error from failures[-1]
            case Again(wait_seconds=seconds):
                on_retry(len(failures), seconds, failures[-1])
                await asyncio.sleep(seconds)


class Tally(Struct):
    """Sum of the tokens and cost of calls so far, failed calls included."""

    tokens: Tokens = field(default_factory=Tokens)
    cost: float = 0.0
    """Cost in US dollars."""
    is_covered: bool = False
    """True if a subscription covered the last call."""


class TextAnswer(Struct, frozen=True):
    text: str
    finish: str


async def text_answer(answer: AsyncGenerator[ModelEvent, None], tally: Tally) -> TextAnswer:
    """Return the text and the end of an answer; thinking and calls are passed over. Raises ModelError."""
    pieces: list[str] = []
    finish: str | None = None
    async with aclosing(answer):
        async for event in answer:
            match event:
                case TextDelta(text=text):
                    pieces.append(text)
                case UsageReport(tokens=tokens, cost=cost, is_covered=is_covered):
                    tally.tokens += tokens
                    tally.is_covered = is_covered
                    tally.cost += cost
                case Finished(reason=reason):
                    finish = reason
                case _:
                    pass
    if finish is None:
        raise ModelError("interrupted", "The model's answer broke off.", before_first_delta=False)
    return TextAnswer("".join(pieces), finish)
