"""Result of a change, file by file, and the effect of the change on the diagnostics, for the proposing tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from placet.changes.propose.apply import Landed
from placet.changes.propose.proposal import Proposal, with_text
from placet.core.messages import JsonObject
from placet.core.ports import Diagnostic, Document, FileEditKind, Hunk
from placet.languages.diagnostics_diff import Difference
from placet.text.diff import count_lines, unified_diff
from placet.text.lines import to_lf

FileStatus = Literal["applied", "refused", "unchanged"]


@dataclass(frozen=True, slots=True)
class FileResult:
    """Result of a file of a change. Every diff is unified, of LF texts, and empty without a difference to show."""

    kind: FileEditKind
    path: Path
    status: FileStatus
    """Status; `refused`: the user allowed none of the file; `unchanged`: the file was already as wanted."""
    new_path: Path | None = None
    """Destination of a rename."""
    diff: str = ""
    """Diff of the applied change, from the text before to the current text."""
    additions: int = 0
    deletions: int = 0
    refused: str = ""
    """Diff of the rejected hunks, from the current text to the proposed text."""
    rejected_hunks: tuple[Hunk, ...] = ()
    """Rejected hunks, in the form shown."""
    edited: str = ""
    """Diff of the user's changes to the proposal, from the proposed text to the user's text."""
    merged: str = ""
    """Diff of the user's own changes since the session read the file; these changes were kept."""
    formatted: str = ""
    """Diff of the editor's changes while saving."""
    unsaved: bool = False
    """True if the document had unsaved changes before, and was therefore changed but not saved."""
    encoding: str = "utf-8"
    bom: bool = False
    before: Document | None = None
    """Document before the change; None for a file created by the change."""
    after: Document | None = None
    """Current document; None where no file exists, and where nothing was applied."""

    @property
    def is_rejected(self) -> bool:
        """Return whether the user rejected any part of the file."""
        return self.status == "refused" or bool(self.rejected_hunks)


@dataclass(frozen=True, slots=True)
class FileDiagnosis:
    """Diagnosis of one changed file. Without a baseline, `difference.new` holds all current diagnostics of the file."""

    path: Path
    difference: Difference
    is_fresh: bool
    """True if the file has been judged as it is now."""
    has_baseline: bool
    fixes: Mapping[Diagnostic, tuple[str, ...]] = field(default_factory=dict[Diagnostic, tuple[str, ...]])
    """Titles of quick fixes."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Effect of a change on the diagnostics of all files."""

    files: tuple[FileDiagnosis, ...]
    """Changed files with a diagnostics service, in the order of the change."""
    others: tuple[FileDiagnosis, ...]
    """Files outside the change with new or fixed diagnostics."""
    provider: str
    seconds: float
    """Time from the change to the answer."""

    @property
    def is_fresh(self) -> bool:
        return all(file.is_fresh for file in self.files)

    @property
    def new(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for file in (*self.files, *self.others) for diagnostic in file.difference.new)

    @property
    def gone(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for file in (*self.files, *self.others) for diagnostic in file.difference.gone)


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """Result of a change applied at least in part; a change not applied is an error instead."""

    id: str
    title: str
    files: tuple[FileResult, ...]
    feedback: str = ""
    """User's comments with the answer, as text for the model."""
    said: tuple[JsonObject, ...] = ()
    """User's comments for the screen, in the form of permissions/comments.py."""
    diagnosis: Diagnosis | None = None
    """Effect on the diagnostics; None where no service judges the files."""

    @property
    def applied(self) -> tuple[FileResult, ...]:
        """Return the files really changed; empty when all files were already as wanted."""
        return tuple(file for file in self.files if file.status == "applied")


def file_result(proposal: Proposal, landed: Landed | None) -> FileResult:
    """Return the result of a proposal; `landed` is None when the proposal was rejected, or had nothing to change."""
    result = FileResult(
        kind=proposal.kind,
        path=proposal.path,
        status="refused" if proposal.is_rejected else "unchanged",
        new_path=proposal.new_path,
        refused=proposal.refused,
        rejected_hunks=proposal.rejected_hunks,
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
    """Return the diff of the user's typing between the application and the look at the result."""
    return "" if landed.document is None else _diff(to_lf(landed.text), to_lf(landed.document.text), proposal)


def _diff(old: str, new: str, proposal: Proposal) -> str:
    name = (proposal.new_name or proposal.name).lstrip("/")
    return unified_diff(old, new, f"a/{name}", f"b/{name}")
