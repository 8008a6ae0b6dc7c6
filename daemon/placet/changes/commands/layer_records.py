"""Records of a command's changes for a proposal, from the files that stay in the command's layers. Blocks."""

import os
import posixpath
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from placet.changes.commands.attribution import ConcurrentChanges, own_records
from placet.changes.commands.snapshot import Difference, FileSnapshot
from placet.changes.commands.staged_texts import ANY_WRITE, NO_MODE, created_text, has_stageable_mode, usual_mode
from placet.changes.journal.raw_file import RawFile, permissions, read_raw
from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.core.errors import DocumentError
from placet.core.regular_files import UnfitFile, read_regular_file
from placet.core.values import replace
from placet.project.paths import Workspace, real
from placet.project.undecodable_names import spelled
from placet.sandbox.overlay.harvest import Harvest
from placet.sandbox.overlay.layers import OverlayMount
from placet.sandbox.overlay.staged_layer import BaseView
from placet.text.lines import to_lf
from placet.text.plan import PlannedFile

MOST_FILE_BYTES = 8 << 20
MOST_BYTES = 64 << 20
"""Most bytes in all files of a proposal: the journal keeps each file before and after."""
MOST_FILES = 5000
"""Most files in a proposal with new directories: nobody reads a question about more, and each file costs time."""

_NOTHING_CONCURRENT = ConcurrentChanges((), {})
_CHANGED = "it was changed by something else while the command ran"
_UNSAVED = "it is open with the user's unsaved changes"
_SPECIAL = "only the user removes or replaces a pipe, a socket or a device of the project"
_TOO_LARGE = "it is too large to be proposed"
_NO_TEXT_BEFORE = "it is staged and no text, so that it can be changed only after it is written"
_NO_TEXT = "it is staged, and a staged file can only become a text of the same encoding and line ends"


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Knowledge about changes by others while the command ran."""

    started: int
    """Time of the file system in nanoseconds when the layer was made."""
    files: Mapping[str, FileSnapshot | None]
    """Files when the command began, by real path; only a few."""
    changes: Sequence[ChangeRecord]
    """Changes of Placet's own since then, the oldest first."""
    unsaved: frozenset[Path]


@dataclass(slots=True)
class LayerRecords:
    """Changes of a command in the forms of a proposal."""

    texts: list[PlannedFile] = field(default_factory=list[PlannedFile])
    """Changed texts; of staged files created and deleted texts too."""
    raw: dict[Path, list[FileRecord]] = field(default_factory=dict[Path, list[FileRecord]])
    """Records of all other changes, deletions first, so that a file can take a directory's place."""
    doubtful: set[Path] = field(default_factory=set[Path])
    """Texts that others changed meanwhile, and staged texts, which the user may have decided meanwhile."""
    left_out: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    """Files that cannot be proposed, each with the reason."""


class _LeftOut(Exception):
    """The file cannot be proposed, for the reason in the text."""


def layer_records(harvests: Iterable[Harvest], workspace: Workspace, meanwhile: Meanwhile) -> LayerRecords:
    """Return the records of the files that stay in the layers."""
    records = LayerRecords()
    bytes_left = MOST_BYTES
    for harvest in harvests:
        root = next((root for root in workspace.roots if real(root) == harvest.mount.lower), harvest.mount.lower)
        crowded, base = _crowded(harvest), BaseView(harvest.mount)
        records.left_out += [
            (root / directory, f"it holds {count} new files, too many to be proposed")
            for directory, count in crowded.items()
        ]
        written = dict.fromkeys(path for path in harvest.written if crowded.keys().isdisjoint(_parents(path)))
        # A file written in the place of a deleted file appears as written alone; a directory's name appears in both.
        for relative in (*(path for path in harvest.deleted if path not in written), *written):
            path = root / relative
            after = harvest.mount.upper / relative if relative in written else None
            try:
                if base.is_staged(relative):
                    bytes_left -= _add_staged(path, harvest.mount, relative, after, records, bytes_left)
                    continue
                difference, is_doubtful = _difference(path, after, meanwhile, bytes_left)
            except _LeftOut as error:
                records.left_out.append((path, str(error)))
                continue
            if difference is not None:
                bytes_left -= sum(len(raw.data) for raw in (difference.before, difference.after) if raw is not None)
                gone = _outermost(relative, harvest.layer.deleted_directories)
                _add(difference, records, meanwhile, is_doubtful, None if gone is None else root / gone)
    return records


def _add(
    difference: Difference, records: LayerRecords, meanwhile: Meanwhile, is_doubtful: bool, gone: Path | None
) -> None:
    path = difference.path
    for record in own_records([difference], _NOTHING_CONCURRENT):
        if record.form == "text" and record.kind == "modify" and _is_editable(path):
            texts = to_lf(record.before or ""), to_lf(record.after or "")
            records.texts.append(PlannedFile("modify", path, *texts))
            if is_doubtful or path in meanwhile.unsaved:
                records.doubtful.add(path)
        elif record.form == "mode":
            records.raw.setdefault(path, []).append(record)
        elif path in meanwhile.unsaved or is_doubtful:
            records.left_out.append((path, _UNSAVED if path in meanwhile.unsaved else _CHANGED))
        else:
            made = gone if record.kind == "delete" else _made_directory(path)
            raw = FileRecord(record.kind, path, raw_before=difference.before, raw_after=difference.after)
            records.raw[path] = [replace(raw, made_directory=made)]
            return  # The bytes bring their permissions with them.


def _add_staged(
    path: Path, mount: OverlayMount, relative: str, after_path: Path | None, records: LayerRecords, bytes_left: int
) -> int:
    """Add the change of a staged file, compared with the staged text; return the number of bytes."""
    assert mount.staged is not None
    staged = mount.staged / relative
    before = _read_layer(staged, bytes_left) if staged.is_symlink() or staged.is_file() else None
    after = None if after_path is None else _read_layer(after_path, bytes_left)
    if before is not None and before.text is None and not _same(before, after):
        raise _LeftOut(_NO_TEXT_BEFORE)
    planned = _planned(path, before, after)
    if after is not None:
        planned = _with_mode(path, planned, before, after, records)
    if planned is not None:
        records.texts.append(planned)
        records.doubtful.add(path)
    return sum(len(raw.data) for raw in (before, after) if raw is not None)


def _planned(path: Path, before: RawFile | None, after: RawFile | None) -> PlannedFile | None:
    """Return the change of a staged text, None for no change; the staged text has the permissions of the disk."""
    old, new = (None if raw is None else raw.text for raw in (before, after))
    if before == after:
        return None
    if after is None:
        return None if old is None else PlannedFile("delete", path, to_lf(old.text), None)
    if old is None:
        text = created_text(after)
        if before is not None or text is None:
            raise _LeftOut(_NO_TEXT)
        return PlannedFile("create", path, None, text)
    if new is None or new[1:] != old[1:] or to_lf(new.text) == to_lf(old.text):
        raise _LeftOut(_NO_TEXT)
    return PlannedFile("modify", path, to_lf(old.text), to_lf(new.text))


def _with_mode(
    path: Path, planned: PlannedFile | None, before: RawFile | None, after: RawFile, records: LayerRecords
) -> PlannedFile | None:
    """Return the change of a staged text with the permissions that the command has set, if the file is not on the disk
    yet; add a record for the permissions of a file on the disk, and leave permissions out with which the staged text
    could not be written.
    """
    mode, new_mode = permissions(path), after.mode
    old_mode = mode if before is None else before.mode
    if new_mode is None or new_mode == (usual_mode() if old_mode is None else old_mode):
        return planned
    if mode is not None and new_mode & ANY_WRITE:
        records.raw[path] = [FileRecord("modify", path, mode=mode, new_mode=new_mode)]
    elif mode is None and has_stageable_mode(new_mode) and (decoded := after.text) is not None:
        text = to_lf(decoded.text)
        return replace(planned or PlannedFile("modify", path, text, text), mode=new_mode)
    else:
        records.left_out.append((path, NO_MODE))
    return planned


def _difference(
    path: Path, after_path: Path | None, meanwhile: Meanwhile, bytes_left: int
) -> tuple[Difference | None, bool]:
    """Return the command's difference, None if there is none, and whether others changed the file meanwhile."""
    current = _read_current(path, bytes_left)
    after = None if after_path is None else _read_layer(after_path, bytes_left)
    if _same(current, after):
        return None, False
    before = _before(path, current, meanwhile)
    if _same(before, after):
        return None, False
    return Difference(path, before, after), not _same(before, current)


def _before(path: Path, current: RawFile | None, meanwhile: Meanwhile) -> RawFile | None:
    """Return the file that the command saw: the current file, unless others changed the file while the command ran."""
    try:
        is_as_before = path.lstat().st_ctime_ns <= meanwhile.started
    except (FileNotFoundError, NotADirectoryError):
        is_as_before = False
    if is_as_before:
        return current
    for file in _own_changes(path, meanwhile.changes):
        return file.as_raw.raw_before if file.form == "text" else file.raw_before if file.form == "raw" else current
    snapshot = meanwhile.files.get(str(real(path.parent) / path.name))
    if snapshot is not None and snapshot.raw is not None:
        return snapshot.raw
    if current is not None:
        raise _LeftOut(_CHANGED)
    return None


def _own_changes(path: Path, changes: Sequence[ChangeRecord]) -> Iterator[FileRecord]:
    return (file for change in changes for file in change.files if file.path == path)


def _read_current(path: Path, most_bytes: int) -> RawFile | None:
    try:
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            return None  # The directory's files are proposed as deleted.
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            raise _LeftOut(_SPECIAL)
        if status.st_size > min(most_bytes, MOST_FILE_BYTES):
            raise _LeftOut(_TOO_LARGE)
        return read_raw(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, DocumentError) as error:
        raise _LeftOut(f"it cannot be read: {error}") from error


def _read_layer(path: Path, most_bytes: int) -> RawFile:
    """Return the file or link of a layer, also a file that the command made unreadable."""
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return RawFile("link", os.fsencode(os.readlink(path)))  # noqa: PTH115 - a Path would change the target's spelling
        if not status.st_mode & stat.S_IRUSR:
            path.chmod(0o600)
        data = read_regular_file(path, min(most_bytes, MOST_FILE_BYTES))
        return RawFile("file", data, stat.S_IMODE(status.st_mode))
    except UnfitFile as error:
        raise _LeftOut(_TOO_LARGE) from error
    except OSError as error:
        raise _LeftOut(f"it cannot be read: {error.strerror or error}") from error


def _same(first: RawFile | None, second: RawFile | None) -> bool:
    """Return whether the files are equal, permissions included."""
    return first == second and (first is None or second is None or first.mode == second.mode)


def _is_editable(path: Path) -> bool:
    """Return whether the file can be edited as a document: a writable file with a name in UTF-8."""
    return spelled(str(path)) == str(path) and os.access(path, os.W_OK) and bool(path.stat().st_mode & 0o222)


def _made_directory(path: Path) -> Path | None:
    """Return the outermost directory to make for the file; a file may stand in the place of the directory now."""
    missing = [parent for parent in path.parents if parent.is_symlink() or not parent.is_dir()]
    return missing[-1] if missing else None


def _crowded(harvest: Harvest) -> dict[str, int]:
    """Return the outermost new directories to leave out, the fullest first, until few enough files stay; each with the
    number of files.
    """
    tops = {
        path for path in harvest.layer.made_directories if posixpath.dirname(path) not in harvest.layer.made_directories
    }
    counts = Counter(parent for path in harvest.written for parent in _parents(path) if parent in tops)
    number, crowded = len(harvest.written), dict[str, int]()
    for directory, count in counts.most_common():
        if number <= MOST_FILES:
            break
        crowded[directory] = count
        number -= count
    return crowded


def _parents(relative: str) -> Iterator[str]:
    while relative := posixpath.dirname(relative):
        yield relative


def _outermost(relative: str, directories: Sequence[str]) -> str | None:
    """Return the outermost deleted directory around the file."""
    around = [directory for directory in directories if relative.startswith(f"{directory}/")]
    return min(around, key=len, default=None)
