"""The only road to a write: compare with the current text, ask, look again, apply, verify, journal, report."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from placet.changes.accepted_changes import AcceptedChanges
from placet.changes.call import ChangingCall
from placet.changes.call_changes import CallChanges
from placet.changes.change_writer import ChangeWriter
from placet.changes.commands.command_report import CommandChange
from placet.changes.commands.command_sync import MovedOn
from placet.changes.journal.journal import Journal
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.propose.late_diagnoses import LateDiagnoses
from placet.changes.propose.result import ChangeResult, FileResult
from placet.changes.propose.unsure import UnsureChanges
from placet.changes.review.decisions import Reviews
from placet.changes.review.seen_tree import SeenTree
from placet.changes.review.staged_documents import StagedDocuments
from placet.changes.review.staging import Staging
from placet.core.errors import ToolError
from placet.core.events import Update
from placet.core.ports import Document, Documents, SessionLanguages
from placet.permissions.gate import Gate
from placet.settings.review_modes import ReviewMode
from placet.text.plan import EditPlan

if TYPE_CHECKING:
    from placet.changes.commands.command_changes import Commands
    from placet.changes.commands.contained_changes import ContainedChange, ContainedCommands
    from placet.permissions.shell import Findings

__all__ = ["ChangePipeline", "ChangeResult", "Changes", "FileResult"]


class Changes(Protocol):
    """Interface of the pipeline for one tool call."""

    async def read(self, path: Path) -> Document:
        """Return the current document, and note the document in the session's ledger. Raises DocumentMissing or
        DocumentError.
        """
        ...

    def shown(self, document: Document) -> bool:
        """Note a document shown to the model beside the requested one. Return False if the session has been shown this
        file before.
        """
        ...

    async def base(self, path: Path) -> str:
        """Return the text (LF) last read by the session, on which an edit is computed. Outside the project, ask first.

        Raises the errors of the gate; DocumentMissing when the file does not exist; EditError when the file was never
        read.
        """
        ...

    async def propose(self, plan: EditPlan) -> ChangeResult:
        """Ask for the change, apply the allowed part, and return the real outcome.

        Raises EditError (nothing was changed; the text says why and what to do), EditConflict (the user changed the
        same lines), DocumentError, PermissionDenied, NobodyToAsk, or Rejected.
        """
        ...

    async def save_own(self) -> list[Path]:
        """Before a command, save the files in which only our edits are unsaved.

        Return the files that stay unsaved.
        """
        ...

    async def staged(self) -> list[Path]:
        """Return the paths of the session's staged files, whose texts are not on the disk."""
        ...

    async def tree(self) -> SeenTree:
        """Return the files as the session sees the files: the disk under the session's staged files."""
        ...

    async def staged_decided(self, places: Sequence[Path]) -> None:
        """Return once the user has decided about every staged file of these paths."""
        ...

    def around_command(self, findings: "Findings") -> AbstractAsyncContextManager[CommandChange]:
        """Return a context to hold while the command runs, so that the command's changes can be undone.

        A command that only reads is not watched. The CommandChange is filled in at the end. Raises StoreError at the
        end.
        """
        ...

    def around_contained(
        self, findings: "Findings", title: str, unreadable: Sequence[Path] = ()
    ) -> AbstractAsyncContextManager["ContainedChange"]:
        """Return a context to hold while the command runs under the overlays of the ContainedChange.

        The command sees the staged files of the session, but for files below `unreadable`. At the end the command's
        changes are proposed, and the ContainedChange is filled in. A command that is cut short by an error leaves no
        change. Raises ToolError if no layer can be made, and StoreError at the end.
        """
        ...

    async def moved_on(self) -> MovedOn:
        """After a command, return the files read by the session whose text differs now. Each text is reported once."""
        ...


class ChangePipeline:
    """Pipeline of all changes, shared by all sessions of a front door."""

    def __init__(
        self,
        documents: Documents,
        gate: Gate,
        journal: Journal,
        diagnostician: DiagnosticsTracker,
        reviews: Reviews,
        layers: Path | None = None,
    ) -> None:
        """Keep the layers of commands under overlays below `layers`; None where no overlay is laid."""
        self._documents = documents
        self._gate = gate
        self._journal = journal
        self._diagnostician = diagnostician
        self._commands: Commands | None = None
        self._layers = layers
        self.reviews = reviews
        self.change_sets = reviews.sets
        self._contained: ContainedCommands | None = None
        self.unsure = UnsureChanges(documents, journal)
        self._late = LateDiagnoses(self.change_sets.add_news)

    def bind(self, call: ChangingCall, staging: Staging) -> CallChanges:
        """Return the pipeline for one tool call."""
        return CallChanges(
            self._documents,
            staging.documents,
            staging,
            self._gate,
            self._diagnostician,
            self._watched_commands,
            self._contained_commands,
            self._writer(call),
        )

    def accepted(self, call: ChangingCall) -> AcceptedChanges:
        """Return the pipeline for the accepted changes of one decision of the user."""
        return AcceptedChanges(self._writer(call), self._diagnostician, self._late)

    def staging(
        self,
        session_id: str,
        languages: SessionLanguages,
        mode: Callable[[], ReviewMode],
        tell: Callable[[Update], None],
    ) -> Staging:
        """Return the staging for a tool call of the session or of its subagents."""
        documents = StagedDocuments(self._documents, self.change_sets, session_id)
        languages_over = partial(languages.over, documents, session_id)
        return Staging(self.change_sets, self.reviews, session_id, documents, languages_over, mode, tell)

    async def end_session(self, session_id: str) -> None:
        """End the work beside the calls of one session."""
        await self._late.end_session(session_id)

    async def close(self) -> None:
        """End the work beside the calls."""
        await self._late.close()
        await self.unsure.close()
        if self._contained is not None:
            await self._contained.close()

    def _writer(self, call: ChangingCall) -> ChangeWriter:
        return ChangeWriter(self._documents, self._journal, self.unsure, call)

    def _watched_commands(self) -> "Commands":
        from placet.changes.commands.command_changes import Commands  # Loaded with the first command.

        if self._commands is None:
            self._commands = Commands(self._documents, self._journal)
        return self._commands

    def _contained_commands(self) -> "ContainedCommands":
        from placet.changes.commands.contained_changes import ContainedCommands  # Loaded with the first such command.

        if self._contained is None:
            if self._layers is None:
                raise ToolError("No overlay can be laid here.")
            self._contained = ContainedCommands(self._documents, self._journal, self._layers)
        return self._contained
