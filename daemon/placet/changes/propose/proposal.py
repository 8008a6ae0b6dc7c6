"""Functions over the proposed files of a change: the wanted text against the current text, and the part that the user
accepted. Pure.
"""

from collections.abc import Iterable, Sequence

from placet.core.errors import EditConflict, EditError
from placet.core.ports import Document, FileEdit, FileEditKind, ProposedFile
from placet.core.values import replace
from placet.text.counted import first_lines
from placet.text.diff import hunk_edits, hunks_and_diff, text_edits, unified_diff
from placet.text.lines import own_line_ending, restore_line_endings, to_lf
from placet.text.merge import merge, merge_own
from placet.text.plan import PlannedFile

BOM = "\ufeff"
MOST_DIFF_LINES = 60
"""Highest number of diff lines of the user's own change in an error text."""


def propose(
    planned: PlannedFile, document: Document | None, name: str, new_name: str = "", *, line_ending: str | None = None
) -> ProposedFile:
    """Return the planned file as a proposal on the current document, with the user's changes since the plan's base
    merged in.

    `line_ending` is the project's rule for a file to be created; without a rule the text's own line ending counts.
    Raises EditConflict where the plan and the user changed the same lines, and EditError when a file exists or is
    missing against the plan.
    """
    if planned.kind == "create":
        if document is not None:
            raise EditError(f"{name} exists already. Read it, and edit what is there.")
        new_text = planned.new_text or ""
        file = _proposed(planned, None, to_lf(new_text.removeprefix(BOM)), name, new_name)
        return replace(file, line_ending=line_ending or own_line_ending(new_text), bom=new_text.startswith(BOM))
    if document is None:
        raise EditConflict(f"{name} is no longer there: it was removed or renamed since you read it. Look again.")
    if planned.base_text is None:
        raise EditError(f"{name} was not read in this session. Read it first, then propose the change again.")
    base_text, current_text = to_lf(planned.base_text), to_lf(document.text)
    user_diff = _diff(base_text, current_text, name)
    if planned.kind == "delete":
        if user_diff:
            raise _conflict(name, user_diff, _author_of(document))
        return _proposed(planned, document, "", name, new_name)
    new_text = base_text if planned.new_text is None else to_lf(planned.new_text)
    file = _proposed(planned, document, _merged(base_text, document, new_text, name), name, new_name)
    return replace(file, merged_diff=user_diff)


def propose_text(planned: PlannedFile, name: str) -> ProposedFile:
    """Return the planned file as a proposal on its own base, where no document holds the file."""
    base, text = to_lf(planned.base_text or ""), to_lf(planned.new_text or "")
    hunks, diff = hunks_and_diff(base, text, *diff_names(planned.kind, name, ""))
    return ProposedFile(planned.path, planned.kind, base, text, hunks, name=name, diff=diff)


def on_own_changes(planned: PlannedFile, steps: Iterable[tuple[str, str]], name: str) -> PlannedFile:
    """Return the planned file as computed on the text after the agent's own commands, which have changed the file since
    it was read: a step has the text before and after a command.

    Raises EditConflict where a command has changed the lines of the plan.
    """
    for before, after in ((to_lf(before), to_lf(after)) for before, after in steps):
        if planned.base_text is None or to_lf(planned.base_text) != before:
            continue
        try:
            new_text = None if planned.new_text is None else merge_own(before, after, to_lf(planned.new_text))
        except EditConflict as error:
            raise _conflict(name, _diff(before, after, name), "a command of yours") from error
        planned = replace(planned, base_text=after, new_text=new_text)
    return planned


def with_text(file: ProposedFile, new_text: str) -> ProposedFile:
    """Return the file with another new text, and the hunks and the diff of the new text."""
    if new_text == file.new_text:
        return file
    names = diff_names(file.kind, file.name, file.new_name)
    hunks, diff = hunks_and_diff(file.old_text, new_text, *names)
    return replace(file, new_text=new_text, hunks=hunks, diff=diff)


def rejected(file: ProposedFile) -> ProposedFile:
    """Return the file with everything rejected."""
    if file.is_rejected:
        return file
    return replace(
        file,
        is_rejected=True,
        rejected_diff=file.rejected_diff + file.diff,
        rejected_hunks=file.rejected_hunks + file.hunks,
    )


def is_on(file: ProposedFile, document: Document | None) -> bool:
    """Return whether the proposal stands on the text of the document; False without a document."""
    return file.document is not None and document is not None and file.document.text == document.text


def moved_to(file: ProposedFile, document: Document | None) -> ProposedFile:
    """Return the same proposal on the current document. Raises EditConflict, or EditError if a file has appeared."""
    if is_on(file, document) and document is not None:
        return replace(file, document=document)
    planned = PlannedFile(
        kind=file.kind,
        path=file.path,
        base_text=None if file.document is None else file.old_text,
        new_text=None if file.kind == "delete" else file.new_text,
        new_path=file.new_path,
        mode=file.mode,
    )
    moved = propose(planned, document, file.name, file.new_name)
    return replace(
        moved,
        line_ending=file.line_ending,
        bom=file.bom,
        merged_diff=file.merged_diff + moved.merged_diff,
        was_removed=file.was_removed,
        rejected_diff=file.rejected_diff,
        edited_diff=file.edited_diff,
        rejected_hunks=file.rejected_hunks,
    )


def all_moved_to(
    files: Sequence[ProposedFile], documents: Sequence[Document | None], *, leaves_out: bool
) -> list[ProposedFile]:
    """Return the same proposals on the current documents. With `leaves_out`, a file in which the user has changed the
    same lines is left out, as long as another file is still to change.

    Raises EditConflict, or EditError if a file has appeared.
    """
    moved: list[ProposedFile] = []
    for file, document in zip(files, documents, strict=True):
        try:
            moved.append(moved_to(file, document) if file.changes_anything and not file.is_raw else file)
        except EditConflict as conflict:
            if not leaves_out:
                raise
            moved.append(replace(file, conflict=str(conflict)))
    conflicts = [file.conflict for file in moved if file.conflict]
    if conflicts and not any(file.changes_anything for file in moved):
        raise EditConflict("\n\n".join(conflicts))
    return moved


def has_same_hunks(shown: ProposedFile, moved: ProposedFile) -> bool:
    """Return whether the hunks are the hunks shown to the user, wherever the hunks now stand."""
    return [(hunk.old_lines, hunk.new_lines) for hunk in shown.hunks] == [
        (hunk.old_lines, hunk.new_lines) for hunk in moved.hunks
    ]


def documents_before(files: Iterable[ProposedFile]) -> list[Document]:
    """Return the documents that the files change."""
    return [file.document for file in files if file.changes_anything and file.document is not None]


def never_at_rest(files: Iterable[ProposedFile], reason: str) -> EditConflict:
    """Return the error for files that do not come to rest; the reason is a sentence."""
    names = ", ".join(file.name for file in files if file.changes_anything)
    return EditConflict(f"{names}: {reason} Read the file again, and propose the change when it has come to rest.")


def file_edit(file: ProposedFile) -> FileEdit:
    """Return the edit to apply: minimal edits, in the document's own line endings. EDITS.md rules 3 and 10."""
    document = file.document
    if document is None:
        return FileEdit("create", file.path, None, text_of_file(file), bom=file.bom, mode=file.mode)
    if file.kind == "delete":
        return FileEdit("delete", file.path, document)
    new_text = text_of_file(file)
    has_lf = document.text == file.old_text and new_text == file.new_text
    edits = hunk_edits(document.text, file.hunks) if has_lf else text_edits(document.text, new_text)
    return FileEdit(file.kind, file.path, document, new_text, edits, file.new_path)


def text_of_file(file: ProposedFile) -> str:
    """Return the new text in the current or future line endings of the file."""
    if file.document is None:
        return file.new_text.replace("\n", file.line_ending)
    return restore_line_endings(file.document.text, file.new_text)


def _conflict(name: str, diff: str, author: str) -> EditConflict:
    shown = first_lines(diff.rstrip("\n").split("\n"), MOST_DIFF_LINES)
    return EditConflict(
        f"{name}: {author} has changed the same lines since you read it, so nothing was changed. The change is:\n"
        + "\n".join(shown)
        + "\nRead the file again and propose the edit on the text as it is."
    )


def _proposed(planned: PlannedFile, document: Document | None, new_text: str, name: str, new_name: str) -> ProposedFile:
    old_text = "" if document is None else to_lf(document.text)
    hunks, diff = hunks_and_diff(old_text, new_text, *diff_names(planned.kind, name, new_name))
    return ProposedFile(
        path=planned.path,
        kind=planned.kind,
        old_text=old_text,
        new_text=new_text,
        hunks=hunks,
        new_path=planned.new_path,
        name=name,
        new_name=new_name,
        document=document,
        diff=diff,
        mode=planned.mode,
    )


def _author_of(document: Document) -> str:
    """Return who has changed the document, as far as anybody knows: an editor tells of typing, a disk of nobody."""
    return "the user" if document.source in ("buffer", "editor") and document.dirty else "the user or another program"


def _merged(base_text: str, document: Document, new_text: str, name: str) -> str:
    current_text = to_lf(document.text)
    if base_text == current_text:
        return new_text
    try:
        return merge(base_text, current_text, new_text)
    except EditConflict as error:
        raise _conflict(name, _diff(base_text, current_text, name), _author_of(document)) from error


def diff_names(kind: FileEditKind, name: str, new_name: str) -> tuple[str, str]:
    """Return the two names in the head of the file's diff."""
    old_name = "/dev/null" if kind == "create" else f"a/{name.lstrip('/')}"
    return old_name, "/dev/null" if kind == "delete" else f"b/{(new_name or name).lstrip('/')}"


def _diff(old: str, new: str, name: str) -> str:
    return unified_diff(old, new, f"a/{name.lstrip('/')}", f"b/{name.lstrip('/')}")
