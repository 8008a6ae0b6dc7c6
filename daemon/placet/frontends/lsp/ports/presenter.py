"""The EventSink port through an editor: the events of a session as `agent/update`, in order, none lost.

Text following on text is put together for about 30 ms, and longer while the editor does not keep up; so are repeated
notes on a tool call in one state. The first piece after a pause goes at once, and any other event takes along all
events before.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from placet.core.events import AgentMessageChunk, AgentThoughtChunk, SessionEvent, ToolCallUpdate, Update
from placet.frontends.lsp.connection.editor_client import EditorClient
from placet.frontends.lsp.ports.progress import TurnProgress

TOGETHER_SECONDS = 0.03

Chunk = AgentMessageChunk | AgentThoughtChunk


class _Waiting:
    """Event not sent yet, with the texts appended so far."""

    def __init__(self, event: SessionEvent) -> None:
        self.session_id = event.session_id
        self.seq = event.seq
        self.update: Update = event.update
        self._texts: list[str] = []
        self._end = _end_of(event.update)

    def take(self, event: SessionEvent) -> bool:
        """Merge the next event into this event, and return whether the two could be merged."""
        if event.session_id != self.session_id:
            return False
        mine, new = self.update, event.update
        if isinstance(mine, ToolCallUpdate) and isinstance(new, ToolCallUpdate) and _replaces(new, mine):
            self.update = new
        elif isinstance(mine, Chunk) and isinstance(new, Chunk) and self._is_followed_by(new, mine):
            self._texts.append(new.text)
            self._end += len(new.text)
        else:
            return False
        self.seq = event.seq
        return True

    def _is_followed_by(self, new: Chunk, mine: Chunk) -> bool:
        return new.kind == mine.kind and new.part_id == mine.part_id and new.offset == self._end and not _is_sealed(new)

    def dump(self) -> dict[str, Any]:
        update = self.update
        if isinstance(update, Chunk) and self._texts:
            update = update.model_copy(update={"text": update.text + "".join(self._texts)})
        return SessionEvent(session_id=self.session_id, seq=self.seq, update=update).dump()


class Presenter:
    """Sender of session events to one editor; the presenter belongs to the event loop."""

    def __init__(
        self,
        client: EditorClient,
        has_room: Callable[[], bool] = lambda: True,
        on_generic: Callable[[SessionEvent], None] = lambda event: None,
    ) -> None:
        """Create the presenter of the editor at `client`.

        `has_room` says whether the editor reads as fast as Placet writes; `on_generic` shows events in an editor
        without our plugin, beside the progress.
        """
        self._client = client
        self._has_room = has_room
        self._waiting: list[_Waiting] = []
        self._timer: asyncio.TimerHandle | None = None
        self._on_generic = on_generic
        self._progress = TurnProgress(client) if client.profile.shows_progress else None

    def emit(self, event: SessionEvent) -> None:
        """Send an event to the editor (see EventSink)."""
        if self._progress is not None:
            self._progress.emit(event)
        if self._client.profile.is_generic:
            self._on_generic(event)
            return
        if not (self._waiting and self._waiting[-1].take(event)):
            self._waiting.append(_Waiting(event))
        if self._timer is None or not _can_wait(event.update):
            self._send_if_room()
            self._wait()

    def flush(self) -> None:
        """Send all waiting events, whether the editor has room or not."""
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self._client.notify("agent/update", event.dump())

    async def close(self) -> None:
        """Send the waiting events, and end the progress shown."""
        if self._timer is not None:
            self._timer.cancel()
        self.flush()
        if self._progress is not None:
            await self._progress.close()

    def _send_if_room(self) -> None:
        if self._has_room():
            self.flush()

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self._after_waiting)

    def _after_waiting(self) -> None:
        self._timer = None
        if self._waiting:
            self._send_if_room()
            self._wait()


def _can_wait(update: Update) -> bool:
    match update:
        case AgentMessageChunk() | AgentThoughtChunk():
            return True
        case ToolCallUpdate(part=part):
            return part.state.status in ("pending", "running")
        case _:
            return False


def _replaces(new: ToolCallUpdate, old: ToolCallUpdate) -> bool:
    """Return whether a note replaces the note before: changes of a call's state are all shown, notes within a state are
    not.
    """
    return new.part.id == old.part.id and new.part.state.status == old.part.state.status


def _is_sealed(chunk: Chunk) -> bool:
    """Return whether no text may be appended: a signature or redacted thinking belongs to exactly this piece."""
    return isinstance(chunk, AgentThoughtChunk) and (chunk.signature is not None or chunk.redacted is not None)


def _end_of(update: Update) -> int:
    """Return the offset at which the next piece of the text has to begin, or -1 if no piece can follow."""
    if isinstance(update, Chunk) and not _is_sealed(update):
        return update.offset + len(update.text)
    return -1
