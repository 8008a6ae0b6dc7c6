"""Files of a proposal that no document holds: new and deleted files of a command, files that are not text, symbolic
links, permissions. The user reads each as a text, and the journal keeps the bytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.journal.raw_file import RawFile, described, permissions, read_raw
from placet.changes.journal.records import FileRecord
from placet.core.errors import DocumentError, EditConflict
from placet.core.ports import FileOutcome, ProposedFile
from placet.core.values import replace
from placet.project.paths import real
from placet.project.undecodable_names import spelled
from placet.text.diff import make_hunks, unified_diff
from placet.text.encoding import encode
from placet.text.lines import restore_line_endings, to_lf
from placet.text.plan import EditPlan

RawRecords = Mapping[Path, Sequence[FileRecord]]
"""Records of the files of one proposal, by path. The permissions of a text stand here beside the text's own hunks."""


@dataclass(frozen=True, slots=True)
class CommandPlan(EditPlan):
    """Plan of a command's changes: texts to be modified, and everything else as records."""

    raw: RawRecords


def raw_records(plan: EditPlan) -> RawRecords:
    """Return the records of the plan; only a command's plan has records."""
    return plan.raw if isinstance(plan, CommandPlan) else {}


def raw_proposals(plan: EditPlan, name: Callable[[Path], str]) -> list[ProposedFile]:
    """Return the plan's files that no document holds, as proposals."""
    texts = {file.path for file in plan.files}
    return [raw_proposal(records, name(path)) for path, records in raw_records(plan).items() if path not in texts]


def accepted_records(files: Sequence[ProposedFile], plan: EditPlan) -> list[FileRecord]:
    """Return the records of the accepted files, in the order of the plan, and then the new permissions of created
    and renamed files. Blocks. Raises EditConflict.
    """
    by_path = {file.path: file for file in files if file.changes_anything}
    accepted: list[FileRecord] = []
    for path, records in raw_records(plan).items():
        if (file := by_path.get(path)) is not None:
            accepted += _accepted(file, records) if file.is_raw else records
    for file in files:
        if file.mode is not None and file.kind in ("modify", "rename") and file.changes_anything:
            place = file.new_path or file.path
            accepted.append(FileRecord("modify", place, mode=permissions(file.path), new_mode=file.mode))
    return accepted


def raw_outcomes(files: Iterable[ProposedFile]) -> dict[Path, FileOutcome]:
    """Return the outcomes of the accepted files that no document holds, after the records were carried out."""
    accepted = [file for file in files if file.changes_anything and not file.changes_text]
    return {file.path: FileOutcome(file.path, applied=True, landed_text=file.new_text) for file in accepted}


def raw_targets(plan: EditPlan) -> dict[Path, Path]:
    """Return the directories of the records and where the directories lead: a link itself is changed, not followed."""
    return {path.parent: real(path.parent) for path in raw_records(plan)}


def raw_proposal(records: Sequence[FileRecord], name: str) -> ProposedFile:
    """Return the file that the records change, in a form for the user."""
    record, name = records[0], spelled(name)
    old_text, new_text = _texts(records)
    old_name = "/dev/null" if record.kind == "create" else f"a/{name.lstrip('/')}"
    new_name = "/dev/null" if record.kind == "delete" else f"b/{name.lstrip('/')}"
    return ProposedFile(
        path=record.path,
        kind=record.kind,
        old_text=old_text,
        new_text=new_text,
        hunks=make_hunks(old_text, new_text),
        name=name,
        diff=unified_diff(old_text, new_text, old_name, new_name),
        is_raw=True,
    )


def _accepted(file: ProposedFile, records: Sequence[FileRecord]) -> list[FileRecord]:
    """Return the records with the accepted part of the file."""
    _, new_text = _texts(records)
    if file.new_text == new_text or file.kind == "delete":
        return list(records)
    return [replace(record, raw_after=_with_text(record, file.new_text)) for record in records]


def refuse_changed(files: Iterable[ProposedFile], plan: EditPlan) -> None:
    """Raise EditConflict if a file of a record is no longer as before the command. Blocks."""
    paths = {file.path for file in files if file.is_raw and file.changes_anything}
    for record in (record for path, records in raw_records(plan).items() if path in paths for record in records):
        try:
            current = read_raw(record.path) if record.form == "raw" else None
            mode = permissions(record.path)
        except DocumentError as error:
            raise EditConflict(str(error)) from error
        same = current == record.raw_before if record.form == "raw" else mode == record.mode
        if not same:
            raise EditConflict(f"{record.path} has changed since the command ran, so nothing was changed.")


def _texts(records: Sequence[FileRecord]) -> tuple[str, str]:
    """Return the texts before and after that the user compares."""
    record = records[0]
    if record.form == "mode":
        return f"permissions {record.mode or 0:o}\n", f"permissions {record.new_mode or 0:o}\n"
    before, after = record.raw_before, record.raw_after
    old, new = (None if raw is None else raw.text for raw in (before, after))
    is_text = (before is None or old is not None) and (after is None or new is not None)
    old_text, new_text = to_lf(old.text if old else ""), to_lf(new.text if new else "")
    if is_text and (before is None or after is None or old_text != new_text):
        return old_text, new_text
    return described(before), described(after)


def _with_text(record: FileRecord, text: str) -> RawFile | None:
    """Return the file after the change with the user's own text, or with a part of the hunks."""
    after = record.raw_after
    if after is None or (decoded := after.text) is None:
        raise EditConflict(f"{record.path} can only be accepted or rejected whole.")
    return RawFile("file", encode(restore_line_endings(decoded.text, text), decoded.encoding, decoded.bom), after.mode)
