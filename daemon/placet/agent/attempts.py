"""A call to the model that is made again where retry.py has it, and the text of an answer that is nothing but text."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from placet.agent.retry import Again, GiveUp, after_failures
from placet.errors import ModelError
from placet.messages import Tokens
from placet.model.base import Finished, ModelEvent, TextDelta, UsageReport

T = TypeVar("T")


class OnRetry(Protocol):
    def __call__(self, attempt: int, wait_seconds: float, error: ModelError) -> None:
        """The call failed for the `attempt`-th time (from 1), and will be made again after the wait."""
        ...


async def with_retries(call: Callable[[], Awaitable[T]], *, longest_wait_seconds: float, on_retry: OnRetry) -> T:
    """What the call gives. Raises ModelError when it is given up."""
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


@dataclass(slots=True)
class Tally:
    """What calls have used so far, failed ones included."""

    tokens: Tokens = field(default_factory=Tokens)
    cost: float = 0.0
    """US dollars."""


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    finish: str


async def text_answer(answer: AsyncGenerator[ModelEvent, None], tally: Tally) -> Said:
    """The text of an answer, and its end; thinking and calls are passed over. Raises ModelError."""
    pieces: list[str] = []
    finish: str | None = None
    async with aclosing(answer):
        async for event in answer:
            match event:
                case TextDelta(text=text):
                    pieces.append(text)
                case UsageReport(tokens=tokens, cost=cost):
                    tally.tokens += tokens
                    tally.cost += cost
                case Finished(reason=reason):
                    finish = reason
                case _:
                    pass
    if finish is None:
        raise ModelError("interrupted", "The model's answer broke off.", before_first_delta=False)
    return Said("".join(pieces), finish)
