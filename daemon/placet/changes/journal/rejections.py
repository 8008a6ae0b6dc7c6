"""Rejected parts of proposed changes, kept for display and for a later request to apply the parts after all."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from sqlite3 import Row

from placet.changes.journal.on_behalf_of import TurnRef, place_tuples, places
from placet.core.hunks import Hunk
from placet.core.ids import now
from placet.core.ports import FileEditKind
from placet.project.undecodable_names import path_of_stored, stored_name
from placet.storage.database import Database, Statement


@dataclass(frozen=True, slots=True)
class RejectedPart:
    """Rejected hunks of one file, in the form shown."""

    kind: FileEditKind
    path: Path
    hunks: tuple[Hunk, ...]
    is_whole: bool
    """True if nothing of the file was allowed."""
    new_path: Path | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """Rejected parts of a proposed change; the rest may have been applied."""

    change_id: str
    session_id: str
    turn_id: str
    message_id: str
    call_id: str | None
    files: tuple[RejectedPart, ...]
    on_behalf_of: tuple[TurnRef, ...] = ()
    """Places as in ChangeRecord."""
    agent: str = ""
    """Agent of the proposing session, filled in when the record is read."""
    created: int = field(default_factory=now)


def rejection_statements(rejection: Rejection) -> list[Statement]:
    return [
        (
            "INSERT OR REPLACE INTO refusal (change_id, position, session_id, turn_id, message_id, call_id, made_for,"
            " kind, path, new_path, hunks, whole, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                rejection.change_id,
                position,
                rejection.session_id,
                rejection.turn_id,
                rejection.message_id,
                rejection.call_id,
                json.dumps(place_tuples(rejection.on_behalf_of)),
                file.kind,
                stored_name(file.path),
                stored_name(file.new_path),
                json.dumps([asdict(hunk) for hunk in file.hunks]),
                file.is_whole,
                rejection.created,
            ),
        )
        for position, file in enumerate(rejection.files)
    ]


async def read_rejections(database: Database, session_id: str) -> dict[str, Rejection]:
    """Return the rejected parts of the session's changes and of subagents' changes for the session, by change, oldest
    first.
    """
    rows = await database.read(_SEEN_FROM, (session_id,))
    rows_by_change: dict[str, list[Row]] = {}
    for row in rows:
        rows_by_change.setdefault(row["change_id"], []).append(row)
    rejections = map(_rejection, rows_by_change.values())
    return {
        rejection.change_id: rejection
        for rejection in rejections
        if session_id in (rejection.session_id, *(place.session_id for place in rejection.on_behalf_of))
    }


_SEEN_FROM = (
    "WITH RECURSIVE tree (id) AS (SELECT ?1 UNION SELECT session.id FROM tree JOIN session"
    " ON session.parent_id = tree.id) SELECT refusal.*, session.agent FROM tree"
    " JOIN refusal ON refusal.session_id = tree.id JOIN session ON session.id = tree.id"
    " ORDER BY refusal.created, refusal.change_id, refusal.position"
)


def _rejection(rows: Sequence[Row]) -> Rejection:
    first = rows[0]
    return Rejection(
        change_id=first["change_id"],
        session_id=first["session_id"],
        turn_id=first["turn_id"],
        message_id=first["message_id"],
        call_id=first["call_id"],
        files=tuple(map(_part, rows)),
        on_behalf_of=places(first["made_for"]),
        agent=first["agent"],
        created=first["created"],
    )


def _part(row: Row) -> RejectedPart:
    return RejectedPart(
        kind=row["kind"],
        path=Path(os.fsdecode(row["path"])),
        hunks=tuple(
            Hunk(hunk["id"], hunk["old_start"], tuple(hunk["old_lines"]), hunk["new_start"], tuple(hunk["new_lines"]))
            for hunk in json.loads(row["hunks"])
        ),
        is_whole=bool(row["whole"]),
        new_path=path_of_stored(row["new_path"]),
    )
