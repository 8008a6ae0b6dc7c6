"""Result of a change, file by file, and the effect of the change on the diagnostics, for the proposing tool."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from placet.changes.propose.proposal import with_text
from placet.core.messages import JsonObject
from placet.core.ports import Diagnostic, Document, FileOutcome, ProposedFile
from placet.core.values import replace
from placet.languages.diagnostics_diff import Difference
from placet.text.diff import count_lines, unified_diff
from placet.text.lines import to_lf
from placet.text.plan import EditPlan

FileStatus = Literal["applied", "staged", "refused", "conflict", "unchanged"]


@dataclass(frozen=True, slots=True)
class FileResult:
    """Result of one file of a change: the proposed file, and the outcome of the edit. Lives in the ChangeResult."""

    file: ProposedFile
    """Accepted part of the file; for an applied file, `new_text` is the text in the document."""
    outcome: FileOutcome | None = None
    """Outcome of the edit; None for a rejected file, and for a file that was already as wanted."""
    formatted_diff: str = ""
    """Diff of the editor's changes while saving."""
    is_staged: bool = False
    """True if the change waits in the change set; nothing is written yet."""
    is_taken_back: bool = False
    """True if the change has left the set without a difference in the file."""

    @property
    def status(self) -> FileStatus:
        """Return `staged`; `applied`; `conflict` if the file was left out, because the user changed the same lines
        after the question; `refused` if the user accepted nothing of the file; else `unchanged`.
        """
        if self.is_staged:
            return "staged"
        if self.outcome is not None:
            return "applied"
        if self.file.conflict:
            return "conflict"
        return "refused" if self.file.is_rejected else "unchanged"

    @property
    def diff(self) -> str:
        """Return the diff of the applied or staged change, from the text before."""
        return self.file.diff if self.status in ("applied", "staged") else ""

    @property
    def line_counts(self) -> tuple[int, int]:
        """Return the numbers of added and deleted lines of the applied or staged change."""
        return count_lines(self.file.hunks if self.status in ("applied", "staged") else ())

    @property
    def after(self) -> Document | None:
        """Return the current document; None where no file exists, and where nothing was applied."""
        return None if self.outcome is None else self.outcome.after

    @property
    def is_unsaved(self) -> bool:
        """Return whether the document had unsaved changes before, and was therefore changed but not saved."""
        return self.after is not None and self.after.dirty

    @property
    def has_rejection(self) -> bool:
        """Return whether the user rejected any part of the file."""
        return self.status == "refused" or bool(self.file.rejected_hunks)


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
    is_proposed: bool = False
    """True if language servers of Placet have judged the staged texts of the session."""

    @property
    def is_fresh(self) -> bool:
        return all(file.is_fresh for file in self.files)

    @property
    def new(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for file in (*self.files, *self.others) for diagnostic in file.difference.new)

    @property
    def fixed(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for file in (*self.files, *self.others) for diagnostic in file.difference.gone)


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """Result of a change applied at least in part; a change not applied is an error instead."""

    id: str
    title: str
    files: tuple[FileResult, ...]
    feedback: str = ""
    """User's comments with the answer, as text for the model."""
    feedback_data: tuple[JsonObject, ...] = ()
    """User's words for the screen: each with the file and the hunk, where the words are about a file or a hunk."""
    diagnosis: Diagnosis | None = None
    """Effect on the diagnostics; None where no service judges the files."""
    is_unreviewed: bool = False
    """True if the change was written before the user's review."""

    @property
    def applied(self) -> tuple[FileResult, ...]:
        """Return the results of the changed files; empty when all files were already as wanted."""
        return tuple(file for file in self.files if file.status == "applied")


def changed_documents(files: Iterable[FileResult]) -> list[tuple[Document | None, Document]]:
    """Return the documents before and after the change, for each file that was applied and still exists."""
    return [(file.file.document, file.after) for file in files if file.after is not None]


def file_result(file: ProposedFile, outcome: FileOutcome | None) -> FileResult:
    """Return the result of a file; `outcome` is None when the file was rejected, or had nothing to change."""
    if outcome is None:
        return FileResult(file)
    landed_text = to_lf(outcome.landed_text or "")
    current_text = landed_text if outcome.after is None else to_lf(outcome.after.text)
    merged_diff = file.merged_diff + _diff(landed_text, current_text, file)  # The user may have typed since.
    formatted_diff = _diff(file.new_text, landed_text, file) if outcome.changed_by_save else ""
    return FileResult(replace(with_text(file, landed_text), merged_diff=merged_diff), outcome, formatted_diff)


def _diff(old: str, new: str, file: ProposedFile) -> str:
    name = (file.new_name or file.name).lstrip("/")
    return unified_diff(old, new, f"a/{name}", f"b/{name}")


def change_result(
    change_id: str,
    plan: EditPlan,
    files: Iterable[ProposedFile],
    outcomes: Mapping[Path, FileOutcome] = MappingProxyType({}),
) -> ChangeResult:
    """Return the result of a change whose files had these outcomes, by path."""
    results = tuple(file_result(file, outcomes.get(file.path)) for file in files)
    return ChangeResult(change_id, plan.title, results)
