"""A directory held open, so that a file is changed in exactly this directory, whatever becomes of the path.

On POSIX systems the way to the directory is walked without following a symbolic link, and every call is relative to the
directory's descriptor: a link that replaces a folder meanwhile cannot redirect a write. Windows has no such calls, so
names are joined to the path on Windows.
"""

import errno
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from placet.core.errors import DocumentError

_HAS_DESCRIPTORS = os.open in os.supports_dir_fd
_STEP = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_PATH", os.O_RDONLY)
_WITHOUT_WAITING = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CANNOT_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM})


class HeldDirectory(Struct, frozen=True):
    """An open directory. `held` owns the object, which lives as long as that context. Every call raises OSError."""

    path: Path
    descriptor: int | None
    """Descriptor of the directory; None where the system has no calls relative to a directory."""

    def open(self, name: str, flags: int) -> int:
        """Open a file that is no symbolic link, without waiting for a named pipe."""
        return os.open(self._at(name), flags | _WITHOUT_WAITING, 0o666, dir_fd=self.descriptor)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of the entry, symbolic links not followed, or None if no entry has this name."""
        try:
            return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def read_link(self, name: str) -> bytes:
        return os.fsencode(os.readlink(self._at(name), dir_fd=self.descriptor))

    def make_link(self, name: str, target: bytes) -> None:
        os.symlink(os.fsdecode(target), self._at(name), dir_fd=self.descriptor)

    def replace(self, name: str, by: str) -> None:
        """Replace the file `name` by the file `by`, in a single step."""
        os.replace(self._at(by), self._at(name), src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def move_exclusively(self, name: str, to: "HeldDirectory", new_name: str) -> None:
        """Rename a file, never over another file. Raises FileExistsError."""
        source, target = self._at(name), to._at(new_name)
        if os.name == "nt":
            Path(source).rename(target)  # The rename itself refuses there.
            return
        own_descriptor, target_descriptor = self.descriptor, to.descriptor
        try:
            os.link(source, target, src_dir_fd=own_descriptor, dst_dir_fd=target_descriptor, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            # No hard links on this file system, or not for us: the next best.
            if to.status(new_name) is not None:
                raise FileExistsError(target) from None
            os.rename(source, target, src_dir_fd=own_descriptor, dst_dir_fd=target_descriptor)
        else:
            self.remove(name)

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self.descriptor)

    def remove_directory(self, name: str) -> None:
        os.rmdir(self._at(name), dir_fd=self.descriptor)

    def make_directory(self, name: str, mode: int) -> None:
        """Make a directory with exactly these permission bits, which are never wider on the way."""
        os.mkdir(self._at(name), mode & stat.S_IRWXU, dir_fd=self.descriptor)
        self.set_directory_mode(name, mode)

    def set_directory_mode(self, name: str, mode: int) -> None:
        """Set the permission bits of a directory that is no symbolic link; Windows has no such bits."""
        if sys.platform == "win32":
            return
        directory = os.open(self._at(name), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=self.descriptor)
        try:
            os.fchmod(directory, mode)
        finally:
            os.close(directory)

    def set_mode(self, name: str, mode: int) -> None:
        os.chmod(self._at(name), mode, dir_fd=self.descriptor)

    def sync(self) -> None:
        """Make the directory's renamed, new and removed names survive a power cut, where the system can."""
        if sys.platform == "win32" or self.descriptor is None:
            return
        try:
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self.descriptor)
        except PermissionError:
            return  # A directory that may not be listed may still take new names, but cannot be synced.
        try:
            os.fsync(readable)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC:
                raise
        finally:
            os.close(readable)

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)


@contextmanager
def held(path: Path, *, make: bool = False) -> Generator[HeldDirectory]:
    """Hold the directory of a path without symbolic links; with `make`, missing directories are made. Blocks.

    Raises DocumentError if a link has taken the place of a directory, and OSError.
    """
    if not _HAS_DESCRIPTORS:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        yield HeldDirectory(path, None)
        return
    directory = HeldDirectory(Path(path.anchor), os.open(path.anchor, _STEP))
    try:
        for part in path.parts[1:]:
            below = _below(directory, part, make=make)
            _close(directory)
            directory = below
        yield directory
    finally:
        _close(directory)


def _below(directory: HeldDirectory, name: str, *, make: bool) -> HeldDirectory:
    try:
        return HeldDirectory(directory.path / name, os.open(name, _STEP, dir_fd=directory.descriptor))
    except FileNotFoundError:
        if not make:
            raise
    except OSError as error:
        status = directory.status(name)
        if status is not None and stat.S_ISLNK(status.st_mode):
            raise DocumentError(
                f"{directory.path / name} has become a symbolic link meanwhile, and what it leads to was not asked for."
            ) from error
        raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=directory.descriptor)
        directory.sync()
    return _below(directory, name, make=False)


def _close(directory: HeldDirectory) -> None:
    if directory.descriptor is not None:
        os.close(directory.descriptor)
