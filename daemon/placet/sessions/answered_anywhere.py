"""An approver whose questions can be answered in any terminal too, while they stand on the user's screen.

One answer ends an ask wherever it is shown: the first. A prompt put away on the screen is none, and ends nothing.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from placet.errors import StoreError
from placet.messages import new_id
from placet.ports import Approver, PermissionAnswer, PermissionRequest, Question, QuestionOption
from placet.project.executor import in_thread
from placet.sessions.asked import (
    AskedPermission,
    AskedQuestions,
    GivenAnswer,
    asked_permission,
    asked_questions,
    permission_answer,
    question_answer,
)
from placet.sessions.waiting import WaitingAsks
from placet.visible_text import one_line, spelled_out, without_controls

logger = logging.getLogger(__name__)

T = TypeVar("T")

AT_ONCE_SECONDS = 0.05
"""What is answered within this was not answered by a human, and need not be written down."""


class AnsweredAnywhere:
    """placet.ports.Approver over another one."""

    def __init__(self, approver: Approver, waiting: WaitingAsks) -> None:
        self._approver = approver
        self._waiting = waiting

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """As the port says."""
        answer = await self._first(
            request.id,
            request.session_id,
            lambda: asked_permission(request),
            self._approver.request_permission(request),
        )
        return permission_answer(request, answer) if isinstance(answer, GivenAnswer) else answer

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        """As the port says; no control character of a question reaches the user."""
        shown = [_harmless(question) for question in questions]
        answer = await self._first(
            new_id("ask"), session_id, lambda: asked_questions(tuple(shown)), self._approver.ask(session_id, shown)
        )
        answers = question_answer(answer) if isinstance(answer, GivenAnswer) else answer
        return None if answers is None else _as_asked(questions, answers)

    async def _first(
        self,
        ask_id: str,
        session_id: str,
        asked: Callable[[], AskedPermission | AskedQuestions],
        on_screen: Coroutine[Any, Any, T],
    ) -> T | GivenAnswer:
        """The answer on the screen, or the one from elsewhere that came before it. Neither outlives this."""
        showing = asyncio.create_task(on_screen)
        elsewhere: asyncio.Task[GivenAnswer | None] | None = None
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
            await asyncio.gather(*tasks, return_exceptions=True)
            if elsewhere is not None and not is_over:
                self._waiting.withdraw(ask_id)

    async def _from_elsewhere(
        self, ask_id: str, session_id: str, asked: Callable[[], AskedPermission | AskedQuestions]
    ) -> GivenAnswer | None:
        """None when the store fails, which keeps nobody from asking."""
        try:
            return await self._waiting.answer_from_elsewhere(ask_id, session_id, await in_thread(asked))
        except StoreError as error:
            logger.warning("This can be answered where it is shown only: %s", error)
            return None

    async def _ended(self, ask_id: str) -> GivenAnswer | None:
        try:
            return await self._waiting.end(ask_id)
        except StoreError as error:
            logger.warning("An answer is taken though the store fails: %s", error)
            return None


def _harmless(question: Question) -> Question:
    """Return the question as the user sees it; only its text may have several lines."""
    options = tuple(QuestionOption(spelled_out(one.label), one_line(one.description)) for one in question.options)
    text = without_controls(question.question)
    return replace(question, header=one_line(question.header), question=text, options=options)


def _as_asked(questions: Sequence[Question], answers: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the answers with each label as its asker spelled it."""
    labels = [{spelled_out(one.label): one.label for one in question.options} for question in questions]
    return [
        [labels[place].get(word, word) if place < len(labels) else word for word in words]
        for place, words in enumerate(answers)
    ]
