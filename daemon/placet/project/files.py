"""Documents on disk: read whole, written whole or not at all. EDITS.md rules 5, 10, 12 and 19."""

import os
import stat
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import assert_never

from placet.edits.encoding import Undecodable, decode, encode
from placet.errors import DocumentError, DocumentMissing, EditConflict
from placet.messages import new_id
from placet.ports import Document, FileEdit, FileOutcome
from placet.project.executor import in_thread
from placet.project.paths import real
from placet.regular_files import open_without_waiting

MAX_BYTES = 32 * 1024 * 1024
"""A file larger than this is not text anyone edits."""


class TooLarge(DocumentError):
    """A regular file of more than MAX_BYTES: it can be looked at in pieces, and not be edited."""


def read_document(path: Path) -> Document:
    """The file's text as it stands, its own line ends kept, the BOM apart. Blocks.

    Raises DocumentMissing; Undecodable for a binary and an encoding other than UTF-8 (or UTF-16/32 with a BOM);
    TooLarge; or DocumentError for a directory, a device, or what the system refuses.
    """
    try:
        with open(path, "rb", opener=open_without_waiting) as file:
            status = os.fstat(file.fileno())
            if stat.S_ISDIR(status.st_mode):
                raise DocumentError(f"{path} is a directory, not a file.")
            if not stat.S_ISREG(status.st_mode):
                raise DocumentError(f"{path} is not a regular file.")
            if status.st_size > MAX_BYTES:
                raise TooLarge(
                    f"{path} has {status.st_size} bytes, more than the {MAX_BYTES} that can be edited as text. "
                    "Look at it in pieces with read or grep, and change it by a command."
                )
            data = file.read(MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise DocumentMissing(f"There is no file {path}.") from None
    except OSError as error:
        if path.is_dir():
            raise DocumentError(f"{path} is a directory, not a file.") from None
        raise DocumentError(f"{path} cannot be read: {error.strerror or error}.") from error
    try:
        decoded = decode(data)
    except Undecodable as error:
        raise Undecodable(f"{path} cannot be read as text: {error}") from error
    return Document(path=path, text=decoded.text, source="disk", encoding=decoded.encoding, bom=decoded.bom)


def write_document(path: Path, text: str, *, encoding: str, bom: bool, mode: int | None = None) -> None:
    """Put `text` into the file in one step: temporary file beside it, fsync, rename. Blocks.

    An existing file keeps its mode and, where we may, its owner; a symlink stays and its target is written;
    missing parents are made. `mode` is for a file that is not there yet. Raises DocumentError.
    """
    target = real(path)
    try:
        existing = _status(target)
        _refuse_special(path, existing)
        with _finished_file(target, encode(text, encoding, bom), existing, mode) as temporary:
            temporary.replace(target)
    except OSError as error:
        raise DocumentError(f"{path} cannot be written: {error.strerror or error}.") from error


def create_document(
    path: Path, text: str, *, encoding: str = "utf-8", bom: bool = False, mode: int | None = None
) -> None:
    """As write_document, but only where nothing is yet, also if something appears meanwhile. Raises DocumentError."""
    if os.path.lexists(path):
        raise DocumentError(f"{path} exists already.")
    try:
        with _finished_file(path, encode(text, encoding, bom), None, mode) as temporary:
            _move_exclusively(temporary, path)
    except FileExistsError:
        raise DocumentError(f"{path} exists already.") from None
    except OSError as error:
        raise DocumentError(f"{path} cannot be created: {error.strerror or error}.") from error


class DiskDocuments:
    """The Documents port over the disk alone: what has no editor, and what the editor does not have open."""

    async def read(self, path: Path) -> Document:
        return await in_thread(read_document, path)

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        """As the port says; the base is compared by sha256 right before each write, and the first failure ends it."""
        return await in_thread(_apply_all, edits)

    async def unsaved(self) -> list[Document]:
        """Nothing is open here."""
        return []

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        """Nothing is open here."""
        return []

    async def reload(self) -> None:
        """The disk is read anew each time."""

    def watch_saves(self) -> AbstractContextManager[Mapping[Path, str]]:
        """Nothing is open here."""
        return nullcontext({})


def _apply_all(edits: Sequence[FileEdit]) -> list[FileOutcome]:
    reasons: list[str] = []
    for edit in edits:
        if any(reasons):
            reasons.append("not tried, as an earlier file failed")
        else:
            reasons.append(_try(edit))
    return [
        FileOutcome(edit.path, applied=not reason, reason=reason, after=_read_back(edit, applied=not reason))
        for edit, reason in zip(edits, reasons, strict=True)
    ]


def _try(edit: FileEdit) -> str:
    """Apply the edit; the reason why not, or nothing."""
    try:
        _apply(edit)
    except (DocumentError, EditConflict) as error:
        return str(error)
    except OSError as error:
        return f"{edit.path}: {error.strerror or error}"
    return ""


def _apply(edit: FileEdit) -> None:
    match edit.kind:
        case "create":
            create_document(edit.path, edit.new_text, encoding=edit.encoding, bom=edit.bom, mode=edit.mode)
        case "modify":
            current = _expected(edit)
            write_document(edit.path, edit.new_text, encoding=current.encoding, bom=current.bom)
        case "delete":
            _expected(edit)
            edit.path.unlink()
            remove_empty_directories(edit.path, edit.made_directory)
        case "rename":
            _rename(edit, _expected(edit))
        case _:
            assert_never(edit.kind)


def _expected(edit: FileEdit) -> Document:
    """The document as it is now. Raises EditConflict when it is not the one the edit was made for."""
    current = read_document(edit.path)
    if edit.base is None or current.sha256 != edit.base.sha256:
        raise EditConflict(f"{edit.path} has changed on disk since it was read.")
    return current


def _rename(edit: FileEdit, current: Document) -> None:
    if edit.new_path is None:
        raise DocumentError(f"{edit.path}: a rename needs a new path.")
    if edit.path.is_symlink():
        raise DocumentError(f"{edit.path} is a symbolic link; rename what it points to, or the link by a command.")
    if os.path.lexists(edit.new_path):
        raise DocumentError(f"{edit.new_path} exists already.")
    if edit.new_text == current.text:
        edit.new_path.parent.mkdir(parents=True, exist_ok=True)
        _move_exclusively(edit.path, edit.new_path)
        remove_empty_directories(edit.path, edit.made_directory)
        return
    mode = stat.S_IMODE(edit.path.stat().st_mode)
    create_document(edit.new_path, edit.new_text, encoding=current.encoding, bom=current.bom, mode=mode)
    edit.path.unlink()
    remove_empty_directories(edit.path, edit.made_directory)


def _read_back(edit: FileEdit, *, applied: bool) -> Document | None:
    """What is there now; None where nothing is, or nothing that can be read as text."""
    path = edit.new_path if applied and edit.kind == "rename" and edit.new_path else edit.path
    try:
        return read_document(path)
    except DocumentError:
        return None


def missing_directory(path: Path) -> Path | None:
    """The outermost directory that will have to be made for the file; None where its own is there. Blocks."""
    missing = [parent for parent in path.parents if not os.path.lexists(parent)]
    return missing[-1] if missing else None


def remove_empty_directories(path: Path, outermost: Path | None) -> None:
    """Remove the directories that held the file, up to `outermost` and with it, as far as they are empty. Blocks."""
    if outermost is None:
        return
    with suppress(OSError):  # It holds something, or is not ours to remove.
        for parent in path.parents:
            if not parent.is_relative_to(outermost):
                return
            parent.rmdir()


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _refuse_special(path: Path, status: os.stat_result | None) -> None:
    if status is None:
        return
    if stat.S_ISDIR(status.st_mode):
        raise DocumentError(f"{path} is a directory, not a file.")
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError(f"{path} is not a regular file.")
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise DocumentError(f"{path} is read-only. Make it writable first, if it is meant to be changed.")


def leftovers(path: Path) -> list[tuple[Path, int]]:
    """The temporary files beside `path` that hold what it was to become, and the process that makes each. Blocks."""
    target = real(path)
    prefix = _temporary_prefix(target)
    found: list[tuple[Path, int]] = []
    with suppress(OSError):
        for name in os.listdir(target.parent):  # noqa: PTH208
            process, _, unique = name.removeprefix(prefix).partition(".")
            if name.startswith(prefix) and process.isdecimal() and unique.startswith("tmp_"):
                found.append((target.with_name(name), int(process)))
    return found


def _temporary_prefix(target: Path) -> str:
    return f".{target.name[:50]}."


@contextmanager
def _finished_file(target: Path, data: bytes, existing: os.stat_result | None, mode: int | None) -> Generator[Path]:
    """A whole, synced file beside `target`, with the mode and owner the target has or shall have; gone afterwards."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{_temporary_prefix(target)}{os.getpid()}.{new_id('tmp')}")
    # Not by tempfile: its files are private (0600), where a new file should have what the umask leaves.
    descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if existing is not None:
            _keep_owner(temporary, existing)
            mode = stat.S_IMODE(existing.st_mode)
        if mode is not None:
            temporary.chmod(mode)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _move_exclusively(source: Path, target: Path) -> None:
    """Rename, never over anything. Raises FileExistsError."""
    if os.name == "nt":
        source.rename(target)  # Refuses by itself there.
        return
    try:
        target.hardlink_to(source)
    except FileExistsError:
        raise
    except OSError:
        # No hard links on this file system, or not for us: the next best.
        if os.path.lexists(target):
            raise FileExistsError(str(target)) from None
        source.rename(target)
    else:
        source.unlink()


def _keep_owner(temporary: Path, existing: os.stat_result) -> None:
    made = temporary.stat()
    if os.name == "nt" or (made.st_uid, made.st_gid) == (existing.st_uid, existing.st_gid):
        return
    try:
        os.chown(temporary, existing.st_uid, existing.st_gid)
    except PermissionError:
        return  # Only root may give a file away; the text matters more than its owner.
