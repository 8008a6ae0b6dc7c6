"""An approver whose questions can also be answered in any terminal, while the questions stand on the user's screen.

The first answer ends an ask wherever the ask is shown. A prompt put away on the screen is no answer, and ends nothing.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from placet.core.errors import StoreError
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import Approver, PermissionAnswer, PermissionRequest, Question
from placet.core.values import replace
from placet.core.visible_text import one_line, spelled_out, without_controls
from placet.sessions.asks.pending_ask_models import (
    PendingPermission,
    PendingQuestions,
    StoredAnswer,
    pending_permission,
    pending_questions,
    permission_answer,
    question_answer,
)
from placet.sessions.asks.pending_asks import PendingAsks

logger = logging.getLogger(__name__)

T = TypeVar("T")

AT_ONCE_SECONDS = 0.05
"""An answer within this time came from no human, so the ask need not be written down."""


class CrossProcessApprover:
    """Implementation of placet.core.ports.Approver on top of another approver."""

    def __init__(self, approver: Approver, waiting: PendingAsks) -> None:
        self._approver = approver
        self._waiting = waiting

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Ask for a permission, as the port says."""
        answer = await self._first(
            request.id,
            request.session_id,
            lambda: pending_permission(request),
            self._approver.request_permission(request),
        )
        return permission_answer(request, answer) if isinstance(answer, StoredAnswer) else answer

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        """Ask the questions, as the port says; no control character of a question reaches the user.

        A secret is given on the screen alone: an answer from elsewhere goes through the store.
        """
        shown = [_harmless(question) for question in questions]
        if any(question.secret for question in questions):
            answers = await self._approver.ask(session_id, shown)
            return None if answers is None else _as_asked(questions, answers)
        answer = await self._first(
            new_id("ask"), session_id, lambda: pending_questions(shown), self._approver.ask(session_id, shown)
        )
        answers = question_answer(answer) if isinstance(answer, StoredAnswer) else answer
        return None if answers is None else _as_asked(questions, answers)

    async def _first(
        self,
        ask_id: str,
        session_id: str,
        asked: Callable[[], PendingPermission | PendingQuestions],
        on_screen: Coroutine[Any, Any, T],
    ) -> T | StoredAnswer:
        """Return the first answer, from the screen or from elsewhere. Both waits end with this call."""
        showing = asyncio.create_task(on_screen)
        elsewhere: asyncio.Task[StoredAnswer | None] | None = None
        is_over = False
        try:
            await asyncio.wait((showing,), timeout=AT_ONCE_SECONDS)
            if showing.done():
                return showing.result()
            elsewhere = asyncio.create_task(self._from_elsewhere(ask_id, session_id, asked))
            await asyncio.wait((showing, elsewhere), return_when=asyncio.FIRST_COMPLETED)
            if not showing.done() and elsewhere.result() is None:
                await asyncio.wait((showing,))
            given = await self._ended(ask_id)
            is_over = True
            return showing.result() if given is None else given
        finally:
            tasks: list[asyncio.Task[Any]] = [showing] if elsewhere is None else [showing, elsewhere]
            for task in tasks:
                task.cancel()
            if elsewhere is not None and not is_over:  # Before the wait, which a second cancellation cuts short.
                self._waiting.withdraw(ask_id)
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _from_elsewhere(
        self, ask_id: str, session_id: str, asked: Callable[[], PendingPermission | PendingQuestions]
    ) -> StoredAnswer | None:
        """Return the answer from elsewhere, or None when the store fails: the user is still asked on the screen."""
        try:
            return await self._waiting.answer_from_elsewhere(ask_id, session_id, await in_thread(asked))
        except StoreError as error:
            logger.warning("This can be answered where it is shown only: %s", error)
            return None

    async def _ended(self, ask_id: str) -> StoredAnswer | None:
        try:
            return await self._waiting.end(ask_id)
        except StoreError as error:
            logger.warning("An answer is taken though the store fails: %s", error)
            return None


def _harmless(question: Question) -> Question:
    """Return the question as the user sees the question; only the question's text may have several lines."""
    options = tuple(
        replace(option, label=spelled_out(option.label), description=one_line(option.description))
        for option in question.options
    )
    text = without_controls(question.question)
    return replace(question, header=one_line(question.header), question=text, options=options)


def _as_asked(questions: Sequence[Question], answers: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the answers with each label in the asker's spelling."""
    labels = [{spelled_out(option.label): option.label for option in question.options} for question in questions]
    return [
        [labels[place].get(word, word) if place < len(labels) else word for word in words]
        for place, words in enumerate(answers)
    ]
