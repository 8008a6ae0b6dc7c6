"""One daemon's work, all of it noted, until it is killed: two prompts; between them an undo, a redo, a compaction."""

import asyncio
import random
import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from crash_support.points import Points
from crash_support.project import answers, make_project, write_script
from placet.core.events import SessionEvent, ToolCallUpdate
from placet.core.messages import TextPart
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.sessions import bootstrap
from placet.storage.database import Database, Statement
from services_support import AnsweringUser, Screen, TempServices

PHASES = {
    "agent_message_chunk": "text streaming",
    "agent_thought_chunk": "text streaming",
    "change_proposed": "ask open",
    "change_applied": "between steps",
}


class HesitantUser(AnsweringUser):
    """Takes a moment to say yes."""

    def __init__(self, points: Points, chance: random.Random) -> None:
        super().__init__()
        self._points = points
        self._chance = chance

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self._points.phase("ask open")
        self._points.reach("ask:open")
        for _ in range(3):
            await asyncio.sleep(self._chance.uniform(0, 0.0015))
            self._points.reach("ask:waiting")
        self._points.phase("ask answered")
        self._points.reach("ask:answered")
        return PermissionAnswer("once")


class NotedScreen(Screen):
    """Notes each event with the number of the last write that was queued before it, and says what phase it means."""

    def __init__(self, points: Points, queue: "WatchedDatabase.Queue") -> None:
        super().__init__()
        self._points = points
        self._queue = queue
        self._top = ""

    def emit(self, event: SessionEvent) -> None:
        update = event.update
        self._top = self._top or event.session_id
        self._points.note(seen=event.model_dump(mode="json", by_alias=True), queued=self._queue.length)
        label = update.kind
        if isinstance(update, ToolCallUpdate):
            status, tool = update.part.state.status, update.part.tool
            label += f" {tool} {status}"
            if label == "tool_call_update bash running":
                self._points.phase("command running")
                for moment in range(5):
                    asyncio.get_running_loop().call_later(0.006 * moment, self._points.reach, "command:running")
            else:
                self._points.phase("tool running" if status == "running" else "between steps")
        elif update.kind in PHASES:
            self._points.phase(PHASES[update.kind])
        if event.session_id != self._top and update.kind != "change_proposed":
            self._points.phase("subagent at work")
        self._points.reach(f"event:{label}")


class WatchedDatabase(Database):
    """Notes when the n-th write that was queued is stored."""

    class Queue:
        length = 0

    points: Points
    queue: Queue

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.points.reach("store:opening")
            self.points.watch_store(super()._open())
            self.points.reach("store:opened")
        return super()._open()

    def transaction(self, statements: Sequence[Statement], *, durable: bool = False) -> Future[None]:
        self.queue.length += 1
        number = self.queue.length
        future = super().transaction(statements, durable=durable)
        future.add_done_callback(lambda _: self.points.note(stored=number))
        return future


class Victim:
    def __init__(self, directory: Path, points: Points, seed: int) -> None:
        self._points = points
        self._chance = random.Random(seed)
        self._directory = directory
        WatchedDatabase.points, WatchedDatabase.queue = points, WatchedDatabase.Queue()
        assert bootstrap.Database is Database
        bootstrap.Database = WatchedDatabase  # type: ignore[misc]
        self._services = TempServices(directory)
        self._services.user = HesitantUser(points, self._chance)
        self._services.screen = NotedScreen(points, WatchedDatabase.queue)
        make_project(self._services.project)

    async def work(self) -> None:
        """Do it all; the process may end anywhere in it."""
        points = self._points
        points.watch_disk()
        model = write_script(self._directory / "script.json", answers(self._chance))
        permission = {"edit": "ask", "bash": "ask", "task": "allow"}
        async with self._services.open(model, permission=permission) as sessions:
            session = await sessions.create()
            points.note(session=session.info.id)
            points.phase("between steps")
            await self._prompt(session, "Do it all.")
            await self._noted("undo", session.undo())
            await self._noted("redo", session.redo())
            await self._noted("compaction", session.compact())
            await self._prompt(session, "And once more.")
            points.phase("closing")
        points.note(over=True)

    async def _prompt(self, session: Any, text: str) -> None:
        result = await session.prompt([TextPart(text=text)])
        self._points.note(turn=result.message_id, stop=result.stop_reason, error=str(result.error or ""))

    async def _noted(self, name: str, work: Any) -> None:
        self._points.within = name
        self._points.phase(name)
        self._points.reach(f"{name}:begun")
        await work
        self._points.reach(f"{name}:done")
        self._points.within = ""
        self._points.phase("between steps")
