"""Snapshot of the project's files before a command, so that the command's changes can be reported and undone.

Contents are kept in memory, packed, and read again only when the file's times, size or inode say so; git's own rule for
"racy" files tells when the times can be trusted. Blocks.
"""

import os
import stat
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from placet.changes.commands.listing import UNSETTLED_NS, Listing
from placet.changes.journal.raw_file import RawFile
from placet.core.regular_files import open_without_waiting

MOST_FILE_BYTES = 2 << 20
MOST_BYTES = 64 << 20
MOST_FILES = 10_000
"""Highest number of files whose contents are kept; MOST_BYTES limits the bytes of all contents."""
MOST_SECONDS = 2.0
"""Longest time for reading contents for one command; the next command goes on with the rest."""

Stamp = tuple[int, int, int, int, int]
"""Times of the last write and the last change (nanoseconds), size, inode and mode."""


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """File or symbolic link as last looked at."""

    stamp: Stamp
    packed: bytes | None
    """Content, or a link's target, packed by zlib; None if the content is not kept."""
    is_settled: bool
    """True if the same stamp later means the same content."""

    @property
    def mode(self) -> int:
        return stat.S_IMODE(self.stamp[4])

    @property
    def is_regular(self) -> bool:
        return stat.S_ISREG(self.stamp[4])

    @property
    def raw(self) -> RawFile | None:
        """Return the file as it was, or None if the content is not kept."""
        if self.packed is None:
            return None
        data = zlib.decompress(self.packed)
        return RawFile("file", data, self.mode) if self.is_regular else RawFile("link", data)

    def has_content_of(self, other: "FileSnapshot") -> bool:
        """Return whether the content is the same by the stamps alone, whatever became of the permissions."""
        (written, _, size, inode, _), (was_written, _, was_size, was_inode, _) = self.stamp, other.stamp
        return self.is_settled and (written, size, inode) == (was_written, was_size, was_inode)


@dataclass(frozen=True, slots=True)
class Snapshot:
    files: Mapping[str, FileSnapshot | None]
    """Files by absolute path; None where certainly no file was."""
    listing: Listing
    started: int
    """Start time in nanoseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of one file between before and after."""

    path: Path
    before: RawFile | None
    after: RawFile | None
    made_directory: Path | None = None


@dataclass(slots=True)
class Comparison:
    """Result of a comparison with a snapshot."""

    differences: list[Difference] = field(default_factory=list[Difference])
    lacking: list[tuple[str, FileSnapshot, RawFile | None]] = field(
        default_factory=list[tuple[str, FileSnapshot, RawFile | None]]
    )
    """Changed files whose earlier content was not kept: path, file before, and file now."""
    uncovered: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    """Changed files which cannot be restored, each with the reason."""
    current: dict[str, FileSnapshot] = field(default_factory=dict[str, FileSnapshot])
    """Current files by absolute path."""
    bytes_left: int = MOST_BYTES


def take(
    paths: Iterable[str],
    previous: Mapping[str, FileSnapshot],
    earlier: Mapping[str, FileSnapshot | None] = MappingProxyType({}),
) -> dict[str, FileSnapshot | None]:
    """Look at the paths, the more important paths first, and skip paths of `earlier`, which is part of the result.

    `previous` holds the files as seen before another command.
    """
    files = dict(earlier)
    deadline = time.monotonic() + MOST_SECONDS
    kept_sizes = [
        snapshot.stamp[2] for snapshot in files.values() if snapshot is not None and snapshot.packed is not None
    ]
    bytes_left, files_left = MOST_BYTES - sum(kept_sizes), MOST_FILES - len(kept_sizes)
    for path in paths:
        if path in files:
            continue
        has_room = files_left > 0 and time.monotonic() < deadline
        snapshot = _look(path, previous.get(path), min(MOST_FILE_BYTES, bytes_left) if has_room else -1)
        if snapshot is None and os.path.lexists(path):
            continue  # A directory or a device, which could not be restored.
        files[path] = snapshot
        if snapshot is not None and snapshot.packed is not None:
            files_left, bytes_left = files_left - 1, bytes_left - snapshot.stamp[2]
    return files


def compare(before: Snapshot) -> Comparison:
    """Return the differences between the snapshot's files and the files now."""
    comparison = Comparison()
    for path, old in before.files.items():
        if old is not None and old.is_settled and _stamp(path) == old.stamp:
            comparison.current[path] = old
            continue
        new = _look_now(path, comparison)
        if old is None:
            _made(path, new, before, comparison)
        elif new is None and (stamp := _stamp(path)) is not None and not stat.S_ISDIR(stamp[4]):
            comparison.uncovered.append((Path(path), "it is no file any more"))
        elif not _is_same(old, new):
            _changed(path, old, new, comparison)
    return comparison


def look_at_new(paths: Iterable[str], before: Snapshot, comparison: Comparison) -> None:
    """Add the files missing from the snapshot."""
    for path in paths:
        if path not in before.files:
            _made(path, _look_now(path, comparison), before, comparison)


def _look_now(path: str, comparison: Comparison) -> FileSnapshot | None:
    new = _look(path, None, min(MOST_FILE_BYTES, comparison.bytes_left))
    if new is not None:
        comparison.current[path] = new
        comparison.bytes_left -= new.stamp[2] if new.packed is not None else 0
    return new


def _made(path: str, new: FileSnapshot | None, before: Snapshot, comparison: Comparison) -> None:
    if new is None:
        return
    absent = path if path in before.files else before.listing.absent(path)
    if absent is None:
        if new.stamp[1] >= before.started - UNSETTLED_NS:
            comparison.uncovered.append((Path(path), "it may have been there before"))
    elif (raw := new.raw) is None:
        comparison.uncovered.append((Path(path), _TOO_LARGE))
    else:
        outermost = before.listing.absent(path) or absent
        comparison.differences.append(Difference(Path(path), None, raw, None if outermost == path else Path(outermost)))


def _changed(path: str, old: FileSnapshot, new: FileSnapshot | None, comparison: Comparison) -> None:
    after = None if new is None else new.raw
    is_kept = old.packed is not None and (new is None or new.packed is not None)
    if not is_kept and new is not None and old.has_content_of(new):
        # Only the permissions have changed, so no content is needed.
        comparison.differences.append(
            Difference(Path(path), RawFile("file", b"", old.mode), RawFile("file", b"", new.mode))
        )
    elif new is not None and after is None:
        comparison.uncovered.append((Path(path), _TOO_LARGE))
    elif (raw := old.raw) is None:
        comparison.lacking.append((path, old, after))
    else:
        comparison.differences.append(Difference(Path(path), raw, after))


def _is_same(old: FileSnapshot, new: FileSnapshot | None) -> bool:
    if new is None or old.mode != new.mode or old.is_regular != new.is_regular:
        return False
    if old.packed is None or new.packed is None:
        # A file whose content was not kept is judged by its times; ctime alone says nothing about the content.
        return (old.stamp[0], *old.stamp[2:]) == (new.stamp[0], *new.stamp[2:])
    return old.packed == new.packed


_TOO_LARGE = "it is too large, or cannot be read"


def _look(path: str, previous: FileSnapshot | None, most_bytes: int) -> FileSnapshot | None:
    """Return the file as it is now, with the content up to `most_bytes`; None if the path is neither a file
    nor a link.
    """
    looked = time.time_ns()
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    stamp = _stamp_of(status)
    is_settled = looked - max(stamp[0], stamp[1]) > UNSETTLED_NS
    if previous is not None and previous.stamp == stamp and previous.is_settled and previous.packed is not None:
        return previous if stamp[2] <= most_bytes else FileSnapshot(stamp, None, is_settled)
    if stat.S_ISLNK(stamp[4]):
        return FileSnapshot(stamp, _packed_link(path), is_settled)
    if not stat.S_ISREG(stamp[4]):
        return None
    packed = _packed_file(path, stamp) if stamp[2] <= most_bytes else None
    return FileSnapshot(stamp, packed, is_settled)


def _packed_link(path: str) -> bytes | None:
    try:
        return zlib.compress(os.fsencode(os.readlink(path)), 1)  # noqa: PTH115
    except OSError:
        return None


def _packed_file(path: str, stamp: Stamp) -> bytes | None:
    """Return the packed content, or None if the file cannot be read or changes meanwhile."""
    try:
        with open(path, "rb", buffering=0, opener=open_without_waiting) as file:
            data = file.read(stamp[2] + 1)
            status = os.fstat(file.fileno())
    except OSError:
        return None
    return zlib.compress(data, 1) if data is not None and _stamp_of(status) == stamp else None


def _stamp(path: str) -> Stamp | None:
    try:
        return _stamp_of(os.lstat(path))
    except OSError:
        return None


def _stamp_of(status: os.stat_result) -> Stamp:
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)
