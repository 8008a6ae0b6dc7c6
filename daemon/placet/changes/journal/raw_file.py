"""Files as bytes, and symbolic links: non-text files are read, described, and put in place unchanged. Blocks."""

import hashlib
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from placet.core.errors import DocumentError
from placet.project.files.disk import remove_empty_directories
from placet.project.files.held_directory import HeldDirectory, held
from placet.project.files.replacement import finished_file, temporary_name
from placet.project.paths import real
from placet.project.undecodable_names import spelled
from placet.text.counted import counted
from placet.text.encoding import Decoded, Undecodable, decode

Form = Literal["file", "link"]
HAS_PERMISSIONS = os.name != "nt"
"""True if the system keeps permission bits worth restoring."""


@dataclass(frozen=True, slots=True)
class RawFile:
    """Bytes of a regular file, or the target of a symbolic link."""

    form: Form
    data: bytes
    mode: int | None = field(default=None, compare=False)
    """Permission bits; None for a link, and where the bits do not matter."""

    @property
    def text(self) -> Decoded | None:
        """Return the text of the file, or None if the file is a link or not text."""
        if self.form == "link":
            return None
        try:
            return decode(self.data)
        except Undecodable:
            return None


def read_raw(path: Path) -> RawFile | None:
    """Return the file or link at the path, without following symlinks; None if no file is at the path, but perhaps a
    directory. Raises DocumentError for anything else.
    """
    try:
        with held(real(path.parent)) as directory:
            return _read_in(directory, path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DocumentError(f"{path} cannot be read: {error.strerror or error}.") from error


def described(raw: RawFile | None) -> str:
    """Return a text about a file or a link, by which the user and Placet tell two contents apart; "" for no file."""
    if raw is None:
        return ""
    if raw.form == "link":
        return f"symbolic link to {spelled(raw.data.decode('utf-8', 'surrogateescape'))}\n"
    digest = hashlib.sha256(raw.data).hexdigest()[:12]
    if (decoded := raw.text) is None:
        return f"binary file, {_size(len(raw.data))}, sha256 {digest}\n"
    ending = "CRLF" if "\r\n" in decoded.text else "LF"
    mark = ", with a byte order mark" if decoded.bom else ""
    return f"text file, {decoded.encoding}{mark}, line ends {ending}, {_size(len(raw.data))}, sha256 {digest}\n"


def _size(count: int) -> str:
    return counted(count, "byte") if count < 10_240 else f"{count / 1024:.0f} KB"


def put_raw(path: Path, expected: RawFile | None, new: RawFile | None, made_directory: Path | None) -> None:
    """Put `new` in the place of `expected`, in one step; None means no file, and then empty directories are removed
    too. Whoever calls syncs the directory, once for all files of the directory.

    Raises DocumentError when the path holds anything else by now, or the system refuses.
    """
    parent = real(path.parent)
    try:
        with held(parent, make=new is not None) as directory:
            if _read_in(directory, path) != expected:
                raise DocumentError(f"{path} is another than a moment ago.")
            _put_in(directory, path.name, expected, new)
    except OSError as error:
        raise DocumentError(f"{path} cannot be put back: {error.strerror or error}.") from error
    if new is None:
        remove_empty_directories(parent / path.name, made_directory)


def sync_directories(paths: Iterable[Path]) -> None:
    """Make the new and removed names at the paths survive a power cut, as far as the directories still exist."""
    for parent in {real(path.parent) for path in paths}:
        with suppress(OSError, DocumentError), held(parent) as directory:
            directory.sync()


def permissions(path: Path) -> int | None:
    """Return the permission bits of a regular file, or None if the path is not a regular file."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None


def set_permissions(path: Path, expected: int | None, mode: int) -> None:
    """Set the permission bits. Raises DocumentError when the bits are no longer the expected bits, or the system
    refuses.
    """
    try:
        with held(real(path.parent)) as directory:
            status = directory.status(path.name)
            is_file = status is not None and stat.S_ISREG(status.st_mode)
            if (stat.S_IMODE(status.st_mode) if status is not None and is_file else None) != expected:
                raise DocumentError(f"The permissions of {path} are others than a moment ago.")
            directory.set_mode(path.name, mode)
    except OSError as error:
        raise DocumentError(f"The permissions of {path} cannot be set: {error.strerror or error}.") from error


def _read_in(directory: HeldDirectory, path: Path) -> RawFile | None:
    status = directory.status(path.name)
    if status is None or stat.S_ISDIR(status.st_mode):
        return None
    if stat.S_ISLNK(status.st_mode):
        return RawFile("link", directory.read_link(path.name))
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError(f"{path} is neither a file nor a symbolic link any more.")
    with os.fdopen(directory.open(path.name, os.O_RDONLY), "rb") as file:
        return RawFile("file", file.read(), stat.S_IMODE(status.st_mode))


def _put_in(directory: HeldDirectory, name: str, current: RawFile | None, new: RawFile | None) -> None:
    if new is None:
        if current is not None:
            directory.remove(name)
    elif new.form == "link":
        temporary = temporary_name(name)
        directory.make_link(temporary, new.data)
        try:
            _clear_way(directory, name)
            directory.replace(name, temporary)
        except OSError:
            directory.remove(temporary)
            raise
    elif current is not None and current.form == "file":
        with (
            os.fdopen(directory.open(name, os.O_RDONLY), "rb") as old,
            finished_file(directory, name, new.data, like=old.fileno(), mode=new.mode) as temporary,
        ):
            directory.replace(name, temporary)
    else:
        with finished_file(directory, name, new.data, like=None, mode=new.mode) as temporary:
            _clear_way(directory, name)
            directory.replace(name, temporary)


def _clear_way(directory: HeldDirectory, name: str) -> None:
    """Remove a directory that holds only directories, which gives way to a file. Raises OSError for any other."""
    status = directory.status(name)
    if status is None or not stat.S_ISDIR(status.st_mode):
        return
    place = directory.path / name
    if not any(files for _, _, files in os.walk(place)):
        with held(place) as inside:
            for entry in os.listdir(place):  # noqa: PTH208 - names alone
                _clear_way(inside, entry)
    directory.remove_directory(name)
