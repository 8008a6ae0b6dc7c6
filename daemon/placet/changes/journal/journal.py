"""Journal of changes: stores every change with the texts before and after, before the change is applied, so that the
change can be undone and a crash in the middle of a change can be mended.
"""

import asyncio
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from sqlite3 import Row
from typing import get_args

import msgspec

from placet.changes.journal.back_step import BackStep
from placet.changes.journal.current_files import applied_state, read_current
from placet.changes.journal.directory_modes import DIRECTORIES, directory_statements, stored_modes
from placet.changes.journal.on_behalf_of import MADE_FOR, SEEN_FROM, place_statements, places
from placet.changes.journal.raw_file import Form, RawFile
from placet.changes.journal.records import AllowedBy, ChangeRecord, FileRecord, RecordKind, RecordState, Settlement
from placet.changes.journal.rejections import Rejection, read_rejections, rejection_statements
from placet.changes.journal.rollback import roll_back
from placet.changes.locks import locked
from placet.core.errors import DocumentError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.core.ports import Documents
from placet.core.values import replace
from placet.project.files.disk import DiskDocuments, leftovers
from placet.project.paths import real, real_paths
from placet.project.undecodable_names import path_of_stored, stored_name
from placet.storage.database import Database, Statement
from placet.storage.owner import is_alive, this_process
from placet.storage.unsaved_notes import unsaved_elsewhere


class Journal:
    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def database(self) -> Database:
        return self._database

    @property
    def locks(self) -> Path | None:
        """Directory of the locks between the processes with this journal; None for a journal in memory."""
        return None if self._database.path is None else self._database.path.parent / "locks"

    async def unsaved_elsewhere(self, paths: Iterable[Path]) -> dict[Path, str]:
        """Return the paths of the files that editors of other processes hold with unsaved text, each with the reason to
        leave the file alone.
        """

        def look() -> dict[Path, str]:
            targets = real_paths(paths)
            held = unsaved_elsewhere(self._database.path, targets.values())
            return {path: held[target] for path, target in targets.items() if target in held}

        reason = "has unsaved changes in an editor of another Placet (process {}). Save the file there, and try again."
        return {path: reason.format(process) for path, process in (await in_thread(look)).items()}

    def is_beside(self, path: Path) -> bool:
        """Return whether the file lies in the directory of the journal, where Placet keeps its own files."""
        directory = self._database.path
        return directory is not None and real(path).is_relative_to(real(directory.parent))

    async def planned(self, change: ChangeRecord) -> None:
        """Store the change with all texts; return when a power cut can no longer lose the change. Raises StoreError."""
        await self._stored(await in_thread(_statements, change), durable=True)

    async def applied(self, change: ChangeRecord) -> None:
        """Store that the change is applied, with the texts of `change` (a formatter's included) and the change's
        settlement.
        """
        statements = await in_thread(_statements, replace(change, state="applied"))
        await self._stored([*statements, *_settling(change.settles)])

    async def applied_as_planned(self, change: ChangeRecord) -> None:
        """Store that the change is applied exactly as stored by `planned`, with the change's settlement: the texts need
        not be hashed and stored again.
        """
        await self.settle(_settled_by(change, "applied"))

    async def rejected(self, rejection: Rejection) -> None:
        """Store the rejected parts of a change, whatever became of the rest. Raises StoreError."""
        await self._stored(rejection_statements(rejection))

    async def unsure(self, change: ChangeRecord) -> None:
        """Store that the outcome of the change is not known yet; `change` has only the files in question."""
        await self._stored(await in_thread(_statements, replace(change, state="unsure")))

    async def unsettled(self, session_id: str) -> list[ChangeRecord]:
        """Return the session's own changes with an unknown outcome, without their files."""
        query = f"{_CHANGES} WHERE session_id = ? AND state = 'unsure' ORDER BY id"
        return [_change(row) for row in await self._database.read(query, (session_id,))]

    async def state(self, change_id: str) -> RecordState | None:
        """Return the stored state of the change, or None if the change is not known."""
        rows = await self._database.read(f"{_CHANGES} WHERE id = ?", (change_id,))
        return _change(rows[0]).state if rows else None

    async def failed(self, change_id: str) -> None:
        """Store that the change is not in the documents."""
        await self.settle(Settlement(((change_id, "failed"),)))

    async def settle(self, settlement: Settlement) -> None:
        """Store the states of changes and of their files in one transaction."""
        await self._stored(_settling(settlement))

    async def changes(self, session_id: str) -> list[ChangeRecord]:
        """Return the session's own changes, oldest first, without their files (these may be many)."""
        rows = await self._database.read(f"{_CHANGES} WHERE session_id = ? ORDER BY id", (session_id,))
        return [_change(row) for row in rows]

    async def seen_from(self, session_id: str) -> list[ChangeRecord]:
        """Return the session's own changes and the changes made for the session by subagents at any depth, without
        files.
        """
        # An id is given before the user is asked, and several agents may wait for an answer side by side.
        rows = await self._database.read(f"{_CHANGES} WHERE id IN {SEEN_FROM} ORDER BY created, id", (session_id,))
        return [_change(row) for row in rows]

    async def since(self, moment: int) -> list[ChangeRecord]:
        """Return the changes begun by any session since `moment` (milliseconds), oldest first, without files."""
        rows = await self._database.read(f"{_CHANGES} WHERE created >= ? ORDER BY created, id", (moment,))
        return [_change(row) for row in rows]

    async def with_files(self, changes: Iterable[ChangeRecord]) -> list[ChangeRecord]:
        """Return the same changes with files and texts."""
        return [
            replace(change, files=await self.files(change.id), directories=await self._directories(change.id))
            for change in changes
        ]

    async def describe(self, session_id: str) -> list[JsonObject]:
        """Return the changes of the session and of the session's subagents as data for a screen, oldest first, without
        texts.
        """
        rows = await self._database.read(_DESCRIBED, (session_id,))
        described: dict[str, JsonObject] = {}
        for row in rows:
            files = described.setdefault(row["id"], _described(row))["files"]
            if row["path"] is not None:
                files.append(_described_file(row))
        return list(described.values())

    async def files(self, change_id: str) -> tuple[FileRecord, ...]:
        """Return the files of a change with their texts, in their order."""
        rows = await self._database.read(
            "SELECT file.*, old.body AS old_body, new.body AS new_body FROM change_file AS file "
            "LEFT JOIN content AS old ON old.sha256 = file.before LEFT JOIN content AS new ON new.sha256 = file.after "
            "WHERE change_id = ? ORDER BY position",
            (change_id,),
        )
        return await in_thread(lambda: tuple(map(_file, rows)))

    async def _directories(self, change_id: str) -> tuple[tuple[Path, int], ...]:
        return stored_modes(await self._database.read(DIRECTORIES, (change_id,)))

    async def rejections(self, session_id: str) -> dict[str, Rejection]:
        """Return the rejected parts of changes of the session and of subagents, by change, oldest first."""
        return await read_rejections(self._database, session_id)

    async def recover(self, documents: Documents | None = None) -> list[ChangeRecord]:
        """Settle the changes left `planned` by a crash: applied, failed, or (half done) rolled back. Return the settled
        changes.

        A change of a running daemon is left to the daemon. Without `documents`, the disk is read.
        """
        documents = documents or DiskDocuments()
        settled: list[ChangeRecord] = []
        rows = await self._database.read(f"{_CHANGES} WHERE state = 'planned' ORDER BY id")
        for change in await self.with_files(_change(row) for row in rows if _is_orphan(row)):
            async with locked([path for file in change.files for path in file.paths], self.locks):
                if await self._is_planned(change.id):
                    settled.append(await self._recover_one(documents, change))
        return settled

    async def _is_planned(self, change_id: str) -> bool:
        """Return whether no other process has settled the change meanwhile."""
        return bool(await self._database.read("SELECT 1 FROM change WHERE id = ? AND state = 'planned'", (change_id,)))

    async def _recover_one(self, documents: Documents, change: ChangeRecord) -> ChangeRecord:
        state, left = await _settle(documents, change)
        await in_thread(_remove_leftovers, change)
        if left:
            await self.applied(replace(change, files=left, settles=Settlement()))
        else:
            await self.settle(_settled_by(change, state))
        return replace(change, state=state)

    async def _stored(self, statements: Sequence[Statement], *, durable: bool = False) -> None:
        await asyncio.wrap_future(self._database.transaction(statements, durable=durable))


_CHANGES = f"SELECT change.*, {MADE_FOR} AS made_for FROM change"  # noqa: S608
_DESCRIBED = (
    "SELECT change.*, file.kind AS file_kind, file.path, file.new_path, file.reverted, session.agent, "  # noqa: S608
    "place.turn_id AS for_turn, place.message_id AS for_message FROM change "
    "JOIN session ON session.id = change.session_id "
    "LEFT JOIN change_for AS place ON place.change_id = change.id AND place.session_id = ?1 "
    "LEFT JOIN change_file AS file ON file.change_id = change.id "
    f"WHERE change.id IN {SEEN_FROM} ORDER BY change.created, change.id, file.position"
)


def _is_orphan(row: Row) -> bool:
    return row["owner"] != this_process() and not is_alive(row["owner"])


async def _settle(documents: Documents, change: ChangeRecord) -> tuple[RecordState, tuple[FileRecord, ...]]:
    """Settle the change. Return the state, and the files still holding the change because a rollback failed."""
    try:
        current = await read_current(documents, change.files)
        states = {applied_state(file, current) for file in change.files}
    except DocumentError:
        states = {"mixed"}
    if states == {"after"}:
        return "applied", ()
    if states == {"before"}:
        return "failed", ()
    failures = await roll_back(documents, change.files, label="Put back a change that was interrupted")
    left = tuple([file for file in failures if await _stands(documents, file)])
    return ("applied", left) if left else ("failed", ())


async def _stands(documents: Documents, file: FileRecord) -> bool:
    try:
        return applied_state(file, await read_current(documents, [file])) == "after"
    except DocumentError:
        return False


def _remove_leftovers(change: ChangeRecord) -> None:
    """Remove temporary files left by dead processes beside the files of the change."""
    for file in change.files:
        for path in file.paths:
            for leftover, process in leftovers(path):
                if not is_alive(str(process)):
                    with suppress(OSError):
                        leftover.unlink(missing_ok=True)


def _settled_by(change: ChangeRecord, state: RecordState) -> Settlement:
    """Return a settlement with this state of the change; an applied change's own settlement is included."""
    own: tuple[tuple[str, RecordState], ...] = ((change.id, state),)
    return replace(change.settles, states=own + change.settles.states) if state == "applied" else Settlement(own)


def _settling(settlement: Settlement) -> list[Statement]:
    statements: list[Statement] = [
        ("UPDATE change SET state = ? WHERE id = ?", (state, id)) for id, state in settlement.states
    ]
    statements += [
        ("UPDATE change_file SET reverted = ? WHERE change_id = ? AND position = ?", (is_so, id, position))
        for id, position, is_so in settlement.reverted
    ]
    return statements if settlement.back is None else [*statements, *settlement.back.statements]


def _statements(change: ChangeRecord) -> list[Statement]:
    """Return statements which store the whole change and replace any earlier version. Hashes the texts, so the call is
    slow.
    """
    statements: list[Statement] = [
        ("DELETE FROM change WHERE id = ?", (change.id,)),
        (
            "INSERT INTO change "
            "(id, session_id, turn_id, message_id, call_id, kind, state, allowed_by, undoes, settles, owner, created) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                change.id,
                change.session_id,
                change.turn_id,
                change.message_id,
                change.call_id,
                change.kind,
                change.state,
                change.allowed_by,
                " ".join(change.undoes) or None,
                _stored_settlement(change.settles) if change.undoes else None,
                this_process(),
                change.created,
            ),
        ),
    ]
    statements += place_statements(change.id, change.on_behalf_of)
    statements += directory_statements(change.id, change.directories)
    for position, file in enumerate(change.files):
        before, after = _content(file.before, file.raw_before), _content(file.after, file.raw_after)
        statements += [(_KEEP, content) for content in (before, after) if content is not None]
        statements.append(
            (
                "INSERT INTO change_file "
                "(change_id, position, kind, path, new_path, before, after, encoding, bom, mode, before_form, "
                "after_form, new_mode, made_directory, reverted, edited, target, new_target) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    change.id,
                    position,
                    file.kind,
                    stored_name(file.path),
                    stored_name(file.new_path),
                    before and before[0],
                    after and after[0],
                    file.encoding,
                    file.bom,
                    _mode(file.raw_before) if file.form == "raw" else file.mode,
                    file.raw_before and file.raw_before.form,
                    file.raw_after and file.raw_after.form,
                    _mode(file.raw_after) if file.form == "raw" else file.new_mode,
                    stored_name(file.made_directory),
                    file.is_reverted,
                    file.is_edited,
                    stored_name(file.target),
                    stored_name(file.new_target),
                ),
            )
        )
    return statements


_KEEP = (
    "INSERT INTO content (sha256, body) "
    "SELECT ?1, packed(?2) WHERE NOT EXISTS (SELECT 1 FROM content WHERE sha256 = ?1)"
)
"""Statement which stores a text once: most texts occur twice, after one change and before the next, and packing is the
slowest step.
"""


def _content(text: str | None, raw: RawFile | None) -> tuple[str, bytes] | None:
    if raw is None and text is None:
        return None
    data = raw.data if raw is not None else (text or "").encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest(), data


def _mode(raw: RawFile | None) -> int | None:
    return None if raw is None else raw.mode


def _change(row: Row) -> ChangeRecord:
    kinds: dict[str, RecordKind] = {kind: kind for kind in get_args(RecordKind)}
    states: dict[str, RecordState] = {state: state for state in get_args(RecordState)}
    allowances: dict[str | None, AllowedBy] = {name: name for name in get_args(AllowedBy)}
    return ChangeRecord(
        id=row["id"],
        session_id=row["session_id"],
        turn_id=row["turn_id"],
        message_id=row["message_id"],
        call_id=row["call_id"],
        kind=kinds[row["kind"]],
        state=states[row["state"]],
        allowed_by=allowances.get(row["allowed_by"]),
        undoes=tuple((row["undoes"] or "").split()),
        settles=_settlement(row["settles"]),
        on_behalf_of=places(row["made_for"]),
        created=row["created"],
        files=(),
    )


def _stored_settlement(settlement: Settlement) -> str:
    back = () if settlement.back is None else (msgspec.to_builtins(settlement.back),)
    return json.dumps((settlement.states, settlement.reverted, *back))


def _settlement(written: str | None) -> Settlement:
    states, reverted, *back = json.loads(written or "[[], []]")
    steps = [msgspec.convert(step, BackStep) for step in back]
    return Settlement(tuple(map(tuple, states)), tuple(map(tuple, reverted)), steps[0] if steps else None)


def _file(row: Row) -> FileRecord:
    is_raw = row["before_form"] is not None or row["after_form"] is not None
    return FileRecord(
        kind=row["kind"],
        path=Path(os.fsdecode(row["path"])),
        before=None if is_raw else _text(row["old_body"]),
        after=None if is_raw else _text(row["new_body"]),
        new_path=path_of_stored(row["new_path"]),
        encoding=row["encoding"],
        bom=bool(row["bom"]),
        mode=None if is_raw else row["mode"],
        new_mode=None if is_raw else row["new_mode"],
        raw_before=_raw(row["before_form"], row["old_body"], row["mode"]),
        raw_after=_raw(row["after_form"], row["new_body"], row["new_mode"]),
        made_directory=path_of_stored(row["made_directory"]),
        is_reverted=bool(row["reverted"]),
        is_edited=bool(row["edited"]),
        target=path_of_stored(row["target"]),
        new_target=path_of_stored(row["new_target"]),
    )


def _text(body: bytes | None) -> str | None:
    return None if body is None else zlib.decompress(body).decode("utf-8", "surrogatepass")


def _raw(form: Form | None, body: bytes | None, mode: int | None) -> RawFile | None:
    return None if form is None or body is None else RawFile(form, zlib.decompress(body), mode)


def _described(row: Row) -> JsonObject:
    """Return the change as data; a subagent's change stands at the message with the subagent's call."""
    place: JsonObject = {"turnId": row["turn_id"], "messageId": row["message_id"], "callId": row["call_id"]}
    if row["for_turn"] is not None:
        place = {"turnId": row["for_turn"], "messageId": row["for_message"]}
        place |= {"madeIn": row["session_id"], "agent": row["agent"]}
    return {
        "id": row["id"],
        **place,
        "kind": row["kind"],
        "state": row["state"],
        **({} if row["allowed_by"] is None else {"allowedBy": row["allowed_by"]}),
        "undoes": (row["undoes"] or "").split(),
        "created": row["created"],
        "files": [],
    }


def _described_file(row: Row) -> JsonObject:
    new_uri = {} if row["new_path"] is None else {"newUri": Path(os.fsdecode(row["new_path"])).as_uri()}
    reverted = {"reverted": True} if row["reverted"] else {}
    return {"uri": Path(os.fsdecode(row["path"])).as_uri(), "kind": row["file_kind"], **new_uri, **reverted}
