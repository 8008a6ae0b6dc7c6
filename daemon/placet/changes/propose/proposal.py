"""Proposal of a change: the wanted text against the current text, and the part allowed by the user. Pure.

All texts here have LF line endings; the documents keep their own line endings.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from placet.core.errors import EditConflict, EditError
from placet.core.ports import Document, FileEdit, FileEditKind, Hunk, PermissionAnswer, ProposedChange, ProposedFile
from placet.text.diff import apply_hunks, make_hunks, text_edits, unified_diff
from placet.text.lines import own_line_ending, restore_line_endings, to_lf
from placet.text.merge import merge
from placet.text.plan import PlannedFile

BOM = "\ufeff"
MOST_DIFF_LINES = 60
"""Highest number of diff lines of the user's own change in an error text."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One file's part of a proposed change, on the document as last read."""

    kind: FileEditKind
    path: Path
    name: str
    """Path as the user knows the path."""
    document: Document | None
    """Current document; None for a file to be created."""
    new_text: str
    hunks: tuple[Hunk, ...]
    diff: str
    """Unified diff of all changes to the file."""
    new_path: Path | None = None
    new_name: str = ""
    is_rejected: bool = False
    merged: str = ""
    """Diff, like `refused` and `edited`, in the form of FileResult."""
    refused: str = ""
    edited: str = ""
    rejected_hunks: tuple[Hunk, ...] = ()
    """Hunks rejected by the user, in the form shown."""
    line_ending: str = "\n"
    """Line ending of a file to be created; `bom` is true if such a file begins with a BOM."""
    bom: bool = False

    @property
    def old_text(self) -> str:
        return "" if self.document is None else to_lf(self.document.text)

    @property
    def changes_anything(self) -> bool:
        """Return whether any work is left."""
        return not self.is_rejected and (self.kind != "modify" or bool(self.hunks))

    @property
    def paths(self) -> tuple[Path, ...]:
        return (self.path,) if self.new_path is None else (self.path, self.new_path)


def propose(
    planned: PlannedFile, document: Document | None, name: str, new_name: str = "", *, line_ending: str | None = None
) -> Proposal:
    """Return the plan's proposal on the document as it is now, with the user's changes since the plan's base merged in.

    `line_ending` is the project's rule for a file to be created; without a rule the text's own line ending counts.
    Raises EditConflict where both touch the same lines, and EditError when a file exists or is missing against the
    plan.
    """
    if planned.kind == "create":
        if document is not None:
            raise EditError(f"{name} exists already. Read it, and edit what is there.")
        wanted = planned.new_text or ""
        proposal = _proposal(planned, None, to_lf(wanted.removeprefix(BOM)), name, new_name)
        return replace(proposal, line_ending=line_ending or own_line_ending(wanted), bom=wanted.startswith(BOM))
    if document is None:
        raise EditConflict(f"{name} is no longer there: it was removed or renamed since you read it. Look again.")
    if planned.base_text is None:
        raise EditError(f"{name} was not read in this session. Read it first, then propose the change again.")
    base, now = to_lf(planned.base_text), to_lf(document.text)
    merged = _diff(base, now, name)
    if planned.kind == "delete":
        if merged:
            raise conflict(name, merged)
        return _proposal(planned, document, "", name, new_name)
    wanted = base if planned.new_text is None else to_lf(planned.new_text)
    proposal = _proposal(planned, document, _merged(base, now, wanted, name), name, new_name)
    return replace(proposal, merged=merged)


def with_text(proposal: Proposal, new_text: str) -> Proposal:
    """Return the proposal with another text in place of the wanted text."""
    if new_text == proposal.new_text:
        return proposal
    hunks = make_hunks(proposal.old_text, new_text)
    names = (proposal.kind, proposal.name, proposal.new_name)
    return replace(proposal, new_text=new_text, hunks=hunks, diff=_whole_diff(*names, proposal.old_text, new_text))


def proposed_change(change_id: str, proposals: Sequence[Proposal]) -> ProposedChange:
    """Return the change as the user is shown the change."""
    return ProposedChange(
        change_id,
        tuple(
            ProposedFile(file.path, file.kind, file.old_text, file.new_text, file.hunks, file.new_path, file.name)
            for file in proposals
        ),
    )


def allowed(proposal: Proposal, answer: PermissionAnswer | None) -> Proposal:
    """Return the part allowed by the user: everything, the user's own text, some hunks, or nothing (`is_rejected`).

    If the answer has hunks, a file missing from the answer is rejected. A delete is allowed completely or not at all.
    """
    if answer is None:
        return proposal
    if (edited := answer.edited.get(proposal.path)) is not None:
        return _edited(proposal, to_lf(edited))
    if answer.hunks is None:
        return proposal
    every = {hunk.id for hunk in proposal.hunks}
    if (named := answer.hunks.get(proposal.path)) is None:
        return refused(proposal)
    if every <= named:
        return proposal
    if proposal.kind == "delete" or not every & named:
        return refused(proposal)
    text = apply_hunks(proposal.old_text, proposal.hunks, named)
    left_out = proposal.refused + _diff(text, proposal.new_text, proposal.name)
    dropped = tuple(hunk for hunk in proposal.hunks if hunk.id not in named)
    return replace(with_text(proposal, text), refused=left_out, rejected_hunks=proposal.rejected_hunks + dropped)


def refused(proposal: Proposal) -> Proposal:
    """Return the proposal with everything rejected."""
    if proposal.is_rejected:
        return proposal
    return replace(
        proposal,
        is_rejected=True,
        refused=proposal.refused + proposal.diff,
        rejected_hunks=proposal.rejected_hunks + proposal.hunks,
    )


def moved_to(proposal: Proposal, document: Document | None) -> Proposal:
    """Return the same proposal on the current document. Raises EditConflict, or EditError if a file has appeared."""
    if proposal.document is not None and document is not None and proposal.document.text == document.text:
        return replace(proposal, document=document)
    planned = PlannedFile(
        kind=proposal.kind,
        path=proposal.path,
        base_text=None if proposal.document is None else proposal.old_text,
        new_text=None if proposal.kind == "delete" else proposal.new_text,
        new_path=proposal.new_path,
    )
    moved = propose(planned, document, proposal.name, proposal.new_name)
    return replace(
        moved,
        line_ending=proposal.line_ending,
        bom=proposal.bom,
        merged=proposal.merged + moved.merged,
        refused=proposal.refused,
        edited=proposal.edited,
        rejected_hunks=proposal.rejected_hunks,
    )


def does_the_same(one: Proposal, other: Proposal) -> bool:
    """Return whether the hunks are the same as shown to the user, wherever the hunks now stand."""
    return [(hunk.old_lines, hunk.new_lines) for hunk in one.hunks] == [
        (hunk.old_lines, hunk.new_lines) for hunk in other.hunks
    ]


def file_edit(proposal: Proposal) -> FileEdit:
    """Return the edit to apply: minimal edits, in the document's own line endings. EDITS.md rules 3 and 10."""
    document = proposal.document
    if document is None:
        return FileEdit("create", proposal.path, None, text_of_file(proposal), bom=proposal.bom)
    if proposal.kind == "delete":
        return FileEdit("delete", proposal.path, document)
    new_text = text_of_file(proposal)
    edits = text_edits(document.text, new_text)
    return FileEdit(proposal.kind, proposal.path, document, new_text, edits, proposal.new_path)


def text_of_file(proposal: Proposal) -> str:
    """Return the wanted text in the current or future line endings of the file."""
    if proposal.document is None:
        return proposal.new_text.replace("\n", proposal.line_ending)
    return restore_line_endings(proposal.document.text, proposal.new_text)


def conflict(name: str, diff: str) -> EditConflict:
    lines = diff.rstrip("\n").split("\n")
    shown = lines[:MOST_DIFF_LINES] + [f"… {len(lines) - MOST_DIFF_LINES} more lines"] * (len(lines) > MOST_DIFF_LINES)
    return EditConflict(
        f"{name}: the user has changed the same lines since you read it, so nothing was changed. "
        "The user's change is:\n"
        + "\n".join(shown)
        + "\nRead the file again and propose the edit on the text as it is."
    )


def _proposal(planned: PlannedFile, document: Document | None, new_text: str, name: str, new_name: str) -> Proposal:
    old_text = "" if document is None else to_lf(document.text)
    return Proposal(
        kind=planned.kind,
        path=planned.path,
        name=name,
        document=document,
        new_text=new_text,
        hunks=make_hunks(old_text, new_text),
        diff=_whole_diff(planned.kind, name, new_name, old_text, new_text),
        new_path=planned.new_path,
        new_name=new_name,
    )


def _merged(base: str, now: str, wanted: str, name: str) -> str:
    if base == now:
        return wanted
    try:
        return merge(base, now, wanted)
    except EditConflict as error:
        raise conflict(name, _diff(base, now, name)) from error


def _edited(proposal: Proposal, text: str) -> Proposal:
    """Return the proposal with the user's own text; for a delete the file is kept, with this text."""
    edited = proposal.edited + _diff(proposal.new_text, text, proposal.name)
    kind: FileEditKind = "modify" if proposal.kind == "delete" else proposal.kind
    return replace(with_text(replace(proposal, kind=kind), text), edited=edited)


def _whole_diff(kind: FileEditKind, name: str, new_name: str, old_text: str, new_text: str) -> str:
    old_name = "/dev/null" if kind == "create" else f"a/{name.lstrip('/')}"
    return unified_diff(
        old_text, new_text, old_name, "/dev/null" if kind == "delete" else f"b/{(new_name or name).lstrip('/')}"
    )


def _diff(old: str, new: str, name: str) -> str:
    return unified_diff(old, new, f"a/{name.lstrip('/')}", f"b/{name.lstrip('/')}")
