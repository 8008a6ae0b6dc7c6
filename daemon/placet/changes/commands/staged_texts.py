"""Texts of a command's changes that can join a change set, and the rest, which is asked. Pure but for the umask.

A staged file is a text, and a file to be created can have permissions of its own. Other files, links and permissions
stay records, and so does a file in the place of a directory, or the reverse: such files arrive together or not at all.
"""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import FileRecord
from placet.changes.propose.proposal import BOM
from placet.changes.propose.raw_proposal import CommandPlan
from placet.text.encoding import Decoded
from placet.text.lines import own_line_ending, to_lf
from placet.text.plan import PlannedFile

ANY_WRITE = 0o222
NO_MODE = "it is staged, and its permissions can be set only after it is written"
_OWNERS = 0o600
_STAGEABLE = 0o777
_USUAL = 0o666
_STATUS = Path("/proc/self/status")
_UMASK = "Umask:"


def stageable(plan: CommandPlan, joins: Callable[[Path], bool]) -> list[PlannedFile]:
    """Return the changes of the plan that can join the change set; `joins` says which files are wanted there."""
    files = [file for file in plan.files if joins(file.path) and not _becomes_read_only(file.path, plan)]
    swapped = _swapped(plan)
    for path, records in plan.raw.items():
        if joins(path) and path not in swapped and (file := _text_change(path, records)) is not None:
            files.append(file)
    return files


def rest_of(plan: CommandPlan, staged: Sequence[Path]) -> CommandPlan:
    """Return the plan without the staged files; the permissions of a staged text stay in the plan."""
    files = tuple(file for file in plan.files if file.path not in staged)
    texts = {file.path for file in plan.files}
    raw = {path: records for path, records in plan.raw.items() if path not in staged or path in texts}
    return CommandPlan(plan.title, files, raw)


def created_text(after: RawFile) -> str | None:
    """Return the text of a new file with its BOM and line endings, or None where a staged file could not hold it."""
    text = after.text
    if text is None or text.encoding != "utf-8" or not has_one_line_ending(text):
        return None
    return BOM + text.text if text.bom else text.text


def has_one_line_ending(text: Decoded) -> bool:
    """Return whether all lines end alike, so that the text with LF and the line ending give the text back."""
    return to_lf(text.text).replace("\n", own_line_ending(text.text)) == text.text


def has_stageable_mode(mode: int) -> bool:
    """Return whether a staged file can have the permission bits: the owner reads and writes, and no bit is special."""
    return mode & _OWNERS == _OWNERS and not mode & ~_STAGEABLE


@cache
def usual_mode() -> int:
    """Return the permission bits of a file made without further ado."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return _USUAL & ~0o022
    umask = next((line.removeprefix(_UMASK) for line in lines if line.startswith(_UMASK)), "022")
    return _USUAL & ~int(umask, 8)


def _becomes_read_only(path: Path, plan: CommandPlan) -> bool:
    """Return whether the plan takes the right to write the file away, so that no text could be written afterwards."""
    modes = (record.new_mode for record in plan.raw.get(path, ()))
    return any(mode is not None and not mode & ANY_WRITE for mode in modes)


def _text_change(path: Path, records: Sequence[FileRecord]) -> PlannedFile | None:
    """Return the records of a file as a change of a text; None where the change is more than a text."""
    record = records[0]
    before, after = record.raw_before, record.raw_after
    match record.kind:
        case "create" if after is not None and after.mode is not None and has_stageable_mode(after.mode):
            text, mode = created_text(after), None if after.mode == usual_mode() else after.mode
            return None if text is None else PlannedFile("create", path, None, text, mode=mode)
        case "delete" if before is not None and before.text is not None:
            return PlannedFile("delete", path, to_lf(before.text.text), None)
        case _:
            return None


def _swapped(plan: CommandPlan) -> set[Path]:
    """Return the created and deleted paths of which one lies below the other."""
    kinds = {path: records[0].kind for path, records in plan.raw.items()}
    kinds |= {file.path: file.kind for file in plan.files}
    deleted = {path for path, kind in kinds.items() if kind == "delete"}
    swapped: set[Path] = set()
    for path in (path for path, kind in kinds.items() if kind == "create"):
        crossed = {other for other in deleted if path in other.parents or other in path.parents}
        swapped |= crossed | ({path} if crossed else set())
    return swapped
