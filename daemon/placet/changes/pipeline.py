"""The only road to a write: read, compare, ask, look again, apply, verify, journal, report."""

from pathlib import Path
from typing import Protocol

from placet.changes.result import ChangeResult, FileResult
from placet.edits.plan import EditPlan
from placet.ports import Document

__all__ = ["ChangeResult", "Changes", "FileResult"]


class Changes(Protocol):
    """What a tool call sees of the pipeline."""

    async def read(self, path: Path) -> Document:
        """The document as it is now, noted in the session's ledger. Raises DocumentMissing or DocumentError."""
        ...

    async def base(self, path: Path) -> str:
        """The text (LF) the session last read, on which an edit is computed.

        Raises DocumentMissing when there is no such file, and EditError when it exists but was never read.
        """
        ...

    async def propose(self, plan: EditPlan) -> ChangeResult:
        """Ask for the change, apply what is allowed, and say what really happened.

        Raises EditError (nothing was changed; the text says why and what to do), EditConflict (the user
        changed the same lines), DocumentError, PermissionDenied, NobodyToAsk, or Rejected.
        """
        ...
