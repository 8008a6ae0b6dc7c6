"""Attribution of changes made while a command ran: which part is the command's own. Pure.

Changes of ours in the journal and saves reported by the editor are not the command's own. Where both changed a file,
the journal's texts before and after each change of ours separate the command's steps. Changes by another program
meanwhile, or by an editor without reports of saves, cannot be separated from the command's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.commands.snapshot import Difference
from placet.changes.journal.raw_file import HAS_PERMISSIONS, RawFile
from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.core.ports import FileEditKind
from placet.core.values import replace
from placet.text.encoding import Decoded
from placet.text.lines import to_lf


@dataclass(frozen=True, slots=True)
class ConcurrentChanges:
    """Changes to files beside the command."""

    changes: Sequence[ChangeRecord]
    """Changes begun or ended while the command ran, the oldest first; the last may not be applied yet."""
    saved: Mapping[Path, Sequence[str]]
    """Texts saved by the user, as far as the editor reports saves."""


def own_records(differences: Iterable[Difference], concurrent: ConcurrentChanges) -> list[FileRecord]:
    """Return the command's part of the differences, as records for the journal."""
    return [record for difference in differences for record in _records(difference, concurrent)]


def _records(difference: Difference, concurrent: ConcurrentChanges) -> list[FileRecord]:
    path, before, after = difference.path, difference.before, difference.after
    ours = [file for change in concurrent.changes for file in change.files if path in file.paths]
    if any(file.form == "raw" and file.raw_after == after for file in ours):
        return []
    records: list[FileRecord] = []
    if before != after:
        records += _contents(difference, [file for file in ours if file.form == "text"], concurrent.saved.get(path, ()))
    is_text = not any(record.form == "raw" for record in records)
    if is_text and before is not None and after is not None and before.form == after.form == "file":
        explained = any(file.form == "mode" and file.new_mode == after.mode for file in ours)
        if before.mode != after.mode and HAS_PERMISSIONS and not explained:
            records.append(FileRecord("modify", path, mode=before.mode, new_mode=after.mode))
    return records


def _contents(difference: Difference, ours: Sequence[FileRecord], saved: Sequence[str]) -> list[FileRecord]:
    path, before, after = difference.path, difference.before, difference.after
    old, new = _decoded(before), _decoded(after)
    kind = _kind(before, after)
    is_text = (before is None or old is not None) and (after is None or new is not None)
    form = old or new
    if not is_text or form is None or (old and new and _is_another_form(old, new)):
        raw = FileRecord(kind, path, raw_before=before, raw_after=after, made_directory=difference.made_directory)
        return [raw]
    steps = _own_steps(_text(old), _text(new), [_step(file, path) for file in ours], saved)
    mode = None if before is None else before.mode
    made = difference.made_directory if kind == "create" else None
    record = FileRecord(kind, path, encoding=form.encoding, bom=form.bom, mode=mode)
    return [
        replace(
            record, kind=_kind(earlier, later), before=earlier, after=later, made_directory=None if earlier else made
        )
        for earlier, later in steps
    ]


def _own_steps(
    before: str | None, after: str | None, ours: Sequence[tuple[str | None, str | None]], saved: Sequence[str]
) -> list[tuple[str | None, str | None]]:
    """Return the steps from `before` to `after` which neither a change of ours nor a save explains."""
    steps: list[tuple[str | None, str | None]] = []
    explained = [*saved, *(later for _, later in ours)]
    current = before
    for earlier, later in ours:
        if not _same(earlier, current) and not any(_same(earlier, text) for text in saved):
            steps.append((current, earlier))
        current = later
    if saved and not any(_same(saved[-1], later) for _, later in ours):
        current, steps = saved[-1], []  # The user's save replaced every earlier step.
    if not any(_same(after, text) for text in (current, *explained)):
        steps.append((current, after))
    return steps


def _step(file: FileRecord, path: Path) -> tuple[str | None, str | None]:
    """Return the text of the path before and after a change of ours."""
    if file.new_path is None:
        return file.before, file.after
    return (file.before, None) if path == file.path else (None, file.after)


def _kind(before: object, after: object) -> FileEditKind:
    return "create" if before is None else "delete" if after is None else "modify"


def _is_another_form(old: Decoded, new: Decoded) -> bool:
    """Return whether the encoding differs, or only the line endings: texts are merged by lines, so such changes are not
    text.
    """
    return old[1:] != new[1:] or to_lf(old.text) == to_lf(new.text)


def _decoded(raw: RawFile | None) -> Decoded | None:
    return None if raw is None else raw.text


def _text(decoded: Decoded | None) -> str | None:
    return None if decoded is None else decoded.text


def _same(text: str | None, other_text: str | None) -> bool:
    return text == other_text or (text is not None and other_text is not None and to_lf(text) == to_lf(other_text))
