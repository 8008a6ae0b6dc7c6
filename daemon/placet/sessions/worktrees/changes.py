"""Changes of a worktree as proposals for the files of the user's own tree."""

from pathlib import Path

from msgspec import Struct

from placet.changes.journal.current_files import read_or_none
from placet.core.errors import DocumentError, RequestError
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents, FileEditKind, ProposedFile
from placet.project.files.line_endings import project_line_ending
from placet.project.paths import Workspace, real
from placet.text.encoding import Decoded
from placet.text.lines import own_line_ending, to_lf
from placet.worktrees.difference import ChangedText, Difference


class WorktreeChanges(Struct, frozen=True):
    """Changes of a worktree, made for the files of the user's own tree."""

    files: tuple[ProposedFile, ...]
    """Proposals on the texts with which the worktree began: the change set merges the proposals with the present."""
    left_out: tuple[str, ...]


async def changes_for(difference: Difference, top: Path, workspace: Workspace, documents: Documents) -> WorktreeChanges:
    """Return the changes for the tree at `top`. Files outside of the workspace are left out."""
    files, left_out = list[ProposedFile](), list(difference.left_out)
    for text in difference.texts:
        try:
            files.append(await _proposed(text, top, workspace, documents))
        except (RequestError, DocumentError) as error:
            left_out.append(f"{text.new_name or text.name} {error}")
    return WorktreeChanges(tuple(files), tuple(left_out))


async def _proposed(text: ChangedText, top: Path, workspace: Workspace, documents: Documents) -> ProposedFile:
    path, new_path = top / text.name, top / text.new_name if text.new_name else None
    for place in (path, new_path):
        if place is not None and not workspace.contains(await in_thread(real, place)):
            raise RequestError("lies outside of the opened folder")
    kind: FileEditKind = text.kind
    wanted = "" if text.present is None else to_lf(text.present.text)
    base = text.base
    if text.brought is not None and await _is_as_brought(text.brought, new_path or path, documents):
        kind = "delete" if text.present is None else "modify"
        path, new_path, base = new_path or path, None, text.brought
    document = None if base is None else Document(path, base.text, "disk", encoding=base.encoding, bom=base.bom)
    ending = await project_line_ending(path) if kind == "create" else None
    return ProposedFile(
        path=path,
        kind=kind,
        old_text="" if base is None else to_lf(base.text),
        new_text=wanted,
        hunks=(),  # The review computes the hunks on the present file.
        new_path=new_path,
        name=workspace.name(path),
        document=document,
        line_ending=ending or ("\n" if text.present is None else own_line_ending(text.present.text)),
        bom=kind == "create" and text.present is not None and text.present.bom,
        mode=0o755 if text.is_executable else None,
    )


async def _is_as_brought(brought: Decoded, path: Path, documents: Documents) -> bool:
    """Return whether the user's file is as the worktree's was when the changes were last brought back: then only later
    changes of the worktree are new.
    """
    present = await read_or_none(documents, path)
    return present is not None and to_lf(present.text) == to_lf(brought.text)
