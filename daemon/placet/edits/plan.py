"""What a tool proposes: per file the text it worked from and the text it wants. Line ends are LF, but for a create."""

from dataclasses import dataclass
from pathlib import Path

from placet.ports import FileEditKind


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file of a plan.

    `base_text` is what the proposal was computed on: the text the session last read (None for a create).
    `new_text` is the whole text wanted (None for a delete, and for a rename that changes nothing inside). That of a
    create may have line ends of its own and begin with a BOM: where the project has no rule, it is written so.
    """

    kind: FileEditKind
    path: Path
    base_text: str | None
    new_text: str | None
    new_path: Path | None = None


@dataclass(frozen=True, slots=True)
class EditPlan:
    """A change as one question to the user and one step to undo; all of it is applied, or nothing."""

    title: str
    files: tuple[PlannedFile, ...]
