"""Change sets of sessions: the undecided files of a session and its subagents, kept in the store until the decision."""

import asyncio
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from placet.changes.review.staged_file import FileState, StagedStep, UndecidedFile
from placet.core.values import replace
from placet.project.paths import real, real_entry, real_paths
from placet.storage.database import Database, Statement
from placet.storage.review_index import UNDECIDED

if TYPE_CHECKING:
    from placet.changes.review.waiting_call import WaitingCall

Row = tuple[str, str | None]
"""Row of the store for a file of a change set: the place, and the file as JSON; None for no row."""

_STATES: tuple[FileState, ...] = ("unreviewed", "staged", "waiting")

LOOK_AGAIN_SECONDS = 1.0
"""Time in seconds after which a waiter looks for decisions of another process."""


class ChangeSet:
    """Staged and unreviewed files of one session and its subagents, in the order in which the files joined; ChangeSets
    owns the set. A path can have a staged and an unreviewed file: the staged change stands on the unreviewed change.
    """

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self._files: dict[tuple[FileState, Path], UndecidedFile] = {}
        self._targets: dict[Path, Path] = {}
        """Places of the files with symlinks resolved, as the places led when the files joined; without the files that
        are no text, where a symlink itself can be the change.
        """
        self.deciding = asyncio.Lock()
        """Held while the user's decision is carried out, and while a change joins the set."""
        self.changed = asyncio.Event()
        """Set when a file of the set is replaced; cleared by a waiter."""
        self._calls: dict[Path, WaitingCall] = {}
        """Calls that wait for decisions in this process, by the real places of their files."""

    def take(self, files: Iterable[UndecidedFile]) -> None:
        """Take the stored files for the files of the set."""
        files = (*files, *self.waiting)
        texts = [file for file in files if not file.is_raw and file.place not in self._targets]
        known = {file.place: target for file in texts for path, target in file.targets if path == file.place}
        self._targets |= known | real_paths(file.place for file in texts if file.place not in known)
        self._files = {self._index(file): file for file in files}

    @property
    def files(self) -> tuple[UndecidedFile, ...]:
        """Return the stored files: all but the files for which a call waits."""
        return tuple(file for file in self._files.values() if file.state != "waiting")

    @property
    def waiting(self) -> tuple[UndecidedFile, ...]:
        """Return the files for whose decision a call of this process waits."""
        return tuple(file for file in self._files.values() if file.state == "waiting")

    @property
    def staged(self) -> tuple[UndecidedFile, ...]:
        return tuple(file for file in self._files.values() if file.state == "staged")

    def find(self, path: Path, state: FileState = "staged") -> UndecidedFile | None:
        """Return the file of the set that the session knows by the path; a deleted file is found too."""
        return self._files.get((state, real(path))) if self._files else None

    def find_entry(self, path: Path) -> UndecidedFile | None:
        """Return the unreviewed file at the path, where a symlink itself can be the change."""
        return self._files.get(("unreviewed", real_entry(path))) if self._files else None

    def targets(self, paths: Iterable[Path]) -> dict[Path, Path]:
        """Return the places of the changes that the user knows by the paths, symlinks resolved as of the time when the
        files joined.
        """
        has_raw = any(file.is_raw for file in self._files.values())
        return {path: self._raw_target(path) if has_raw else self._text_target(path) for path in paths}

    def _raw_target(self, path: Path) -> Path:
        place = real_entry(path)
        entries = (self._files.get((state, place)) for state in _STATES)
        return place if any(entry is not None and entry.is_raw for entry in entries) else self._text_target(path)

    def _text_target(self, path: Path) -> Path:
        return self._targets.get(path) or real(path)

    def lacks(self, paths: Iterable[Path]) -> bool:
        """Return whether no staged file has any of the paths."""
        return all(self.find(path) is None and not self.is_vacated(path) for path in paths)

    def at(self, place: Path) -> list[UndecidedFile]:
        """Return the unreviewed and the staged file at a place with resolved symlinks; for a changed symlink also the
        files to which the symlink leads.
        """
        files = [file for state in _STATES if (file := self._files.get((state, place))) is not None]
        is_link = any(file.is_raw for file in files) and real(place) != place
        return [*files, *self.at(real(place))] if is_link else files

    def is_vacated(self, path: Path) -> bool:
        """Return whether the set takes the file away from the path, by a delete or a rename."""
        if not self._files:
            return False
        place = real(path)
        staged = self._files.get(("staged", place))
        if staged is not None:
            return staged.kind == "delete"
        return self.renamed_from(place) is not None

    def renamed_from(self, path: Path) -> UndecidedFile | None:
        """Return the staged rename that takes the file away from the path."""
        return next((file for file in self.staged if file.kind == "rename" and real(file.path) == real(path)), None)

    def put(self, before: UndecidedFile | None, after: UndecidedFile | None) -> list[Statement]:
        """Replace a file of the set, None for no file; return the statements that store the change.

        A file of a waiting call is not stored: the call ends with its process.
        """
        self.changed.set()
        statements: list[Statement] = []
        if before is not None and before.state == "waiting":
            return self._keep_waiting(before, after)
        if before is not None and (after is None or self._index(before) != self._index(after)):
            self._files.pop(self._index(before), None)
            self._targets.pop(before.place, None)
        if before is not None and (after is None or before.place != after.place):
            statements.append((_REMOVE, self._key(before)))
        if after is not None:
            after = _with_targets(after)
            self._files[self._index(after)] = after
            statements.append((_KEEP, (*self._key(after), _encoded(after))))
            if before is None and after.state == "unreviewed":
                statements.append((_REMOVE, (self.session_id, undone_place(after.place))))
        return statements

    def wait(self, call: "WaitingCall", files: Iterable[UndecidedFile]) -> None:
        """Put the files of a waiting call into the set."""
        for file in map(_with_targets, files):
            self._files[self._index(file)] = file
            self._calls[self._index(file)[1]] = call
        self.changed.set()

    def waiting_for(self, call: "WaitingCall") -> list[UndecidedFile]:
        """Return the files for whose decision the call waits."""
        return [file for file in self.waiting if self.waiting_call(file) is call]

    def waiting_call(self, file: UndecidedFile) -> "WaitingCall | None":
        """Return the call that waits for the decision about the file; None for a file of another state."""
        return self._calls.get(self._index(file)[1]) if file.state == "waiting" else None

    def waiting_calls(self, paths: Iterable[Path]) -> "list[WaitingCall]":
        """Return the calls that wait for decisions about files at the paths."""
        return list(dict.fromkeys(call for path in paths if (call := self._calls.get(real(path))) is not None))

    def end_wait(self, call: "WaitingCall") -> None:
        """Take the files of the call out of the set that are undecided."""
        for file in self.waiting_for(call):
            self._keep_waiting(file, None)

    def _keep_waiting(self, before: UndecidedFile, after: UndecidedFile | None) -> list[Statement]:
        """Put the rest of a file of a waiting call in place of the file; a call that has ended keeps no file."""
        if (call := self._calls.pop(self._index(before)[1], None)) is None:
            return []
        self._files.pop(self._index(before), None)
        if after is not None:
            self.wait(call, (after,))
        elif not self.waiting_for(call):
            call.over.set()
        return []

    def set_aside(self, file: UndecidedFile) -> list[Statement]:
        """Take an unreviewed file without a difference out of the set, but keep the file for a redo of the change;
        return the statements that store both.
        """
        undone = (_KEEP, (self.session_id, undone_place(file.place), _encoded(file)))
        return [*self.put(file, None), undone]

    def take_back(self, file: UndecidedFile, step: StagedStep) -> list[Statement]:
        """Take a staged file out of the set that a further call has left without a difference, but keep the file for a
        way back to the time before the call; return the statements that store both.
        """
        place, body = taken_row(replace(file, text=step.text, steps=(*file.steps, step)))
        return [*self.put(file, None), (_KEEP, (self.session_id, place, body.encode()))]

    def _index(self, file: UndecidedFile) -> tuple[FileState, Path]:
        if file.is_raw:
            return file.state, real_entry(file.place)
        if file.place not in self._targets:
            self._targets[file.place] = dict(file.targets).get(file.place) or real(file.place)
        return file.state, self._targets[file.place]

    def _key(self, file: UndecidedFile) -> tuple[str, str]:
        return self.session_id, _place(file)


class ChangeSets:
    """Change sets of a front end; the services own the object."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sets: dict[str, ChangeSet] = {}
        self._versions: dict[str, int] = {}
        """Version of the database from which each set was read; writes of this process keep the version."""
        self._stored: dict[str, list[bytes]] = {}
        """Stored files of each set as last read."""
        self._changed_elsewhere: set[str] = set()
        """Sessions whose set another process has changed since the screens were last told."""

    async def of(self, session_id: str) -> ChangeSet:
        """Return the change set of the session, empty at first, as the last process has left the set.

        Raises StoreError.
        """
        version = await self._database.version()
        if self._versions.get(session_id) != version:
            stored = await self._read_stored(session_id)
            files = tuple(map(_decoded, stored))
            is_first = session_id not in self._versions
            known = self.known(session_id)
            if not is_first and set(known.files) != set(files):
                self._changed_elsewhere.add(session_id)
            known.take(files)
            self._versions[session_id], self._stored[session_id] = version, stored
        return self._sets[session_id]

    def known(self, session_id: str) -> ChangeSet:
        """Return the change set as this process knows the set: after `of`, where nothing is awaited for long since."""
        return self._sets.setdefault(session_id, ChangeSet(session_id))

    async def _read_stored(self, session_id: str) -> list[bytes]:
        return [row["body"] for row in await self._database.read(_DECIDABLE, (session_id,))]

    async def was_changed_elsewhere(self, session_id: str) -> bool:
        """Return whether another process has changed the set since the last call; False for a set never read.

        Raises StoreError.
        """
        if session_id not in self._sets:
            return False
        async with self._sets[session_id].deciding:  # A change that joins the set during the read would be lost.
            # Another process at work writes often, and seldom into this set.
            if await self._read_stored(session_id) != self._stored[session_id]:
                await self.of(session_id)
        was_changed = session_id in self._changed_elsewhere
        self._changed_elsewhere.discard(session_id)
        return was_changed

    def has_files(self, session_id: str) -> bool:
        """Return whether the set has files, as this process knows the set; False for a set never read."""
        return session_id in self._sets and bool(self._sets[session_id].files)

    def forget(self, session_id: str) -> None:
        """Read the set anew for the next request, as the stored set has changed."""
        self._versions.pop(session_id, None)

    async def store(self, statements: Sequence[Statement]) -> None:
        """Store changes of sets, all or none. Raises StoreError."""
        if statements:
            await asyncio.wrap_future(self._database.transaction(statements))

    async def bring_back(self, session_id: str, paths: Sequence[Path]) -> None:
        """Mark the files at the paths again that were set aside, as a redo has written their changes again.

        Raises StoreError.
        """
        change_set, wanted = await self.of(session_id), set(map(real, paths))
        aside = await self.set_aside(session_id)
        again = [file for file in aside if not wanted.isdisjoint((real(file.path), real(file.place)))]
        await self.store([statement for file in again for statement in change_set.put(None, file)])

    async def set_aside(self, session_id: str) -> list[UndecidedFile]:
        """Return the unreviewed files that were set aside without a difference. Raises StoreError."""
        return [_decoded(row["body"]) for row in await self._database.read(_SET_ASIDE, (session_id,))]

    async def store_rows(self, session_id: str, rows: Sequence[Row]) -> None:
        """Store rows as they are, and read the set anew for the next request. Raises StoreError."""
        key_of = [(session_id, place) for place, _ in rows]
        bodies = [file for _, file in rows]
        await self.store(
            [
                (_REMOVE, key) if body is None else (_KEEP, (*key, body.encode()))
                for key, body in zip(key_of, bodies, strict=True)
            ]
        )
        self.forget(session_id)

    async def taken_back(self, session_id: str) -> list[UndecidedFile]:
        """Return the staged files that later calls have left without a difference. Raises StoreError."""
        return [_decoded(row["body"]) for row in await self._database.read(_TAKEN_BACK, (session_id,))]

    async def decided(self, session_id: str, places: Sequence[Path]) -> None:
        """Return once no file of these paths is staged; another process may carry out the decisions.

        Raises StoreError.
        """
        while True:
            staged = await self.of(session_id)
            if all(staged.find(place) is None for place in places):
                return
            staged.changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_SECONDS):
                    await staged.changed.wait()

    async def add_news(self, session_id: str, text: str) -> None:
        """Add a text to the news of a decision, unless the model has been told of the decision already.

        Raises StoreError.
        """
        async with (await self.of(session_id)).deciding:  # The decision has stored its own news by then.
            await self.store([(_ADD_NEWS, (session_id, text))])

    async def take_back_news(self, session_id: str, texts: Sequence[str]) -> None:
        """Take back texts of which the model is told by the result of a call. Raises StoreError."""
        await self.store(
            [("DELETE FROM review_news WHERE session_id = ? AND text = ?", (session_id, text)) for text in texts]
        )

    async def news(self, session_id: str) -> list[str]:
        """Return the texts for the session's model; each text once. Raises StoreError."""
        query = "SELECT id, text FROM review_news WHERE session_id = ? ORDER BY id"
        rows = await self._database.read(query, (session_id,))
        await self.store([("DELETE FROM review_news WHERE id = ?", (row["id"],)) for row in rows])
        return [row["text"] for row in rows]


_MARKED = "unreviewed "
"""Beginning of the stored place of an unreviewed file."""
_UNDONE = "undone "
"""Beginning of the stored place of an unreviewed file that was set aside."""
_TAKEN = "taken "
"""Beginning of the stored place of a staged file that a further call has left without a difference."""
_DECIDABLE = f"SELECT body FROM staged WHERE session_id = ? AND {UNDECIDED} ORDER BY position"  # noqa: S608
_TAKEN_BACK = "SELECT body FROM staged WHERE session_id = ? AND place GLOB 'taken *' ORDER BY position"
_SET_ASIDE = "SELECT body FROM staged WHERE session_id = ? AND place GLOB 'undone *' ORDER BY position"
_ADD_NEWS = (
    "INSERT INTO review_news (session_id, text) "
    "SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM review_news WHERE session_id = ?1)"
)
_REMOVE = "DELETE FROM staged WHERE session_id = ? AND place = ?"
_KEEP = (
    "INSERT INTO staged (session_id, place, body) VALUES (?, ?, packed(?)) "
    "ON CONFLICT (session_id, place) DO UPDATE SET body = excluded.body"
)


def news_statement(session_id: str, text: str) -> Statement:
    """Return the statement that keeps a text for the session's model until its next step, also after a restart."""
    return "INSERT INTO review_news (session_id, text) VALUES (?, ?)", (session_id, text)


def undone_place(path: Path) -> str:
    """Return the stored place of an unreviewed file that was set aside."""
    return f"{_UNDONE}{path}"


def marked_path(place: str) -> Path | None:
    """Return the path of the unreviewed file of a stored place; None for a place of another kind."""
    return Path(place.removeprefix(_MARKED)) if place.startswith(_MARKED) else None


def taken_row(file: UndecidedFile) -> tuple[str, str]:
    """Return the row that stores a staged file without a difference: the place, and the file as JSON.

    Each turn that leaves the file without a difference has a row of its own, for the way back to the time before.
    """
    _, turn_id = file.steps[-1].turn
    return f"{_TAKEN}{turn_id} {file.place}", _encoded(file).decode()


def stored_row(file: UndecidedFile) -> tuple[str, str]:
    """Return the row that stores the file: the place, and the file as JSON."""
    return _place(file), _encoded(file).decode()


def _place(file: UndecidedFile) -> str:
    return str(file.place) if file.state == "staged" else f"{_MARKED}{file.place}"


def _with_targets(file: UndecidedFile) -> UndecidedFile:
    """Return the file with the targets of all its paths; a known target stays. Blocks (stat)."""
    known = dict(file.targets)
    if all(path in known for path in file.leading):
        return file
    return replace(file, targets=tuple((path, known.get(path) or real(path)) for path in file.leading))


def _encoded(file: UndecidedFile) -> bytes:
    return msgspec.json.encode(file, enc_hook=str)


def _decoded(body: bytes) -> UndecidedFile:
    return msgspec.json.decode(zlib.decompress(body), type=UndecidedFile, dec_hook=_read)


def _read(kind: type, value: Any) -> Any:
    return kind(value)
