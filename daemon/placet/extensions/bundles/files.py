"""Files of a bundle in memory: read from a directory or from a tar archive, and checked before anything is written."""

import hashlib
import io
import os
import stat
import tarfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from placet.core.errors import PlacetError
from placet.core.regular_files import UnfitFile, read_regular_file
from placet.core.visible_text import spelled_out

MOST_FILES = 2_000
MOST_BYTES = 64 * 1024 * 1024
MOST_BYTES_OF_ONE = 16 * 1024 * 1024
MOST_ENTRIES = 20_000
"""Largest number of entries of an archive, directories included."""
DEEPEST = 16
"""Largest number of names in a path."""
LONGEST_PATH = 240
"""Largest number of characters in a path: Windows allows 260 with the directory of the copy."""
_MOST_LINKS = 8
_NOT_IN_NAMES = frozenset('\\:*?"<>|')
"""Characters that Windows allows in no name."""
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10)))
)
_SKIPPED = frozenset((".git", ".DS_Store"))
"""Names that are no part of a bundle, wherever they stand."""


class BundleError(PlacetError):
    """A bundle cannot be used, or a step with a bundle failed; nothing has changed."""


class BundleFile(Struct, frozen=True):
    content: bytes
    is_executable: bool = False


class Entry(Struct, frozen=True):
    """File or symbolic link as the source of the bundle has it, not yet checked."""

    path: str
    """Path below the top of the bundle, with `/`."""
    content: bytes = b""
    is_executable: bool = False
    link: str | None = None
    """Target of a symbolic link."""


Files = Mapping[str, BundleFile]
"""Checked files by their paths, in the order of the paths."""


def read_directory(top: Path) -> Files:
    """Return the files below the directory. Raises BundleError. Blocks."""
    if not top.is_dir():
        raise BundleError(f"{top} is not a directory.")
    return checked(_entries_below(top))


def read_tar(archive: bytes) -> Files:
    """Return the files of the tar archive. Raises BundleError."""
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
            return checked(_entries_in(tar))
    except tarfile.TarError as error:
        raise BundleError(f"The archive of the bundle cannot be read: {error}.") from error


def checked(entries: Iterable[Entry]) -> Files:
    """Return the files of the entries, links inside the bundle replaced by copies. Raises BundleError."""
    by_path: dict[str, Entry] = {}
    spellings: dict[str, str] = {}
    total = 0
    for entry in entries:
        _refuse_odd(entry.path)
        if entry.path in by_path:
            raise BundleError(f"The bundle has the file {spelled_out(entry.path)} twice.")
        _refuse_clashes(entry.path, spellings)
        total += len(entry.content)
        if len(by_path) == MOST_FILES:
            raise BundleError(f"The bundle has more than {MOST_FILES} files.")
        if total > MOST_BYTES:
            raise BundleError(f"The files of the bundle have more than {MOST_BYTES} bytes.")
        by_path[entry.path] = entry
    files = {path: _resolved(path, by_path) for path in sorted(by_path)}
    if sum(len(file.content) for file in files.values()) > MOST_BYTES:
        raise BundleError(f"The files of the bundle have more than {MOST_BYTES} bytes.")
    return files


def below(files: Files, directory: str) -> Files:
    """Return the files below a directory of the bundle, with paths relative to the directory."""
    prefix = "" if directory in ("", ".") else f"{directory}/"
    return {path.removeprefix(prefix): file for path, file in files.items() if path.startswith(prefix)}


def digest_of(files: Files) -> str:
    """Return the SHA-256 of all paths, bytes and marks for executables, hexadecimal."""
    digest = hashlib.sha256()
    for path, file in sorted(files.items()):
        mark = "x" if file.is_executable else "-"
        digest.update(f"{mark} {hashlib.sha256(file.content).hexdigest()} {path}\n".encode())
    return digest.hexdigest()


def _entries_below(top: Path) -> Iterator[Entry]:
    seen = 0

    def fail(error: OSError) -> None:
        raise BundleError(f"{error.filename} cannot be read: {error.strerror}.")

    for parent, directories, names in os.walk(top, onerror=fail):
        directories[:] = sorted(name for name in directories if name not in _SKIPPED)
        linked = [name for name in directories if (Path(parent) / name).is_symlink()]
        for name in sorted({*names, *linked} - _SKIPPED):
            if (seen := seen + 1) > MOST_ENTRIES:
                raise BundleError(f"The bundle has more than {MOST_FILES} files.")
            yield _entry(Path(parent) / name, top)
        if len(Path(parent).relative_to(top).parts) > DEEPEST:
            raise BundleError(f"The bundle has more than {DEEPEST} nested directories.")


def _entry(file: Path, top: Path) -> Entry:
    path = file.relative_to(top).as_posix()
    if file.is_symlink():
        return Entry(path, link=file.readlink().as_posix())
    try:
        content = read_regular_file(file, MOST_BYTES_OF_ONE)
        is_executable = os.name != "nt" and bool(file.stat().st_mode & stat.S_IXUSR)
    except OSError as error:
        reason = str(error) if isinstance(error, UnfitFile) else error.strerror
        raise BundleError(f"The file {spelled_out(path)} of the bundle cannot be read: {reason}.") from error
    return Entry(path, content, is_executable)


def _entries_in(tar: tarfile.TarFile) -> Iterator[Entry]:
    for number, member in enumerate(tar):
        if number == MOST_ENTRIES:
            raise BundleError(f"The bundle has more than {MOST_FILES} files.")
        if member.isdir() or _SKIPPED.intersection(member.name.split("/")):
            continue
        if member.issym():
            yield Entry(member.name, link=member.linkname)
            continue
        if not member.isreg():
            raise BundleError(f"The entry {spelled_out(member.name)} of the bundle is no file and no link.")
        if member.size > MOST_BYTES_OF_ONE:
            raise BundleError(
                f"The file {spelled_out(member.name)} of the bundle is larger than {MOST_BYTES_OF_ONE} bytes."
            )
        file = tar.extractfile(member)
        yield Entry(member.name, b"" if file is None else file.read(), bool(member.mode & stat.S_IXUSR))


def _refuse_odd(path: str) -> None:
    """Raise BundleError for a path that leads out of the bundle, or that not every system can store."""
    shown = spelled_out(path)
    names = path.split("/")
    if path.startswith("/") or any(name in ("", ".", "..") for name in names):
        raise BundleError(f"The path {shown} leads out of the bundle.")
    if len(names) > DEEPEST or len(path) > LONGEST_PATH:
        raise BundleError(f"The path {shown} of the bundle is too long or too deep.")
    for name in names:
        is_odd = not name.isprintable() or _NOT_IN_NAMES.intersection(name) or name != name.rstrip(" .")
        if is_odd or name.partition(".")[0].rstrip(" ").lower() in _DEVICES or name.lower() == ".git":
            raise BundleError(f"The path {shown} of the bundle has a name that not every system can store.")


def _refuse_clashes(path: str, spellings: dict[str, str]) -> None:
    """Raise BundleError if the path, or a directory above, has another spelling that some systems take for the same."""
    names = path.split("/")
    for length in range(1, len(names) + 1):
        part = "/".join(names[:length])
        known = spellings.setdefault(unicodedata.normalize("NFKC", part).casefold(), part)
        if known != part:
            raise BundleError(
                f"The paths {spelled_out(known)} and {spelled_out(part)} of the bundle are the same on some systems."
            )


def _resolved(path: str, entries: Mapping[str, Entry]) -> BundleFile:
    """Return the file at the path; a link counts as a copy of its target. Raises BundleError."""
    entry, place = entries[path], path
    for _ in range(_MOST_LINKS):
        if entry.link is None:
            return BundleFile(entry.content, entry.is_executable)
        target = _target(place, entry.link)
        if target is None:
            raise BundleError(f"The link {spelled_out(path)} leads out of the bundle, to {spelled_out(entry.link)}.")
        if target not in entries:
            raise BundleError(
                f"The link {spelled_out(path)} of the bundle leads to {spelled_out(entry.link)}, which is no file of "
                "the bundle."
            )
        entry, place = entries[target], target
    raise BundleError(f"The link {spelled_out(path)} of the bundle leads to a link, over and over.")


def _target(path: str, link: str) -> str | None:
    """Return the path in the bundle to which a link leads, or None for a place outside."""
    if "\0" in link or "\\" in link or link.startswith("/") or ":" in link:
        return None
    names: list[str] = list(PurePosixPath(path).parent.parts)
    for name in link.split("/"):
        if name == "..":
            if not names:
                return None
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)
