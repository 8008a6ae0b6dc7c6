"""Work of a session: a queue of turns and compactions, background tasks, and calls that did not stop when cancelled."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from placet.core.errors import RequestError
from placet.core.events import QueuedPrompt, QueueUpdate
from placet.core.ids import new_id
from placet.core.messages import PromptPart, prompt_text

T = TypeVar("T")

logger = logging.getLogger(__name__)

LEFT_BEHIND_SECONDS = 5.0
"""Seconds of waiting, in `close`, for calls still running after their cancellation."""


class TurnQueue:
    """Queue of the turns and compactions of a session, with the tasks beside the turns; the session owns the queue."""

    def __init__(self, session_id: str, tell: Callable[[QueueUpdate], None] = lambda update: None) -> None:
        """Create the queue. `tell` tells the user's screens which prompts wait."""
        self._session_id = session_id
        self._tell = tell
        self._queued: dict[str, QueuedPrompt] = {}
        self._queue = asyncio.Lock()
        self._current: asyncio.Task[Any] | None = None
        self._current_name: str | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._left_behind: set[asyncio.Task[Any]] = set()
        self._is_closing = False

    @property
    def current(self) -> "asyncio.Task[Any] | None":
        """Return the running turn or compaction."""
        return self._current

    @property
    def current_name(self) -> str | None:
        """Return the name of the running work, as its caller has named the work."""
        return self._current_name

    @property
    def queued(self) -> tuple[QueuedPrompt, ...]:
        """Return the prompts that wait for the end of earlier work, in order."""
        return tuple(self._queued.values())

    async def after_others(
        self, make: Callable[[], Coroutine[Any, Any, T]], name: str, prompt: Sequence[PromptPart] = ()
    ) -> asyncio.Task[T]:
        """Run the work after all earlier work of the queue has ended; return the ended task.

        `prompt` is the prompt that the work answers, which the user's screens show as queued meanwhile. Cancelling the
        caller cancels the running task, and is raised only while the caller still waits for earlier work. Work that
        waits while the queue is closed is cancelled before its beginning.
        """
        async with self._turn_of(prompt):
            self._current = task = asyncio.create_task(make(), name=f"{name} of {self._session_id}")
            self._current_name = name
            if self._is_closing:
                task.cancel()
            try:
                await self.until_ended(task)
            finally:
                self._current = self._current_name = None
        return task

    @asynccontextmanager
    async def _turn_of(self, prompt: Sequence[PromptPart]) -> AsyncGenerator[None]:
        """Hold the queue while the context lasts, and show the prompt as queued before."""
        waiting = QueuedPrompt(id=new_id("queued"), text=prompt_text(prompt))
        if prompt and (self._queue.locked() or self._queued):
            self._queued[waiting.id] = waiting
            self._tell(QueueUpdate(prompts=self.queued))
        try:
            await self._queue.acquire()
        finally:
            if self._queued.pop(waiting.id, None) is not None:
                self._tell(QueueUpdate(prompts=self.queued))
        try:
            yield
        finally:
            self._queue.release()

    async def alone(self, make: Callable[[], Coroutine[Any, Any, T]], name: str) -> T:
        """Run the work after all earlier work, and return the result. Raises RequestError if the work was cancelled."""
        task = await self.after_others(make, name)
        if not task.cancelled():
            return task.result()
        if (caller := asyncio.current_task()) is not None and caller.cancelling():
            raise asyncio.CancelledError
        raise RequestError("It was cancelled, and the conversation is as it was.")

    async def until_ended(self, task: asyncio.Task[Any]) -> None:
        """Wait for the task.

        Cancelling the caller, once or more often, cancels the task as `cancel` does and is not raised: the task's end
        tells of the cancelling. The task never outlives the call, as the next work would begin beside the task.
        """
        running: set[asyncio.Task[Any]] = {task}
        while running:
            try:
                await asyncio.wait(running)
            except asyncio.CancelledError:
                if not task.done():
                    running |= self.stop()
            running = {work for work in running if not work.done()}

    def keep_running(self, work: Coroutine[Any, Any, None]) -> None:
        """Own a task beside the turns, until the task ends or all work is cancelled."""
        task = asyncio.create_task(work, name=f"background of {self._session_id}")
        self._background.add(task)
        task.add_done_callback(self._has_ended)

    def leave_behind(self, call: asyncio.Task[Any]) -> None:
        """Own a call still running after its cancellation."""
        self._left_behind.add(call)
        call.add_done_callback(self._came_after)

    def stop(self) -> "set[asyncio.Task[Any]]":
        """Cancel the running work and the background tasks, and return the tasks still to end.

        A background task that waits for a turn, and stops the turn as the task itself is cancelled, is no such task.
        """
        stopping: set[asyncio.Task[Any]] = self._background - {asyncio.current_task()}
        if self._current is not None:
            stopping.add(self._current)
        for task in stopping:
            task.cancel()
        return stopping

    async def cancel(self) -> None:
        """Cancel the running work and the background tasks; return when all have ended."""
        if stopping := self.stop():
            await asyncio.wait(stopping)

    async def close(self) -> None:
        """Cancel all work, also the work that waits, and give the calls that did not stop a moment.

        Later work begins as ever: a session that cannot be deleted goes on.
        """
        self._is_closing = True
        try:
            await self.cancel()
            async with self._queue:
                pass  # The work that waited has had its turn.
        finally:
            self._is_closing = False
        if self._left_behind:
            await asyncio.wait(self._left_behind, timeout=LEFT_BEHIND_SECONDS)

    def _has_ended(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Background work of session %s failed", self._session_id, exc_info=error)

    def _came_after(self, call: asyncio.Task[Any]) -> None:
        self._left_behind.discard(call)
        if not call.cancelled() and (error := call.exception()) is not None:
            logger.info("A cancelled call of session %s failed later: %s", self._session_id, error)
