"""What became of a change, file by file, as the tool that proposed it is told."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from placet.ports import FileEditKind

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


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """A change that went through, at least in part; one that did not is an error instead."""

    id: str
    title: str
    files: tuple[FileResult, ...]
    feedback: str = ""
    """What the user said with the answer."""

    @property
    def applied(self) -> tuple[FileResult, ...]:
        """The files that were really changed; empty when all was already as wanted."""
        return tuple(file for file in self.files if file.status == "applied")
