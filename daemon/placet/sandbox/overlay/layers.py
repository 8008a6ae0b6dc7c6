"""Layers of contained commands on disk: for each command and root an empty upper directory and overlayfs's work
directory.

The layers lie under Placet's data directory, never in a root. A lock, which the system frees with the process, marks
the layer of a living command; every other layer was left behind by a killed process.
"""

import os
import stat
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from placet.core.ids import new_id
from placet.core.regular_files import read_regular_file
from placet.core.values import replace
from placet.project.file_lock import claim_lock
from placet.project.git.repository import git_directory_of_top, repository_of
from placet.project.paths import real
from placet.sandbox.removal import remove_tree

_LOCK = "lock"
_MOST_INDEX_BYTES = 1 << 26
NAMESPACES = ("user.overlay.", "trusted.overlay.")
"""Beginnings of the attributes of overlayfs."""
_MOUNTS = Path("/proc/self/mountinfo")

Trial = Callable[[Sequence["OverlayMount"]], Awaitable[str]]
"""Run of a harmless command under the real profile with these overlays; returns the reason of a failure, or ""."""


class OverlayMount(Struct, frozen=True):
    """Overlay over a root, by absolute real paths: `bwrap --overlay-src LOWER --overlay UPPER WORK LOWER`, with
    `--overlay-src STAGED` over the lower directory where files are staged.
    """

    lower: Path
    upper: Path
    work: Path
    staged: Path | None = None
    """Directory of the staged layer (staged_layer.py)."""

    @property
    def index(self) -> Path:
        """Return the copy of the index of the root's repository before the command, which may be missing."""
        return self.work.with_name("index")


class Layer(Struct, frozen=True):
    """Directories of the overlays of a command; `new_layer` owns the layer, which lives as long as that context."""

    directory: Path
    mounts: tuple[OverlayMount, ...]
    started: int
    """Time of the file system in nanoseconds when the layer was made."""


@contextmanager
def new_layer(base: Path, roots: Iterable[Path]) -> Generator[Layer]:
    """Make a layer over the roots below `base`, and remove the layer in the end. Blocks. Raises OSError."""
    directory, lock = base / new_id("lay"), None
    while lock is None:  # Another process that cleans up may hold the new lock for a moment.
        lock = claim_lock(directory / _LOCK)
    with lock:
        try:
            mounts = tuple(_mount(directory / str(number), root) for number, root in enumerate(outermost(roots)))
            yield Layer(directory, mounts, os.fstat(lock.fileno()).st_ctime_ns)
        finally:
            remove_tree(directory)


def renewed(layer: Layer, roots: Iterable[Path]) -> Layer | None:
    """Return the layer for a further command, or None if the command before has left anything in the layer, or the
    roots are others or have changed. Blocks. Raises OSError.
    """
    if [mount.lower for mount in layer.mounts] != outermost(roots):
        return None
    if not all(_is_as_made(mount) for mount in layer.mounts):
        return None
    for mount in layer.mounts:
        _copy_index(mount)
    os.utime(layer.directory / _LOCK)
    return replace(layer, started=(layer.directory / _LOCK).stat().st_ctime_ns)


def outermost(roots: Iterable[Path]) -> list[Path]:
    """Return the roots, symbolic links resolved, that lie in no other root: an overlay covers everything below."""
    places = sorted({real(root) for root in roots})
    return [place for place in places if not any(place != other and place.is_relative_to(other) for other in places)]


def remove_left_layers(base: Path) -> list[Path]:
    """Remove the layers of dead processes; return the removed directories. Blocks."""
    removed: list[Path] = []
    if not base.is_dir():
        return removed
    for directory in base.iterdir():
        with suppress(OSError):
            if (lock := claim_lock(directory / _LOCK)) is not None:
                with lock:
                    remove_tree(directory)
                    removed.append(directory)
    return removed


async def reason_against(base: Path, roots: Sequence[Path], trial: Trial) -> str:
    """Return why no overlay can be laid over the roots, in a clause for the user, or "" where an overlay works.

    The trial decides; the looks before the trial give the reason in plain words.
    """
    for root in (places := outermost(roots)):
        if root.is_relative_to(real(base)) or real(base).is_relative_to(root):
            return f"{root} holds Placet's own data directory"
        if inner := mounts_below(root):
            return f"{inner[0]} is a mount of its own inside the project, which an overlay would not cover"
    try:
        with new_layer(base, places) as layer:
            return await trial(layer.mounts)
    except OSError as error:
        return f"{base} cannot be written: {error.strerror or error}"


def mounts_below(root: Path) -> list[Path]:
    """Return the mount points below the root, the root itself left out. Blocks (reads the mount table)."""
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return []
    # proc_pid_mountinfo(5): the fifth field is the mount point, with octal escapes for white space and backslashes.
    points = {Path(os.fsdecode(_unescaped(fields[4]))) for line in lines if len(fields := line.split()) > 4}
    return sorted(point for point in points if point != root and point.is_relative_to(root))


def _mount(directory: Path, root: Path) -> OverlayMount:
    upper, work = directory / "upper", directory / "work"
    work.mkdir(parents=True)
    upper.mkdir()
    status = root.stat()
    with suppress(PermissionError):
        os.chown(upper, status.st_uid, status.st_gid)
    upper.chmod(stat.S_IMODE(status.st_mode))
    mount = OverlayMount(root, upper, work)
    _copy_index(mount)
    return mount


def _is_as_made(mount: OverlayMount) -> bool:
    """Return whether the upper directory is empty and like the root, with no attributes but those of overlayfs."""
    upper, lower = mount.upper.stat(), mount.lower.stat()
    is_like_root = (upper.st_mode, upper.st_uid, upper.st_gid) == (lower.st_mode, lower.st_uid, lower.st_gid)
    attributes = os.listxattr(mount.upper) if hasattr(os, "listxattr") else []
    return (
        is_like_root
        and mount.staged is None
        and all(name.startswith(NAMESPACES) for name in attributes)
        and not os.listdir(mount.upper)  # noqa: PTH208
    )


def _copy_index(mount: OverlayMount) -> None:
    """Copy the index of the root's repository, unless the copy is as old and as large as the index."""
    if (repository := repository_of(mount.lower)) is None:
        return
    with suppress(OSError):  # A repository without commits has no index.
        index = git_directory_of_top(repository.top) / "index"
        status = index.stat()
        if mount.index.exists():
            copy = mount.index.stat()
            if (copy.st_mtime_ns, copy.st_size) == (status.st_mtime_ns, status.st_size):
                return
        mount.index.write_bytes(read_regular_file(index, _MOST_INDEX_BYTES))
        os.utime(mount.index, ns=(status.st_atime_ns, status.st_mtime_ns))


def _unescaped(field: bytes) -> bytes:
    for escape, character in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\134", b"\\")):
        field = field.replace(escape, character)
    return field
