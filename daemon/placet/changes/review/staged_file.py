"""Staged file: the share of one file in a session's change set, and how the share grows, is shown and is decided. Pure.

A staged file keeps the text on which the change was computed (the base) and the wanted text. Neither is the text on
the screen: the user may type meanwhile, so every view merges the two with the present document. An unreviewed file has
the same form, and its wanted text is written already (unreviewed_file.py).
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.raw_file import RawFile
from placet.changes.propose.proposal import propose, propose_text, text_of_file
from placet.core.errors import EditConflict, EditError
from placet.core.hunks import Hunk
from placet.core.ports import Document, FileEditKind, ProposedFile
from placet.core.values import replace
from placet.text.diff import apply_hunks
from placet.text.lines import own_line_ending, restore_line_endings, split_lines, to_lf
from placet.text.merge import marked_lines, merge_hunks
from placet.text.plan import PlannedFile
from placet.text.without_change import without_change

SAME_LINES = "The same lines have been changed since the change was staged."

FileState = Literal["staged", "unreviewed", "waiting"]
"""State of a file of a change set: proposed and not yet written, or written and not yet kept or undone, or proposed by
a call that waits for the decision.
"""


class StagedStep(Struct, frozen=True):
    """Share of the calls of one turn in a staged file."""

    places: tuple[TurnRef, ...]
    """Places where the last call counts, from the user's own session down to the session that made the call."""
    text: str
    """Wanted text after the calls."""
    place: Path | None = None
    """Path by which the session knew the file after the calls; None in a set of an earlier version."""
    mode: int | None = None
    """Permission bits of the staged file after the calls, as UndecidedFile.mode."""
    is_delete: bool = False
    """True if the calls have left the file deleted."""

    @property
    def turn(self) -> tuple[str, str]:
        """Return the session and the turn of the calls."""
        own = self.places[-1]
        return own.session_id, own.turn_id


class UndecidedFile(Struct, frozen=True):
    """Undecided change of one file; the change set of a session owns the object. Texts have LF line endings."""

    kind: FileEditKind
    path: Path
    base_text: str | None
    """Text on which the change was computed; None for a file to be created."""
    text: str
    """Wanted text; empty for a delete."""
    new_path: Path | None = None
    """Destination of a rename."""
    line_ending: str = "\n"
    """Line ending of a file to be created; `bom` is true if such a file begins with a BOM."""
    bom: bool = False
    steps: tuple[StagedStep, ...] = ()
    """Steps of the change, oldest first; the text of the last step is `text`. A delete is a step of its own."""
    state: FileState = "staged"
    changes: tuple[str, ...] = ()
    """Ids of the journal's changes that wrote an unreviewed file, as long as no hunk of the file was kept; of a waiting
    file, the id of the change that waits.
    """
    mode: int | None = None
    """New permission bits of a staged file; None for the bits of any new file, and for the bits that a file has. With
    `base_mode`: bits of an unreviewed file, which a command has changed.
    """
    base_mode: int | None = None
    """Permission bits of an unreviewed file before a command changed the bits; None for bits that no command changed.
    """
    is_raw: bool = False
    """True for a file that is no text before or after the change. The texts then describe the contents, and the user
    decides about the whole file.
    """
    raw_before: RawFile | None = None
    """Content before the change of a staged file that is no text; None for a file to be created."""
    raw_after: RawFile | None = None
    """Content after the change of a staged file that is no text; None for a file to be deleted."""
    targets: tuple[tuple[Path, Path], ...] = ()
    """The paths that lead to the file, each with the place where the path led when the file joined the set, symlinks
    resolved; empty in a set of an earlier version.
    """

    @property
    def leading(self) -> tuple[Path, ...]:
        """Return the paths that lead to the file; for a file that is no text, and may be a symlink, its directory."""
        if self.is_raw:
            return (self.path.parent,)
        return (self.path,) if self.new_path is None else (self.path, self.new_path)

    @property
    def place(self) -> Path:
        """Return the path by which the session knows the file: the destination of a rename."""
        return self.new_path or self.path

    def target(self, path: Path) -> Path:
        """Return the place where a path of the file led when the file joined the set, else the path."""
        return dict(self.targets).get(path, path)

    @property
    def planned(self) -> PlannedFile:
        """Return the file as a plan on the base."""
        new_text = None if self.kind == "delete" else self.text
        return PlannedFile(self.kind, self.path, self.base_text, new_text, self.new_path, self.mode)


class Overlay(Struct, frozen=True):
    """Staged file on the present document, as the session sees the file."""

    base_text: str | None
    text: str
    """Text with LF line endings."""
    document: Document | None
    """Document for readers; None for a deleted file."""
    conflict: str = ""
    """Reason why the staged change does not fit the present file; the session sees the staged text."""


class StagedView(Struct, frozen=True):
    """Staged file as the user reviews the file."""

    file: UndecidedFile
    name: str
    """Path of the file's place, as the user knows the file."""
    version: str
    """Digest of the shown change; a decision names the version on which the user decided."""
    proposed: ProposedFile | None = None
    """Proposal on the present document, also with hunks in conflict; None where the whole file does not fit."""
    conflict: str = ""
    """Reason why the whole file does not fit: it is gone, or there already, or to be deleted and changed, or no text.
    """
    document: Document | None = None
    """Present document at the file's own path."""
    is_done: bool = False
    """True if nothing is left to write: the documents are as wanted."""

    @property
    def hunks_in_conflict(self) -> tuple[Hunk, ...]:
        """Return the hunks of a staged file whose lines the user has changed in another way."""
        return () if self.proposed is None else tuple(hunk for hunk in self.proposed.hunks if hunk.is_in_conflict)

    @property
    def is_acceptable(self) -> bool:
        """Return whether the acceptance of the whole file accepts anything: hunks in conflict stay undecided, and an
        unreviewed file can always be kept.
        """
        if self.file.state == "unreviewed":
            return True
        hunks = () if self.proposed is None else self.proposed.hunks
        return self.proposed is not None and not (hunks and all(hunk.is_in_conflict for hunk in hunks))

    @property
    def is_rejectable(self) -> bool:
        """Return whether the file can be rejected or undone: a written file that is no text by now can only be kept."""
        return self.file.state == "staged" or self.proposed is not None

    @property
    def reason_against(self) -> str:
        """Return the reason why the file, or some of its hunks, cannot be accepted as it is; "" if it can."""
        return self.conflict or (SAME_LINES if self.hunks_in_conflict else "")

    @property
    def permissions(self) -> str:
        """Return `executable`, or the new permission bits in octal digits; "" for permissions that do not change."""
        mode = self.file.mode if self.proposed is None else self.proposed.mode
        if mode is None:
            return ""
        return "executable" if mode & 0o133 in (0o111, 0o110, 0o100) else f"{mode:o}"

    @property
    def description(self) -> str:
        """Return words about the content of a file that is no text, or about the content before a delete; "" for a
        text.
        """
        if self.proposed is None and self.file.is_raw and self.file.state == "staged":
            return (self.file.text or self.file.base_text or "").rstrip("\n")
        if self.proposed is None or not self.proposed.is_raw:
            return ""
        return (self.proposed.new_text or self.proposed.old_text).rstrip("\n")


def view_of(
    file: UndecidedFile, document: Document | None, at_place: Document | None, name: str, new_name: str
) -> StagedView:
    """Return the view of the file; `at_place` is the present document where the file is wanted."""
    is_gone = document is None and file.kind in ("delete", "rename")
    is_there = at_place is not None and file.kind in ("create", "rename") and to_lf(at_place.text) == file.text
    is_done = is_gone if file.kind == "delete" else is_there and (is_gone or file.kind == "create")
    shown = StagedView(file, new_name or name, "", document=document, is_done=is_done)
    try:
        proposed = proposal_of(file, document, name, new_name)
    except (EditConflict, EditError) as error:
        conflict = _conflict(file, document)
        return replace(shown, conflict=conflict, version=digest(file.kind, conflict, str(error), file.mode))
    is_done = is_done or not proposed.changes_anything
    return replace(shown, proposed=proposed, version=version_of(file.kind, proposed.hunks, file.mode), is_done=is_done)


def version_of(kind: FileEditKind, hunks: Iterable[Hunk], mode: int | None) -> str:
    """Return the version of a proposed change of a text; lines that only move make no other version."""
    lines = [
        (hunk.old_lines, hunk.new_lines, *([] if hunk.base_lines is None else [hunk.base_lines])) for hunk in hunks
    ]
    return digest(kind, lines, mode)


def conflict_text(view: StagedView) -> str:
    """Return the text in which the user settles the conflicts of a staged file: the proposed text, with the lines that
    both have changed between conflict markers. Without a present file, the wanted text.
    """
    file = view.file
    if view.document is None:
        return file.text
    if view.proposed is not None:
        hunks = [replace(hunk, new_lines=marked(hunk)) for hunk in view.proposed.hunks]
        return apply_hunks(view.proposed.old_text, hunks, {hunk.id for hunk in hunks})
    present = to_lf(view.document.text)
    if file.kind == "delete":
        return present
    return "".join(marked_lines(split_lines(present), (), split_lines(file.text)))


def marked(hunk: Hunk) -> tuple[str, ...]:
    """Return the new lines of the hunk; of a hunk in conflict, the lines of both sides between conflict markers."""
    if hunk.base_lines is None:
        return hunk.new_lines
    return tuple(marked_lines(hunk.old_lines, hunk.base_lines, hunk.new_lines))


def _conflict(file: UndecidedFile, document: Document | None) -> str:
    if document is None:
        return "The file is no longer there."
    if file.kind == "create":
        return "A file of this name has been made meanwhile."
    return SAME_LINES


def digest(*shown: object) -> str:
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def overlaid(file: UndecidedFile, document: Document | None, name: str) -> Overlay:
    """Return the file as the session sees the file; `document` is the present document at the file's own path."""
    if document is not None and file.kind in ("modify", "rename") and to_lf(document.text) == file.base_text:
        # Nothing to merge, as mostly: a command may see very many files, and needs no hunks.
        text = restore_line_endings(document.text, file.text)
        return Overlay(file.base_text, file.text, _as_staged(document, file.place, text))
    try:
        proposed = proposal_of(file, document, name)
    except (EditConflict, EditError) as error:
        return Overlay(file.base_text, file.text, _staged_document(file), str(error))
    if file.kind == "delete":
        return Overlay(proposed.old_text, "", None)
    base_text = None if file.kind == "create" else base_of_rest(proposed)
    return Overlay(base_text, proposed.new_text, _seen_document(file, proposed))


def proposal_of(file: UndecidedFile, document: Document | None, name: str, new_name: str = "") -> ProposedFile:
    """Return the file as a proposal on the present document; hunks can be in conflict. Raises EditConflict, or
    EditError if a file has appeared where the file was to be created.
    """
    if document is None or file.kind not in ("modify", "rename") or to_lf(document.text) == file.base_text:
        proposed = propose(file.planned, document, name, new_name, line_ending=file.line_ending)
        return replace(proposed, bom=file.bom) if document is None else proposed
    present = to_lf(document.text)
    hunks = merge_hunks(file.base_text or "", present, file.text)
    text = apply_hunks(present, hunks, {hunk.id for hunk in hunks})
    proposed = propose(replace(file.planned, base_text=present, new_text=text), document, name, new_name)
    return replace(proposed, hunks=hunks) if any(hunk.is_in_conflict for hunk in hunks) else proposed


def base_of_rest(proposed: ProposedFile, accepted: Collection[int] = (), rejected: Collection[int] = ()) -> str:
    """Return the text on which the rest of a proposal is computed, after the document has the accepted hunks: the
    document's text, with the lines before both changes in each undecided hunk that is in conflict.
    """
    undecided = {hunk.id for hunk in proposed.hunks if hunk.is_in_conflict} - {*accepted, *rejected}
    if not undecided and not accepted:
        return proposed.old_text
    hunks = [
        hunk if hunk.id in accepted or hunk.base_lines is None else replace(hunk, new_lines=hunk.base_lines)
        for hunk in proposed.hunks
    ]
    return apply_hunks(proposed.old_text, hunks, undecided | {*accepted})


def stacked(
    file: UndecidedFile | None, seen: Overlay | None, proposed: ProposedFile, places: tuple[TurnRef, ...]
) -> UndecidedFile | None:
    """Return the staged file with a further proposal on top, or None if nothing remains to be written.

    `seen` is the overlay on which the proposal was computed, None for a file that was not staged before.
    """
    if file is None or seen is None:
        base_text = None if proposed.kind == "create" else proposed.old_text
        grown = UndecidedFile(
            proposed.kind,
            proposed.path,
            base_text,
            proposed.new_text,
            proposed.new_path,
            proposed.line_ending,
            proposed.bom,
            mode=proposed.mode if proposed.base_mode is None else None,
        )
    else:
        grown = _grown(file, seen, proposed)
    if grown is None or (grown.kind == "modify" and grown.text == grown.base_text and grown.mode is None):
        return None
    step = StagedStep(places, grown.text, grown.place, grown.mode, grown.kind == "delete")
    earlier = grown.steps
    if earlier and earlier[-1].turn == step.turn and not (step.is_delete or earlier[-1].is_delete):
        earlier = earlier[:-1]
    return replace(grown, steps=(*earlier, step))


def raw_file(proposed: ProposedFile, places: tuple[TurnRef, ...]) -> UndecidedFile:
    """Return the waiting file of a command's change that no document holds."""
    step = StagedStep(places, proposed.new_text, proposed.path, is_delete=proposed.kind == "delete")
    base_text = None if proposed.kind == "create" else proposed.old_text
    return UndecidedFile(
        proposed.kind, proposed.path, base_text, proposed.new_text, steps=(step,), state="waiting", is_raw=True
    )


def raw_view(file: UndecidedFile, name: str) -> StagedView:
    """Return the view of the waiting file of a command's change that no document holds; the write compares the file
    with the disk.
    """
    planned = PlannedFile(file.kind, file.path, file.base_text, file.text)
    proposed = replace(propose_text(planned, name), is_raw=True)
    return StagedView(file, name, version_of(file.kind, proposed.hunks, None), proposed)


def _grown(file: UndecidedFile, seen: Overlay, proposed: ProposedFile) -> UndecidedFile | None:
    steps = steps_on(seen.text, file)
    rebased = replace(file, base_text=seen.base_text, text=proposed.new_text, steps=steps)
    match file.kind, proposed.kind:
        case "create", "delete":
            return None
        case "create", "rename":
            return replace(rebased, path=proposed.new_path or file.path)
        case "create", "modify":
            return replace(rebased, mode=file.mode if proposed.mode is None else proposed.mode)
        case "delete", _:
            return replace(rebased, kind="modify")
        case _, "delete":
            return replace(rebased, kind="delete", text="", new_path=None, mode=None, base_mode=None)
        case _, "rename":
            if proposed.new_path == file.path:
                return replace(rebased, kind="modify", new_path=None, mode=None)
            return replace(rebased, kind="rename", new_path=proposed.new_path)
        case "rename" | "modify", "modify" if proposed.mode is not None and proposed.base_mode is None:
            return replace(rebased, mode=proposed.mode)
        case _:
            return rebased


def parted(file: UndecidedFile, seen: Overlay) -> tuple[UndecidedFile, UndecidedFile]:
    """Return a staged rename as a created and a deleted file, so that another file can take the place at the source."""
    assert seen.document is not None
    text, bom = seen.document.text, seen.document.bom
    created = UndecidedFile("create", file.place, None, seen.text, None, own_line_ending(text), bom, file.steps)
    return created, UndecidedFile("delete", file.path, seen.base_text, "", steps=file.steps)


def after_rejection(file: UndecidedFile, proposed: ProposedFile, kept: str, base: str) -> UndecidedFile | None:
    """Return the file without the rejected hunks: `kept` is the text that remains wanted, `base` the text on which the
    rest is computed; None if nothing remains.
    """
    if proposed.kind == "modify" and kept == proposed.old_text:
        return None
    base_text = None if proposed.kind == "create" else base
    return replace(file, base_text=base_text, text=kept, steps=steps_on(kept, file))


def after_acceptance(file: UndecidedFile, accepted: ProposedFile, wanted: str, base: str) -> UndecidedFile | None:
    """Return the rest of the file after a part was written, or None if nothing remains.

    `accepted` is the written part; `wanted` is the whole text that was wanted; `base` is the text on which the rest is
    computed.
    """
    if accepted.kind == "delete" or accepted.new_text == wanted:
        return None
    steps = tuple(replace(step, mode=None) for step in steps_on(wanted, file))
    rest = replace(file, base_text=base, text=wanted, steps=steps)
    return replace(rest, kind="modify", path=file.place, new_path=None, mode=None)


def shares(file: UndecidedFile, before: str, after: str) -> Iterator[tuple[StagedStep, str, str]]:
    """Yield the share of each turn in a written file, oldest first: the turn's last step, the text before, the text
    after. A turn can have set the permissions alone.

    A share is found by removing the later steps from the written text.
    """
    steps = list({step.turn: step for step in file.steps}.values())
    texts = [after]
    for step in reversed(steps[:-1]):
        texts.append(without_change(texts[-1], file.text, step.text))
    texts.append(before)
    modes = [None, *(step.mode for step in steps)]
    parts = [
        (step, text, next_text)
        for step, mode, text, next_text in zip(steps, modes, texts[:0:-1], texts[-2::-1], strict=False)
        if text != next_text or step.mode != mode
    ]
    yield from parts or [(steps[-1], before, after)]


def steps_on(text: str, file: UndecidedFile) -> tuple[StagedStep, ...]:
    """Return the steps of the file as if the steps had led to `text`, which is the file's text with later edits."""
    if text == file.text:
        return file.steps
    return tuple(replace(step, text=without_change(text, file.text, step.text)) for step in file.steps)


def _seen_document(file: UndecidedFile, proposed: ProposedFile) -> Document:
    text = text_of_file(proposed)
    if proposed.document is None:
        return Document(file.place, text, "staged", dirty=True, bom=file.bom)
    return _as_staged(proposed.document, file.place, text)


def _staged_document(file: UndecidedFile) -> Document | None:
    if file.kind == "delete":
        return None
    return Document(file.place, file.text, "staged", dirty=True)


def _as_staged(document: Document, place: Path, text: str) -> Document:
    """Return the staged text of a document; the text is unsaved, as the text is on no disk."""
    return replace(document, path=place, text=text, source="staged", dirty=True)
