"""Staged layer: the staged files of a session, laid between a root and the layer of a command.

A command sees the staged files in the place of the files on disk; the disk stays as it is. A staged file that takes
a file away is a whiteout, a character device 0/0: https://docs.kernel.org/filesystems/overlayfs.html. Linux lets every
user make a whiteout. Blocks.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from placet.core.values import replace
from placet.sandbox.overlay.layers import OverlayMount

DEEPEST = 200
"""Number of directories on the way to a directory from which on a layer is not read: no project is so deep."""


class UnreadableLayer(OSError):
    """Error: the layer holds an entry of a form that Placet's overlays do not make, or directories too deep to read."""


class StagedEntry(Struct, frozen=True):
    """File as the session sees the file, by the real path."""

    path: Path
    data: bytes | None
    """Content; None where the session sees no file."""
    mode: int | None = None
    """Permission bits; None for the bits of any new file, and for a link."""
    is_link: bool = False
    """True for a symbolic link, whose target is the content."""


def lay_staged(
    mounts: Sequence[OverlayMount], entries: Iterable[StagedEntry]
) -> tuple[tuple[OverlayMount, ...], list[Path]]:
    """Lay the entries between the roots and the layers of the mounts; return the mounts with the staged layers, and the
    paths of the entries that could not be laid. A file outside of all roots cannot be laid.
    """
    with_layers: dict[Path, OverlayMount] = {}
    failed: list[Path] = []
    for entry in entries:
        mount = next((mount for mount in mounts if entry.path.is_relative_to(mount.lower)), None)
        if mount is None:
            failed.append(entry.path)
            continue
        staged = mount.work.with_name("staged")
        try:
            _lay(entry, mount.lower, staged)
        except OSError:
            failed.append(entry.path)
        if staged.is_dir():
            with_layers[mount.lower] = replace(mount, staged=staged)
    return tuple(with_layers.get(mount.lower, mount) for mount in mounts), failed


class BaseView:
    """Root with the staged layer, as the command saw the root at first; lives as long as a look at the layer."""

    def __init__(self, mount: OverlayMount) -> None:
        self._lower = mount.lower
        self._staged = mount.staged

    def mode(self, relative: str) -> int | None:
        """Return the mode of the entry, as from stat(2); None where nothing was."""
        staged = self._staged_status(relative)
        if staged is not None:
            return None if is_whiteout_device(staged) else staged.st_mode
        return self.root_mode(relative)

    def root_mode(self, relative: str) -> int | None:
        """Return the mode of the entry of the root itself, whatever is staged."""
        status = _status(_under(self._lower, relative))
        return None if status is None else status.st_mode

    def is_staged(self, relative: str) -> bool:
        """Return whether a staged file stands at the path, or was taken away from the path."""
        staged = self._staged_status(relative)
        return staged is not None and not stat.S_ISDIR(staged.st_mode)

    def entries(self, relative: str) -> dict[str, int]:
        """Return the names in the directory with the modes, sorted by name.

        A directory of the root that cannot be listed counts as empty: a command can only remove such a directory while
        empty.
        """
        modes: dict[str, int] = {}
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            modes = _modes(_under(self._lower, relative))
        if self._staged is not None:
            with suppress(FileNotFoundError, NotADirectoryError):
                for entry in sorted_entries(_under(self._staged, relative)):
                    status = entry.stat(follow_symlinks=False)
                    if is_whiteout_device(status):
                        modes.pop(entry.name, None)
                    else:
                        modes[entry.name] = status.st_mode
        return dict(sorted(modes.items()))

    def _staged_status(self, relative: str) -> os.stat_result | None:
        return None if self._staged is None else _status(_under(self._staged, relative))


def is_whiteout_device(status: os.stat_result) -> bool:
    """Return whether the entry is a whiteout in the form of a device."""
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def sorted_entries(directory: str) -> list[os.DirEntry[str]]:
    """Return the entries in the order of the names. Raises OSError."""
    if directory.count("/") > DEEPEST:
        raise UnreadableLayer(f"more than {DEEPEST} directories lie within each other")
    with os.scandir(directory) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _lay(entry: StagedEntry, root: Path, staged: Path) -> None:
    relative = entry.path.relative_to(root)
    _make_directory(staged, root)
    directory, original = staged, root
    for part in relative.parts[:-1]:
        directory, original = directory / part, original / part
        _make_directory(directory, original)
    place = staged / relative
    if entry.data is None:
        if os.path.lexists(entry.path):
            os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(0, 0))
        return
    if entry.is_link:
        place.symlink_to(os.fsdecode(entry.data))
    else:
        place.write_bytes(entry.data)
    _take_owner(place, root)
    if entry.mode is not None:
        place.chmod(entry.mode)


def _make_directory(directory: Path, original: Path) -> None:
    """Make the directory like the original: the command sees the upper directory's owner and permissions."""
    if directory.is_dir():
        return
    directory.mkdir()
    status = _status(str(original))
    if status is not None and stat.S_ISDIR(status.st_mode):
        _take_owner(directory, original)
        directory.chmod(stat.S_IMODE(status.st_mode))


def _take_owner(path: Path, original: Path) -> None:
    status = original.stat()
    with suppress(PermissionError):
        os.chown(path, status.st_uid, status.st_gid, follow_symlinks=False)


def _modes(directory: str) -> dict[str, int]:
    return {entry.name: entry.stat(follow_symlinks=False).st_mode for entry in sorted_entries(directory)}


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _under(root: Path, relative: str) -> str:
    return os.path.join(root, relative) if relative else str(root)  # noqa: PTH118
