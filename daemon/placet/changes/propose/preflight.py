"""Checks for impossible changes, made before the user is asked. EDITS.md rule 19."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from placet.changes.propose.proposal import text_of_file
from placet.changes.propose.raw_proposal import raw_records
from placet.core.errors import DocumentError, EditError
from placet.core.ports import FileEdit, ProposedFile
from placet.project.files.absence import no_file
from placet.project.files.disk import encode_readable, encoding_of_new
from placet.project.paths import real, real_paths
from placet.project.undecodable_names import spelled
from placet.text.plan import EditPlan, PlannedFile


def refuse_impossible(plan: EditPlan, vacated: Collection[Path] = ()) -> None:
    """Raise EditError or DocumentError, with advice, for an impossible plan. Blocks (stat).

    `vacated` paths count as free, although a file is still on the disk.
    """
    if not plan.files and not raw_records(plan):
        raise EditError("The change names no file. Say which file is to be changed, and how.")
    seen: set[Path] = set()
    targets = real_paths(touched(plan))
    for path in touched(plan):
        if (name := spelled(str(path))) != str(path):
            raise EditError(
                f"The name of {name} is not UTF-8, so it cannot be edited here. Rename it by a command first."
            )
        if (target := targets[path]) in seen:
            raise EditError(f"{path} is named twice in one change. Put all that is to be done to it into one.")
        seen.add(target)
    for file in plan.files:
        _refuse(file, vacated)


def refuse_unwritable(files: Iterable[ProposedFile]) -> None:
    """Raise DocumentError for a text which the file could not give back: too long, with a NUL, half a character, …"""
    for file in files:
        if file.kind == "delete" or file.is_raw or not file.changes_anything:
            continue
        document = file.document
        if document is None:
            encoding, bom = encoding_of_new(FileEdit("create", file.new_path or file.path, None, bom=file.bom))
        else:
            encoding, bom = document.encoding, document.bom
        try:
            encode_readable(text_of_file(file), encoding, bom)
        except DocumentError as error:
            raise DocumentError(f"{file.new_name or file.name}: {error} Nothing was changed.") from error


def hard_link_remark(files: Iterable[ProposedFile]) -> str:
    """Return a remark on the other names of hard-linked files, to begin a question's title; mostly empty. Blocks
    (stat).

    Files on disk are replaced, which cuts the links; the treatment of an open document is the editor's own affair.
    """
    sources: set[str] = set()
    for file in files:
        if file.document is not None and file.kind in ("modify", "rename") and file.hunks:
            with suppress(OSError):
                if file.path.stat().st_nlink > 1:
                    sources.add(file.document.source)
    if not sources:
        return ""
    others = "keep the old text" if sources == {"disk"} else "may change too, or keep the old text"
    return f"File with hard links, whose other names {others}: "


def touched(plan: EditPlan) -> Iterator[Path]:
    """Yield every path of the plan, a rename's destination too."""
    for file in plan.files:
        yield file.path
        if file.new_path is not None:
            yield file.new_path


def _refuse(file: PlannedFile, vacated: Collection[Path]) -> None:
    match file.kind:
        case "create":
            if file.path not in vacated:
                _refuse_occupied(file.path, "write to the file that is there, or choose another name")
            _refuse_parent(file.path)
        case "modify":
            _refuse_unwritable(file.path)
        case "delete":
            _refuse_link(file.path)
            _refuse_unwritable(file.path)
        case "rename":
            if file.new_path is None:
                raise EditError(f"{file.path}: a rename needs to say where to.")
            _refuse_link(file.path)
            _refuse_unwritable(file.path)
            if file.new_path not in vacated:
                _refuse_occupied(file.new_path, "choose another name, or delete that file first")
            _refuse_parent(file.new_path)


def _refuse_occupied(path: Path, instead: str) -> None:
    if path.is_dir():
        raise DocumentError(f"{path} is a directory. Name a file in it.")
    if path.is_symlink() and not path.exists():
        raise DocumentError(no_file(path))
    if os.path.lexists(path):
        raise EditError(f"{path} exists already. Read it, and {instead}.")


def _refuse_parent(path: Path) -> None:
    """Raise DocumentError unless the nearest existing parent is a writable directory."""
    parent = next(parent for parent in path.parents if os.path.lexists(parent) or parent == parent.parent)
    if not parent.is_dir():
        raise DocumentError(f"{path} cannot be made: {parent} is not a directory. Choose another place.")
    if not os.access(parent, os.W_OK):
        raise DocumentError(f"{path} cannot be made: the directory {parent} is read-only. {_ASK}")


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise DocumentError(
            f"{path} is a symbolic link to {real(path)}. Name that file instead, or use a command for the link itself."
        )


def _refuse_unwritable(path: Path) -> None:
    """Raise DocumentError if the path exists and is not a writable regular file.

    A missing file is left to Documents, which may have the file open unsaved.
    """
    try:
        status = path.stat()
    except OSError:
        return
    if stat.S_ISDIR(status.st_mode):
        raise DocumentError(f"{path} is a directory. Name a file in it, or use a command for directories.")
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError(f"{path} is not a regular file and cannot be edited. Use a command instead.")
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise DocumentError(f"{path} is read-only. {_ASK}")


_ASK = "Ask the user to make it writable if it is meant to be changed."
