"""Files as bytes, and symbolic links as such: what is no text is looked at, and put in its place, as it is. Blocks."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from placet.edits.encoding import Decoded, Undecodable, decode
from placet.errors import DocumentError
from placet.messages import new_id
from placet.project.files import remove_empty_directories
from placet.regular_files import open_without_waiting

Form = Literal["file", "link"]
PERMISSIONS = 0o7777
HAS_PERMISSIONS = os.name != "nt"
"""Whether the system keeps permission bits worth restoring."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """A regular file's bytes, or a symbolic link's target."""

    form: Form
    data: bytes
    mode: int | None = field(default=None, compare=False)
    """Permission bits; None for a link, and where they do not matter."""

    @property
    def text(self) -> Decoded | None:
        """The text that it holds; None if it is a link, or no text."""
        if self.form == "link":
            return None
        try:
            return decode(self.data)
        except Undecodable:
            return None


def read_raw(path: Path) -> RawFile | None:
    """What is there, symlinks not followed; None where nothing is. Raises DocumentError for what is neither."""
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return RawFile("link", os.fsencode(path.readlink()))
        if not stat.S_ISREG(status.st_mode):
            raise DocumentError(f"{path} is neither a file nor a symbolic link any more.")
        with open(path, "rb", opener=open_without_waiting) as file:
            return RawFile("file", file.read(), stat.S_IMODE(status.st_mode))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror or error}.") from error


def put_raw(path: Path, expected: RawFile | None, wanted: RawFile | None, made_directory: Path | None) -> None:
    """Put `wanted` where `expected` is, in one step; None is no file, and then empty directories go with it.

    Raises DocumentError when something else is there by now, or the system refuses.
    """
    if read_raw(path) != expected:
        raise DocumentError(f"{path} is another than a moment ago.")
    try:
        if wanted is None:
            path.unlink()
            remove_empty_directories(path, made_directory)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with _beside(path, wanted) as temporary:
            temporary.replace(path)
    except OSError as error:
        raise DocumentError(f"{path} cannot be put back: {error.strerror or error}.") from error


def permissions(path: Path) -> int | None:
    """The permission bits of a regular file; None where there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None


def set_permissions(path: Path, expected: int | None, mode: int) -> None:
    """Raises DocumentError when the file's bits are no longer the expected ones, or the system refuses."""
    if permissions(path) != expected:
        raise DocumentError(f"The permissions of {path} are others than a moment ago.")
    try:
        path.chmod(mode)
    except OSError as error:
        raise DocumentError(f"The permissions of {path} cannot be set: {error.strerror or error}.") from error


@contextmanager
def _beside(target: Path, wanted: RawFile) -> Generator[Path]:
    """A finished neighbour of the target, gone afterwards if it was not moved."""
    temporary = target.with_name(f".{target.name[:50]}.{new_id('tmp')}")
    try:
        if wanted.form == "link":
            temporary.symlink_to(os.fsdecode(wanted.data))
        else:
            descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
            with os.fdopen(descriptor, "wb") as file:
                file.write(wanted.data)
                file.flush()
                os.fsync(file.fileno())
            if wanted.mode is not None:
                temporary.chmod(wanted.mode)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
