"""Session updates on their way to the client: neighbouring texts are put together."""

import asyncio
from collections.abc import Callable, Iterable

from placet.core.values import replace
from placet.frontends.acp.connection.client import Client
from placet.frontends.acp.protocol import updates as acp

TOGETHER_SECONDS = 0.02
BATCH_BYTES = 64 * 1024


class UpdateQueue:
    """Queue of the updates for a client; belongs to the event loop.

    Text following on text is put together for a moment, and longer while the client does not read; so are the states
    of a running call. The first update after a pause and the first text of a message go at once, and any other update
    takes along all updates before.
    """

    def __init__(self, client: Client, has_room: Callable[[], bool]) -> None:
        """Make the queue; `has_room` says whether the client reads as fast as Placet writes."""
        self._client = client
        self._has_room = has_room
        self._waiting: list[acp.Notification] = []
        self._timer: asyncio.TimerHandle | None = None
        self._texts: dict[str, tuple[type[acp.SessionUpdate], str | None]] = {}
        """Kind and message of the last text of each session."""

    def put(self, session_id: str, update: acp.SessionUpdate) -> None:
        """Send the update behind all updates before."""
        new = acp.Notification(session_id, update)
        if self._waiting and (merged := _merged(self._waiting[-1], new)) is not None:
            self._waiting[-1] = merged
        else:
            self._waiting.append(new)
        if not self._can_wait(new) or self._timer is None:
            self._send_if_room()

    async def put_all(self, session_id: str, updates: Iterable[acp.SessionUpdate]) -> None:
        """Send many updates as fast as the client reads, in batches; other work goes on between the batches."""
        self.flush()
        batch_bytes = 0
        for update in updates:
            batch_bytes += self._client.notify("session/update", acp.Notification(session_id, update))
            if batch_bytes >= BATCH_BYTES:
                batch_bytes = 0
                await asyncio.sleep(0)
                while not self._has_room():  # noqa: ASYNC110 (the thread that writes tells nobody)
                    await asyncio.sleep(TOGETHER_SECONDS)

    def flush(self) -> None:
        """Send all waiting updates, whether the client has room or not."""
        waiting, self._waiting = self._waiting, []
        for notification in waiting:
            self._client.notify("session/update", notification)

    def close(self) -> None:
        """Send the waiting updates, for the last time."""
        if self._timer is not None:
            self._timer.cancel()
        self.flush()

    def _can_wait(self, new: acp.Notification) -> bool:
        match new.update:
            case acp.AgentChunk() | acp.ThoughtChunk() as text:
                kind = type(text), text.message_id
                before, self._texts[new.session_id] = self._texts.get(new.session_id), kind
                return kind == before
            case acp.ToolCallUpdate(status=status):
                return status == "in_progress"
            case _:
                return False

    def _send_if_room(self) -> None:
        if self._has_room():
            self.flush()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self._after_waiting)

    def _after_waiting(self) -> None:
        self._timer = None
        if self._waiting:
            self._send_if_room()


def _merged(old: acp.Notification, new: acp.Notification) -> acp.Notification | None:
    """Return a notification in place of both, or None if both are needed."""
    if old.session_id != new.session_id:
        return None
    match old.update, new.update:
        case (acp.AgentChunk(content=acp.Text(text=before)), acp.AgentChunk(content=acp.Text(text=after))) | (
            acp.ThoughtChunk(content=acp.Text(text=before)),
            acp.ThoughtChunk(content=acp.Text(text=after)),
        ) if old.update.message_id == new.update.message_id:
            return replace(new, update=replace(new.update, content=acp.Text(before + after)))
        case acp.ToolCallUpdate(status="in_progress") as earlier, acp.ToolCallUpdate(status="in_progress") as later if (
            earlier.tool_call_id == later.tool_call_id
        ):
            return replace(new, update=later if later.content else replace(later, content=earlier.content))
        case _:
            return None
