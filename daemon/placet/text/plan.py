"""Plan of a change, as proposed by a tool: per file the base text and the new text. Line ends are LF, except in a
create.
"""

from dataclasses import dataclass
from pathlib import Path

from placet.core.ports import FileEditKind


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file of a plan.

    `base_text` is the text the proposal was computed on: the text last read in the session (None for a create).
    `new_text` is the whole wanted text (None for a delete, and for a rename without changes inside). The text of a
    create may have line ends of its own and begin with a BOM: if the project has no rule, the file is written so.
    `mode` has the permission bits of a file to be created, or new bits of a file that was created a moment ago.
    """

    kind: FileEditKind
    path: Path
    base_text: str | None
    new_text: str | None
    new_path: Path | None = None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class EditPlan:
    """A change as one question to the user and one step to undo; all of the change is applied, or nothing."""

    title: str
    files: tuple[PlannedFile, ...]
