"""Rows of the change set that an act of going back took away, and how the rows come back with the files."""

from pathlib import Path

from placet.changes.journal.records import ChangeRecord
from placet.changes.review.change_sets import ChangeSet, ChangeSets, Row, marked_path, stored_row, undone_place
from placet.project.paths import real
from placet.sessions.going_back.acts import Act, standing_acts
from placet.sessions.services.services import Services


async def rows_before(act: Act, change_set: ChangeSet, sets: ChangeSets) -> list[Row]:
    """Return the rows as before the act, without rows about which the user has decided since. Raises StoreError.

    An unreviewed file that an undo has set aside since is as after the act.
    """
    aside = dict(map(stored_row, await sets.set_aside(change_set.session_id)))
    present, after = dict(map(stored_row, change_set.files)), dict(act.staged_after)
    return [
        (place, file)
        for place, file in act.staged_before
        if present.get(place) == after.get(place)
        or (place not in present and place in aside and aside[place] == after.get(place))
    ]


def no_longer_aside(rows: list[Row]) -> list[Row]:
    """Return the rows, and the rows by which the marked files of the rows are set aside no longer."""
    paths = [path for place, file in rows if file is not None and (path := marked_path(place)) is not None]
    return [*rows, *((undone_place(path), None) for path in paths)]


async def bring_marks_back(services: Services, session_id: str) -> None:
    """Mark the unreviewed changes again that a plain redo has brought forth after the user went back.

    Raises StoreError.
    """
    acts, sets = await standing_acts(services.database, session_id), services.change_sets
    undos = {change.id: change for change in await services.journal.seen_from(session_id)} if acts else {}
    for act in acts:
        if act.undo_id in undos:
            (undo,) = await services.journal.with_files([undos[act.undo_id]])
            change_set, redone = await sets.of(session_id), _redone(undo)
            async with change_set.deciding:
                rows = await rows_before(act, change_set, sets)
                marks = [row for row in rows if (path := marked_path(row[0])) is not None and real(path) in redone]
                await sets.store_rows(session_id, no_longer_aside(marks))


def _redone(undo: ChangeRecord) -> set[Path]:
    """Return the paths of the undo's files that a redo has brought forth again."""
    files = (file for file in undo.files if undo.state == "reverted" or file.is_reverted)
    return {real(path) for file in files for path in file.paths}
