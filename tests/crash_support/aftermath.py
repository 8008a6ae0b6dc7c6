"""What must hold once a daemon was killed and the next one is there. Each fact that does not is a problem in words."""

import asyncio
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from crash_support.project import FILES, write_script
from crash_support.record import Record
from placet.changes.journal.records import ChangeRecord
from placet.core.errors import RequestError
from placet.core.messages import AssistantMessage, TextPart, ToolCompleted, ToolFailed, ToolPart, UserMessage
from placet.core.transcript import Transcript
from placet.project.files.disk import read_document
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.settings import Locations
from services_support import TempServices
from time_support import wait_seconds

MOST_UNDOS = 30


class Aftermath:
    """`problems` is empty when all is as it must be."""

    def __init__(self, directory: Path, record: Record, victim: int) -> None:
        self._record = record
        self._victim = victim
        self._services = TempServices(directory)
        self._model = write_script(
            directory / "next.json",
            [[{"call": "write", "arguments": {"filePath": "next.txt", "content": "next\n"}}], [{"text": "Done."}]],
        )
        self.problems: list[str] = []

    def at(self, locations: Locations) -> None:
        """Where the victim kept its things, when that was elsewhere."""
        self._services.locations = locations

    async def look(self) -> None:
        self._look_at_processes()
        self._look_at_store()
        if self._record.session_id is None:
            return
        async with self._services.open(self._model, permission="allow") as sessions:
            changes = await self._all_changes(sessions)
            self._look_at_files(changes)
            loaded = [await sessions.load(id) for id in self._session_ids()]
            for session in loaded:
                await self._look_at_session(session)
            await self._look_at_next_prompt(loaded[0])
            await self._look_at_undo(loaded)
        self._look_at_store()

    def _must(self, fact: bool, otherwise: str) -> None:
        if not fact:
            self.problems.append(otherwise)

    # ---------------------------------------------------------------- processes and the store's file

    def _look_at_processes(self) -> None:
        begun = time.monotonic()
        mark = f"PLACET_CRASH={self._services.directory}".encode()
        while (left := _processes(mark, self._victim)) and time.monotonic() - begun < wait_seconds():
            time.sleep(0.02)
        self._must(not left, f"processes are left: {left}")

    def _look_at_store(self) -> None:
        if not self._services.locations.store.exists():
            return
        with closing(sqlite3.connect(self._services.locations.store)) as connection:
            for check in ("integrity_check", "foreign_key_check"):
                rows = connection.execute(f"PRAGMA {check}").fetchall()
                self._must(rows in ([("ok",)], []), f"{check}: {rows}")

    def _session_ids(self) -> list[str]:
        """The victim's, and its subagents', that are in the store."""
        with closing(sqlite3.connect(self._services.locations.store)) as connection:
            return [row[0] for row in connection.execute("SELECT id FROM session ORDER BY id")]

    # ---------------------------------------------------------------- files and journal

    async def _all_changes(self, sessions: Sessions) -> list[ChangeRecord]:
        journal = sessions._services.journal
        changes = [change for id in self._session_ids() for change in await journal.changes(id)]
        return await journal.with_files(sorted(changes, key=lambda change: change.id))

    def _look_at_files(self, changes: list[ChangeRecord]) -> None:
        """Each change is there as a whole or not at all, as the journal says."""
        project = self._services.project
        texts: dict[Path, str | None] = {project / name: _text(data) for name, data in FILES.items()}
        for change in changes:
            self._must(change.state != "planned", f"{change.id} is still planned")
            if change.state in ("planned", "failed"):
                continue
            for file in change.files:
                source, target = file.path, file.new_path or file.path
                before = texts.get(source)
                self._must(before == file.before, f"{change.id} stands on another text of {source.name}: {before!r}")
                texts[source] = None
                texts[target] = file.after
        expected = {path.relative_to(project).as_posix(): text for path, text in texts.items() if text is not None}
        found = {name: read_document(project / name).text for name in self._names()}
        self._must(found == expected, f"the files are {_shortened(found)}, by the journal {_shortened(expected)}")

    def _names(self) -> list[str]:
        project = self._services.project
        return sorted(path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file())

    # ---------------------------------------------------------------- sessions

    async def _look_at_session(self, session: Session) -> None:
        replayed = Transcript()
        for event in session.replay():
            replayed.apply(event.update)
        parts = {part.id: part for message in session.messages for part in message.parts}
        for id, part in self._record.finished_parts().get(session.info.id, {}).items():
            self._must(id in parts, f"a part that was stored is not there: {part}")
            closed = isinstance(part, ToolPart) and not isinstance(part.state, ToolCompleted | ToolFailed)
            if id in parts and not closed and part.type != "patch":
                self._must(parts[id] == part, f"a part is another: {parts[id]} instead of {part}")
        calls: dict[str, int] = {}
        for message in session.messages:
            for part in message.parts:
                if isinstance(part, ToolPart):
                    calls[part.call_id] = calls.get(part.call_id, 0) + 1
                    self._must(part.state.status in ("completed", "error"), f"{part.call_id} has no result")
            if isinstance(message, AssistantMessage):
                self._must(message.completed is not None, f"{message.id} has no end")
            if isinstance(message, UserMessage) and message.steers is None:
                self._must(message.stop_reason is not None, f"the turn {message.id} has no end")
        self._must(set(calls.values()) <= {1}, f"calls stand there more than once: {calls}")
        await self._look_at_patches(session)

    async def _look_at_patches(self, session: Session) -> None:
        """What the transcript says was changed is what the journal says stands."""
        said = {
            part.change_id
            for message in session.messages
            for part in message.parts
            if part.type == "patch" and not part.reverted
        }
        own = [one for one in await session.changes() if one["kind"] != "undo" and "madeIn" not in one]
        stands = {one["id"] for one in own if one["state"] == "applied"}
        self._must(said == stands, f"the transcript shows the changes {said}, the journal has {stands}")

    async def _look_at_next_prompt(self, session: Session) -> None:
        await session.choices.set_model(self._model)
        heard = len(self._services.screen.events)
        result = await session.prompt([TextPart(text="Go on.")])
        self._must(result.stop_reason == "end_turn", f"the next prompt ended with {result.stop_reason}: {result.error}")
        last = max((event.seq for event in self._record.seen if event.session_id == session.info.id), default=0)
        new = [event for event in self._services.screen.events[heard:] if event.session_id == session.info.id]
        self._must(all(event.seq > last for event in new), "a number of an event was given twice")

    async def _look_at_undo(self, sessions: list[Session]) -> None:
        for session in reversed(sessions):
            for _ in range(MOST_UNDOS):
                try:
                    files = await session.undo()
                except RequestError:
                    break
                self._must(all(file.status != "conflict" for file in files), f"an undo ran into conflicts: {files}")
                self._must(any(file.status == "restored" for file in files), f"an undo did nothing: {files}")
            else:
                self.problems.append("there is no end of undoing")
        found = {name: (self._services.project / name).read_bytes() for name in self._names()}
        self._must(found == FILES, f"after undoing everything there is {_shortened(found)}")


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig")


def _shortened(files: dict[str, str] | dict[str, bytes]) -> dict[str, str]:
    return {name: repr(content)[:60] for name, content in files.items()}


def _processes(mark: bytes, victim: int) -> list[str]:
    """What the victim started and still runs: by the mark in its environment, and its watchdog."""
    found: list[str] = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            command = Path("/proc", name, "cmdline").read_bytes().split(b"\0")
            marked = mark in Path("/proc", name, "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if marked or (b"watchdog_process" in b" ".join(command) and str(victim).encode() in command):
            found.append(f"{name}: {b' '.join(command).decode(errors='replace')[:80]}")
    return found


def look(directory: Path, record: Record, victim: int) -> Aftermath:
    aftermath = Aftermath(directory, record, victim)
    asyncio.run(aftermath.look())
    return aftermath
