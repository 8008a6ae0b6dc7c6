"""Documents on disk: read whole, written whole or not at all. docs/EDITS.md rules 5, 10, 12 and 19."""

import os
import stat
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, assert_never

from placet.core.errors import DocumentError, DocumentMissing, EditConflict
from placet.core.executor import in_thread
from placet.core.ports import Document, FileEdit, FileOutcome
from placet.core.regular_files import open_without_waiting
from placet.core.values import replace
from placet.project.files.absence import no_file
from placet.project.files.gathered_reads import GatheredReads
from placet.project.files.held_directory import HeldDirectory, held
from placet.project.files.line_endings import project_encoding
from placet.project.files.replacement import finished_file, temporary_prefix
from placet.project.paths import real
from placet.text.encoding import Undecodable, decode, encode
from placet.text.lines import restore_line_endings, to_lf

MAX_BYTES = 32 * 1024 * 1024
"""Size limit in bytes; nobody edits a larger file as text."""


_LATIN_1 = "latin-1"


class TooLarge(DocumentError):
    """A regular file of more than MAX_BYTES: the file can be looked at in pieces, and not be edited."""


def encoding_of_new(edit: FileEdit) -> tuple[str, bool]:
    """Return the encoding of a file to be created, and whether the file begins with a byte order mark. Blocks."""
    if edit.encoding is not None:
        return edit.encoding, edit.bom
    name, has_mark = project_encoding(edit.path)
    return ("utf-8", True) if edit.bom else (name, has_mark)


def _of_one_byte(encoding: str) -> str | None:
    """Return the encoding if each byte is a character: only such an encoding can be taken for any bytes."""
    return encoding if encoding == _LATIN_1 else None


def read_document(path: Path) -> Document:
    """Return the file's text unchanged, its own line ends kept, the BOM apart. Blocks.

    Raises DocumentMissing; Undecodable for a binary and an encoding other than UTF-8 (or UTF-16/32 with a BOM);
    TooLarge; or DocumentError for a directory, a device, or a refusal of the system.
    """
    try:
        with open(path, "rb", opener=open_without_waiting) as file:
            return _document(path, file)
    except (FileNotFoundError, NotADirectoryError):
        raise DocumentMissing(no_file(path)) from None
    except OSError as error:
        if path.is_dir():
            raise DocumentError(f"{path} is a directory, not a file.") from None
        raise DocumentError(f"{path} cannot be read: {error.strerror or error}.") from error


def encode_readable(text: str, encoding: str, bom: bool) -> bytes:
    """Return the bytes of a text, if `read_document` gives this very text back. Raises DocumentError otherwise."""
    data = encode(text, encoding, bom)
    if len(data) > MAX_BYTES:
        raise DocumentError(
            f"The text would be {len(data)} bytes long, more than the {MAX_BYTES} that can be edited as text. "
            "Make several files of it, or let a command write it."
        )
    if (nul := text.find("\0")) >= 0:
        line = text.count("\n", 0, nul) + 1
        raise DocumentError(
            f"The text holds a NUL character (line {line}), so it could not be read as text again. Leave it out, "
            "write it as an escape of the language, or let a command write the file."
        )
    if decode(data, _of_one_byte(encoding)) != (text, encoding, bom):
        if encoding == _LATIN_1:
            raise DocumentError("The text as Latin-1 would be read as UTF-8 again, as another text.")
        raise DocumentError(
            "The text begins with U+FEFF, which at the beginning of this file would be a byte order mark and no "
            "character of its text. Leave it out."
        )
    return data


def write_document(path: Path, text: str, *, encoding: str, bom: bool, mode: int | None = None) -> None:
    """Put `text` into the file in a single step: temporary file in the same directory, fsync, rename. Blocks.

    An existing file keeps its mode, extended attributes and, where we may, owner; a symlink stays and the target is
    written; missing parents are made. `mode` is for a new file. Raises DocumentError.
    """
    target = real(path)
    with _document_errors(path, "written"), held(target.parent, make=True) as directory:
        if directory.status(target.name) is None:
            _create(directory, target.name, encode_readable(text, encoding, bom), mode)
        else:
            with _opened(directory, target.name, path) as file:
                _refuse_read_only(path, file)
                _replace(directory, target.name, encode_readable(text, encoding, bom), file)


def rewrite_document(present: Document, text: str, *, encoding: str, bom: bool) -> bool:
    """Put `text` into the file, also in another encoding. Return False if the file no longer holds `present`. Blocks.

    Raises DocumentError.
    """
    target = real(present.path)
    try:
        with _expected(FileEdit("modify", present.path, present), target) as (directory, _, file):
            _refuse_read_only(present.path, file)
            _replace(directory, target.name, encode_readable(text, encoding, bom), file)
    except EditConflict:
        return False
    return True


def refuse_read_only(path: Path) -> None:
    """Raise DocumentError for a file that may not be written. Blocks."""
    with _document_errors(path, "written"), open(path, "rb", opener=open_without_waiting) as file:
        _refuse_read_only(path, file)


class DiskDocuments:
    """Documents port over the disk alone: for a client without an editor, and for files not open in the editor."""

    def __init__(self) -> None:
        self._reads = GatheredReads(read_document)

    async def read(self, path: Path) -> Document:
        return await self._reads.read(path)

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        """Apply the edits as the port says; the base is compared by sha256 before each write; the first failure ends
        the run."""
        return await in_thread(_apply_all, edits, _apply)

    async def apply_to_saved(self, edits: Sequence[FileEdit]) -> list[FileOutcome]:
        """Apply edits of texts, as `apply` does, also where a file has other line ends than the edit's base."""
        return await in_thread(_apply_all, edits, _apply_to_saved)

    async def unsaved(self) -> list[Document]:
        """Return no document: nothing is open here."""
        return []

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        """Save nothing: nothing is open here."""
        return []

    async def reload(self) -> None:
        """Do nothing: the disk is read anew each time."""

    def watch_saves(self) -> AbstractContextManager[Mapping[Path, str]]:
        """Return a watch that sees nothing: nothing is open here."""
        return nullcontext({})


def on_saved(edit: FileEdit, saved: Document) -> FileEdit:
    """Return the edit for the document on disk. Raises EditConflict if the document has another text than the edit's
    base.
    """
    if edit.base is None or to_lf(saved.text) != to_lf(edit.base.text):
        raise EditConflict(f"{edit.path} has changed since the edit was made; read it again.")
    return replace(edit, base=saved, new_text=restore_line_endings(saved.text, to_lf(edit.new_text)))


def _apply_all(edits: Sequence[FileEdit], apply: Callable[[FileEdit], None]) -> list[FileOutcome]:
    reasons: list[str] = []
    for edit in edits:
        if any(reasons):
            reasons.append("not tried, as an earlier file failed")
        else:
            reasons.append(_try(edit, apply))
    return [
        FileOutcome(edit.path, applied=not reason, reason=reason, after=_read_back(edit, applied=not reason))
        for edit, reason in zip(edits, reasons, strict=True)
    ]


def _try(edit: FileEdit, apply: Callable[[FileEdit], None]) -> str:
    """Apply the edit; return the reason of a failure, or ""."""
    try:
        apply(edit)
    except (DocumentError, EditConflict) as error:
        return str(error)
    except OSError as error:
        return f"{edit.path}: {error.strerror or error}"
    return ""


def _apply(edit: FileEdit) -> None:
    target = edit.target or _leads_to(edit)
    match edit.kind:
        case "create":
            data = encode_readable(edit.new_text, *encoding_of_new(edit))
            with _document_errors(edit.path, "created"), held(target.parent, make=True) as directory:
                _create(directory, target.name, data, edit.mode)
        case "modify":
            with _expected(edit, target) as (directory, current, file):
                _refuse_read_only(edit.path, file)
                data = encode_readable(edit.new_text, current.encoding, current.bom)
                _replace(directory, target.name, data, file)
        case "delete":
            with _expected(edit, target) as (directory, _, _):
                directory.remove(target.name)
                directory.sync()
            remove_empty_directories(target, edit.made_directory)
        case "rename":
            _rename(edit, target)
        case _:
            assert_never(edit.kind)


def _apply_to_saved(edit: FileEdit) -> None:
    """Change the text of the file, as the file has the text now. One look serves the comparison and the write."""
    target = edit.target or _leads_to(edit)
    with _present(edit, target) as (directory, current, file):
        edit = on_saved(edit, current)
        _refuse_read_only(edit.path, file)
        _replace(directory, target.name, encode_readable(edit.new_text, current.encoding, current.bom), file)


def _leads_to(edit: FileEdit) -> Path:
    """Return the target of the edit's path; only an edit of a text follows a link at the very end of the path."""
    return real(edit.path) if edit.kind == "modify" else real(edit.path.parent) / edit.path.name


@contextmanager
def _expected(edit: FileEdit, target: Path) -> Generator[tuple[HeldDirectory, Document, IO[bytes]]]:
    """Hold the file and the file's directory. Raises EditConflict for another text than the edit's base."""
    with _present(edit, target) as (directory, current, file):
        if edit.base is None or current.sha256 != edit.base.sha256:
            raise EditConflict(f"{edit.path} has changed on disk since it was read.")
        yield directory, current, file


@contextmanager
def _present(edit: FileEdit, target: Path) -> Generator[tuple[HeldDirectory, Document, IO[bytes]]]:
    """Hold the file, as the file is now, and the file's directory."""
    with (
        _document_errors(edit.path, "changed"),
        held(target.parent) as directory,
        _opened(directory, target.name, edit.path) as file,
    ):
        yield directory, _document(edit.path, file), file


def _rename(edit: FileEdit, target: Path) -> None:
    if edit.new_path is None:
        raise DocumentError(f"{edit.path}: a rename needs a new path.")
    if edit.path.is_symlink():
        raise DocumentError(f"{edit.path} is a symbolic link; rename what it points to, or the link by a command.")
    new_target = edit.new_target or real(edit.new_path.parent) / edit.new_path.name
    with (
        _expected(edit, target) as (directory, current, file),
        _document_errors(edit.new_path, "created"),
        held(new_target.parent, make=True) as new_directory,
    ):
        if edit.new_text == current.text:
            directory.move_exclusively(target.name, new_directory, new_target.name)
        else:
            data = encode_readable(edit.new_text, current.encoding, current.bom)
            with finished_file(new_directory, new_target.name, data, like=file.fileno()) as temporary:
                new_directory.move_exclusively(temporary, new_directory, new_target.name)
            new_directory.sync()
            directory.remove(target.name)
        new_directory.sync()
        directory.sync()
    remove_empty_directories(target, edit.made_directory)


def _create(directory: HeldDirectory, name: str, data: bytes, mode: int | None) -> None:
    with finished_file(directory, name, data, like=None, mode=mode) as temporary:
        directory.move_exclusively(temporary, directory, name)
    directory.sync()


def _replace(directory: HeldDirectory, name: str, data: bytes, old: IO[bytes]) -> None:
    with finished_file(directory, name, data, like=old.fileno()) as temporary:
        directory.replace(name, temporary)
    directory.sync()


@contextmanager
def _opened(directory: HeldDirectory, name: str, path: Path) -> Generator[IO[bytes]]:
    """Open a regular file for reading. Raises DocumentMissing, DocumentError, OSError."""
    status = directory.status(name)
    if status is None:
        raise DocumentMissing(no_file(path))
    _refuse_special(path, status)
    with os.fdopen(directory.open(name, os.O_RDONLY), "rb") as file:
        yield file


@contextmanager
def _document_errors(path: Path, failed_action: str) -> Generator[None]:
    """Turn a refusal of the system into a DocumentError that names the file and the failed action."""
    try:
        yield
    except FileExistsError:
        raise DocumentError(f"{path} exists already.") from None
    except OSError as error:
        raise DocumentError(f"{path} cannot be {failed_action}: {error.strerror or error}.") from error


def _document(path: Path, file: IO[bytes]) -> Document:
    """Read an open file. Raises DocumentError, OSError."""
    status = os.fstat(file.fileno())
    _refuse_special(path, status)
    if status.st_size > MAX_BYTES:
        raise TooLarge(
            f"{path} has {status.st_size} bytes, more than the {MAX_BYTES} that can be edited as text. "
            "Look at it in pieces with read or grep, and change it by a command."
        )
    data = file.read(MAX_BYTES)
    try:
        decoded = decode(data)
    except Undecodable as error:
        other = _of_one_byte(project_encoding(path).name)
        if other is None or b"\0" in data:
            raise Undecodable(f"{path} cannot be read as text: {error}") from error
        decoded = decode(data, other)
    return Document(path=path, text=decoded.text, source="disk", encoding=decoded.encoding, bom=decoded.bom)


def _refuse_special(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise DocumentError(f"{path} is a directory, not a file.")
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError(f"{path} is not a regular file.")


def _refuse_read_only(path: Path, file: IO[bytes]) -> None:
    if not os.fstat(file.fileno()).st_mode & 0o222 or not os.access(path, os.W_OK):
        raise DocumentError(f"{path} is read-only. Make it writable first, if it is meant to be changed.")


def _read_back(edit: FileEdit, *, applied: bool) -> Document | None:
    """Return the present document, or None if no file exists or the file cannot be read as text."""
    path = edit.new_path if applied and edit.kind == "rename" and edit.new_path else edit.path
    try:
        return read_document(path)
    except DocumentError:
        return None


def missing_directory(path: Path) -> Path | None:
    """Return the outermost directory to make for the file, or None if the file's directory exists. Blocks."""
    missing = [parent for parent in path.parents if not os.path.lexists(parent)]
    return missing[-1] if missing else None


def remove_empty_directories(path: Path, outermost: Path | None) -> None:
    """Remove the empty directories that held the file, up to and including `outermost`. Blocks."""
    if outermost is None:
        return
    last = real(outermost)
    with suppress(OSError, DocumentError):  # The directory holds files, is not ours to remove, or has become a link.
        for parent in path.parents:
            if not parent.is_relative_to(last):
                return
            with held(parent.parent) as directory:
                directory.remove_directory(parent.name)


def leftovers(path: Path) -> list[tuple[Path, int]]:
    """Return the temporary files beside `path` with the intended text, each with the id of the file's process.
    Blocks."""
    target = real(path)
    prefix = temporary_prefix(target.name)
    temporaries: list[tuple[Path, int]] = []
    with suppress(OSError):
        for name in os.listdir(target.parent):  # noqa: PTH208
            process, _, unique = name.removeprefix(prefix).partition(".")
            if name.startswith(prefix) and process.isdecimal() and unique.startswith("tmp_"):
                temporaries.append((target.with_name(name), int(process)))
    return temporaries
