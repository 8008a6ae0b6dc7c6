"""Progress of turns by `$/progress`, the only sign of work which every editor knows: each turn has a progress naming
the turn's work.
"""

import asyncio
import logging
from dataclasses import dataclass, field

from lsprotocol import types

from placet.core.events import Notice, Retry, SessionEvent, ToolCall, ToolCallUpdate, TurnEnded, TurnStarted
from placet.core.messages import ToolPart
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone

logger = logging.getLogger(__name__)

CREATE_SECONDS = 5.0
BETWEEN_REPORTS_SECONDS = 0.25
"""Shortest time between reports: editors redraw at each report, so at most four reports a second are sent."""


def session_of_token(token: str | int) -> str | None:
    """Return the session whose turn a progress shows, or None if the progress is not Placet's."""
    match token.split("/") if isinstance(token, str) else []:
        case ["placet", session_id, _]:
            return session_id
        case _:
            return None


@dataclass(slots=True)
class _Turn:
    token: str
    message: str = ""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)


class TurnProgress:
    """Progress of every running turn of one editor."""

    def __init__(self, client: EditorClient) -> None:
        self._client = client
        self._turns: dict[str, _Turn] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def emit(self, event: SessionEvent) -> None:
        """Note an event; a task tells the editor at the editor's own pace."""
        match event.update:
            case TurnStarted(turn_id=turn_id):
                self._begin(event.session_id, f"placet/{event.session_id}/{turn_id}")
            case TurnEnded():
                self._end(event.session_id)
            case ToolCall(part=part) | ToolCallUpdate(part=part):
                self._note(event.session_id, _words(part))
            case Retry(wait_seconds=seconds, error=error):
                self._note(event.session_id, f"retrying in {seconds:.0f} s: {error.message}")
            case Notice(message=message):
                self._note(event.session_id, message)
            case _:
                pass

    async def close(self) -> None:
        for session_id in list(self._turns):
            self._end(session_id)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, session_id: str, token: str) -> None:
        self._end(session_id)
        turn = self._turns[session_id] = _Turn(token)
        task = asyncio.get_running_loop().create_task(self._show(turn))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _note(self, session_id: str, message: str) -> None:
        turn = self._turns.get(session_id)
        if turn is not None and message != turn.message:
            turn.message = message
            turn.news.set()

    def _end(self, session_id: str) -> None:
        if (turn := self._turns.pop(session_id, None)) is not None:
            turn.over.set()
            turn.news.set()

    async def _show(self, turn: _Turn) -> None:
        create = types.WorkDoneProgressCreateParams(turn.token)
        try:
            await self._client.request(types.WINDOW_WORK_DONE_PROGRESS_CREATE, create, timeout_seconds=CREATE_SECONDS)
        except (EditorError, EditorGone, TimeoutError) as error:
            logger.debug("No progress is shown: %s", error)
            return
        turn.news.clear()
        self._tell(turn, types.WorkDoneProgressBegin("Placet", cancellable=True, message=turn.message or None))
        try:
            while not turn.over.is_set():
                await turn.news.wait()
                turn.news.clear()
                if not turn.over.is_set():
                    self._tell(turn, types.WorkDoneProgressReport(message=turn.message))
                    await self._pause(turn)
        finally:
            self._tell(turn, types.WorkDoneProgressEnd())

    async def _pause(self, turn: _Turn) -> None:
        """Wait until the next report may be made, or the turn is over."""
        try:
            async with asyncio.timeout(BETWEEN_REPORTS_SECONDS):
                await turn.over.wait()
        except TimeoutError:
            return

    def _tell(
        self,
        turn: _Turn,
        value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd,
    ) -> None:
        self._client.notify(types.PROGRESS, types.ProgressParams(turn.token, value))


def _words(part: ToolPart) -> str:
    title = getattr(part.state, "title", "")
    return f"{part.tool}: {title}" if title else part.tool
