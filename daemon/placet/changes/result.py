"""What became of a change, file by file, as the tool that proposed it is told."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from placet.changes.application import Landed
from placet.changes.proposal import Proposal, with_text
from placet.edits.diff import count_lines, unified_diff
from placet.edits.lines import to_lf
from placet.messages import JsonObject
from placet.ports import Document, FileEditKind, Hunk

if TYPE_CHECKING:
    from placet.changes.diagnosis import Diagnosis

FileStatus = Literal["applied", "refused", "unchanged"]


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file of a change. Every diff is unified, of LF texts, and empty where there is nothing to show."""

    kind: FileEditKind
    path: Path
    status: FileStatus
    """`refused`: the user allowed none of it; `unchanged`: the file was already as wanted."""
    new_path: Path | None = None
    """Where a rename went."""
    diff: str = ""
    """What was really applied, from the text that was there to the text that is there now."""
    additions: int = 0
    deletions: int = 0
    refused: str = ""
    """The hunks the user did not allow, from what is there now to what was proposed."""
    refused_hunks: tuple[Hunk, ...] = ()
    """The same, as they were shown."""
    edited: str = ""
    """What the user changed in the proposal, from the proposed text to the user's."""
    merged: str = ""
    """The user's own changes since the session read the file; they were kept."""
    formatted: str = ""
    """What the editor changed while saving."""
    unsaved: bool = False
    """The document had unsaved changes before, so it was changed but not saved."""
    encoding: str = "utf-8"
    bom: bool = False
    before: Document | None = None
    """What it was applied to; None for a file that was made."""
    after: Document | None = None
    """What is there now; None where nothing is, and where nothing was applied."""

    @property
    def is_refused(self) -> bool:
        """Whether the user left out any of it."""
        return self.status == "refused" or bool(self.refused_hunks)


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """A change that went through, at least in part; one that did not is an error instead."""

    id: str
    title: str
    files: tuple[FileResult, ...]
    feedback: str = ""
    """What the user said with the answer, as the model is told."""
    said: tuple[JsonObject, ...] = ()
    """The same for the screen, as permissions/comments.py has it."""
    diagnosis: "Diagnosis | None" = None
    """What it did to the diagnostics; None where nobody judges its files."""

    @property
    def applied(self) -> tuple[FileResult, ...]:
        """The files that were really changed; empty when all was already as wanted."""
        return tuple(file for file in self.files if file.status == "applied")


def file_result(proposal: Proposal, landed: Landed | None) -> FileResult:
    """What became of a proposal; `landed` is None when it was refused, or had nothing to change."""
    result = FileResult(
        kind=proposal.kind,
        path=proposal.path,
        status="refused" if proposal.is_refused else "unchanged",
        new_path=proposal.new_path,
        refused=proposal.refused,
        refused_hunks=proposal.refused_hunks,
        edited=proposal.edited,
        merged=proposal.merged,
    )
    if landed is None:
        return result
    text = to_lf(landed.text)
    done = with_text(proposal, text)
    additions, deletions = count_lines(done.hunks)
    document = landed.document or proposal.document
    return replace(
        result,
        status="applied",
        diff=done.diff,
        additions=additions,
        deletions=deletions,
        merged=proposal.merged + _typed_since(proposal, landed),
        formatted=_diff(proposal.new_text, text, proposal) if landed.is_formatted else "",
        unsaved=landed.document is not None and landed.document.dirty,
        encoding=document.encoding if document else "utf-8",
        bom=document.bom if document else False,
        before=proposal.document,
        after=landed.document,
    )


def _typed_since(proposal: Proposal, landed: Landed) -> str:
    """What the user typed between the application and the look at what became of it."""
    return "" if landed.document is None else _diff(to_lf(landed.text), to_lf(landed.document.text), proposal)


def _diff(old: str, new: str, proposal: Proposal) -> str:
    name = (proposal.new_name or proposal.name).lstrip("/")
    return unified_diff(old, new, f"a/{name}", f"b/{name}")
