"""Rollback of files: after a change failed half-way, and after a crash in the middle of a change."""

from collections.abc import Iterable, Sequence

from placet.changes.journal.current_files import applied_state, read_current
from placet.changes.journal.raw_file import put_raw, set_permissions, sync_directories
from placet.changes.journal.records import FileRecord
from placet.changes.journal.revert_plan import revert_plan
from placet.core.errors import DocumentError
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import Documents

MOST_TRIES = 10
"""Highest number of tries for a file while the user types in the file."""


async def roll_back(documents: Documents, files: Sequence[FileRecord], *, label: str) -> dict[FileRecord, str]:
    """Roll back the files still holding the change; return the reason for each failure.

    Each file is tried separately, and again after the user's typing came between.
    """
    failures: dict[FileRecord, str] = {}
    for file in reversed(files):
        for _ in range(MOST_TRIES):
            reason = await _put_back_one(documents, file, label)
            if reason is None:
                failures.pop(file, None)
                break
            failures[file] = reason
    return failures


def put(records: Iterable[FileRecord]) -> tuple[list[FileRecord], str]:
    """Carry out, in order, non-text records. Return the finished records, and the reason of a stop. Blocks."""
    done: list[FileRecord] = []
    try:
        for record in records:
            if record.form == "raw":
                put_raw(record.path, record.raw_before, record.raw_after, record.made_directory)
            elif record.new_mode is not None:
                set_permissions(record.path, record.mode, record.new_mode)
            done.append(record)
    except DocumentError as error:
        return done, str(error)
    finally:
        sync_directories(record.path for record in done if record.form == "raw")
    return done, ""


async def _put_back_one(documents: Documents, file: FileRecord, label: str) -> str | None:
    """Try once to roll back the file. Return None on success, otherwise the reason."""
    try:
        plan = await in_thread(revert_plan, [file], await read_current(documents, [file]))
        reason = "".join(verdict.reason for verdict in plan.verdicts)
        if plan.edits:
            outcomes = await documents.apply(plan.edits, edit_id=new_id("chg"), label=label)
            reason = "".join(outcome.reason for outcome in outcomes)
        if plan.others:
            reason += (await in_thread(put, plan.others))[1]
        is_back = await in_thread(applied_state, file, await read_current(documents, [file])) == "before"
    except DocumentError as error:
        return str(error)
    return None if is_back else reason or "the editor did not take the old text back"
