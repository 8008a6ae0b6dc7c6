"""An approver whose questions can be answered in any terminal too, while they stand on the user's screen.

One answer ends an ask wherever it is shown: the first. A prompt put away on the screen is none, and ends nothing.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from placet.errors import StoreError
from placet.messages import new_id
from placet.ports import Approver, PermissionAnswer, PermissionRequest, Question
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
        """As the port says."""
        answer = await self._first(
            new_id("ask"),
            session_id,
            lambda: asked_questions(tuple(questions)),
            self._approver.ask(session_id, questions),
        )
        return question_answer(answer) if isinstance(answer, GivenAnswer) else answer

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
