"""Answer on its way from a model: one at a time for each document, which goes on while the user types along."""

import asyncio
from contextlib import aclosing

from placet.completion.answer import AnswerContext
from placet.completion.cache import Answered
from placet.completion.requests import is_enough
from placet.model.base import Finished, TextDelta
from placet.model.fill import FillModel, FillRequest

MOST_CHARACTERS = 8_000
"""Limit of an answer: a model that does not stop is stopped."""


class RunningAnswer:
    """Answer to one request. The engine owns the object until the answer is there or nobody waits for it."""

    def __init__(self, model: FillModel, request: FillRequest, asked: AnswerContext) -> None:
        self.asked = asked
        self.text = ""
        """Answer so far."""
        self.waiters = 0
        """Number of the questions that wait for this answer."""
        self.is_ended = False
        """True after `cancel`."""
        self._task = asyncio.create_task(self._read(model, request), name="inline completion")

    async def _read(self, model: FillModel, request: FillRequest) -> Answered:
        async with aclosing(model.fill(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        self.text += text
                        if len(self.text) > MOST_CHARACTERS or is_enough(self.text, self.asked):
                            return Answered(self.text, is_cut_off=True)
                    case Finished(reason):
                        return Answered(self.text, is_cut_off=reason == "length")
        return Answered(self.text)

    @property
    def is_done(self) -> bool:
        return self._task.done()

    async def answer(self) -> Answered:
        """Return the whole answer; a cancelled wait leaves the answer going on. Raises ModelError."""
        self.waiters += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self.waiters -= 1

    def typed_since(self, asked: AnswerContext) -> str | None:
        """Return the text that the user has typed since the request and that agrees with the answer so far, else None.

        A question of another manner does not agree: more lines may be wanted.
        """
        own, context = self.asked.context, asked.context
        if asked.is_asked != self.asked.is_asked or context.suffix != own.suffix:
            return None
        if context.first_line != own.first_line or not context.prefix.startswith(own.prefix):
            return None
        typed = context.prefix[len(own.prefix) :]
        return typed if self.text.startswith(typed) or typed.startswith(self.text) else None

    async def cancel(self) -> None:
        """End the request, and return when the model's server is told."""
        self.is_ended = True
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.exception()  # Nobody asks any more for this error.
