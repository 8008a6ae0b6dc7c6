"""Changes of a worktree as proposals for the files of the user's own tree."""

from pathlib import Path

from msgspec import Struct

from placet.changes.journal.current_files import read_or_none
from placet.changes.journal.raw_file import HAS_PERMISSIONS, RawFile, permissions, read_raw
from placet.core.errors import DocumentError, RequestError
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents, FileEditKind, ProposedFile
from placet.project.files.line_endings import project_line_ending
from placet.project.paths import Workspace, real
from placet.text.encoding import Decoded
from placet.text.lines import own_line_ending, to_lf
from placet.worktrees.difference import ChangedContent, ChangedText, Content, Difference, blob_of

_EXECUTABLE = 0o755
_USUAL = 0o644
_READ = 0o444
_RUN = 0o111


class StagedContent(Struct, frozen=True):
    """Change of a file or a link that is no text; None stands for no file."""

    path: Path
    before: RawFile | None
    after: RawFile | None
    mode: int | None
    """New permission bits; None for bits that stay, and for the bits of any new file."""


class WorktreeChanges(Struct, frozen=True):
    """Changes of a worktree, made for the files of the user's own tree."""

    files: tuple[ProposedFile, ...]
    """Proposals on the texts with which the worktree began: the change set merges the proposals with the present."""
    contents: tuple[StagedContent, ...]
    """Changes of files and links that are no text."""
    left_out: tuple[str, ...]


async def changes_for(difference: Difference, top: Path, workspace: Workspace, documents: Documents) -> WorktreeChanges:
    """Return the changes for the tree at `top`. Files outside of the workspace are left out."""
    files, left_out = list[ProposedFile](), list(difference.left_out)
    for text in difference.texts:
        try:
            files.append(await _proposed(text, top, workspace, documents))
        except (RequestError, DocumentError) as error:
            left_out.append(f"{text.new_name or text.name} {error}")
    contents: list[StagedContent] = []
    for content in difference.contents:
        try:
            contents.append(await _staged_content(content, top, workspace))
        except (RequestError, DocumentError) as error:
            left_out.append(f"{content.name} {error}")
    return WorktreeChanges(tuple(files), tuple(contents), tuple(left_out))


async def _staged_content(content: ChangedContent, top: Path, workspace: Workspace) -> StagedContent:
    """Return the change on the user's file. Raises RequestError or DocumentError."""
    path = top / content.name
    if not workspace.contains(await in_thread(real, path.parent)):
        raise RequestError("lies outside of the opened folder")
    before, after = _raw(content.base), _raw(content.present)
    current = await in_thread(read_raw, path)
    if current is not None and current.form == "file" and before is not None:
        # Filters of the user's git can give the file another form than git stores.
        data = await blob_of(top, content.name, current.data)
        before = current if data in content.known else before
    elif current == after:
        before = current  # The user's tree has the change already.
    mode = None
    if after is not None and after.form == "file" and content.present is not None:
        was_executable = content.base is not None and content.base.is_executable
        if content.base is None or content.base.is_link:
            mode = _EXECUTABLE if content.present.is_executable else None
        elif was_executable != content.present.is_executable:
            mode = _new_bits(current.mode if current is not None else None, is_executable=not was_executable)
        after = RawFile("file", after.data, mode)
    return StagedContent(path, before, after, mode)


def _raw(content: Content | None) -> RawFile | None:
    return None if content is None else RawFile("link" if content.is_link else "file", content.data)


def _new_bits(bits: int | None, *, is_executable: bool) -> int:
    """Return the permission bits of a file that becomes executable for everyone who reads the file, or no more."""
    bits = _USUAL if bits is None else bits
    return bits | (bits & _READ) >> 2 if is_executable else bits & ~_RUN


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
        mode=await _mode(text, path),
    )


async def _mode(text: ChangedText, path: Path) -> int | None:
    """Return the new permission bits of the file; None for bits that stay, and for the bits of any new file."""
    if text.kind == "create":
        return _EXECUTABLE if text.is_executable else None
    bits = await in_thread(permissions, path)
    if text.is_executable is None or not HAS_PERMISSIONS or bits is None:
        return None
    wanted = _new_bits(bits, is_executable=text.is_executable)
    return None if wanted == bits else wanted


async def _is_as_brought(brought: Decoded, path: Path, documents: Documents) -> bool:
    """Return whether the user's file is as the worktree's was when the changes were last brought back: then only later
    changes of the worktree are new.
    """
    present = await read_or_none(documents, path)
    return present is not None and to_lf(present.text) == to_lf(brought.text)
