"""Proposal of a contained command's changes: the texts join the session's change set, all other changes are asked."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.call import ChangingCall
from placet.changes.commands.staged_texts import NO_MODE, rest_of, stageable
from placet.changes.journal.current_files import read_or_none
from placet.changes.propose.edit_question import edit_question
from placet.changes.propose.preflight import refuse_impossible, refuse_unwritable
from placet.changes.propose.proposal import propose
from placet.changes.propose.raw_proposal import CommandPlan
from placet.changes.propose.report import proposed_event
from placet.changes.propose.result import ChangeResult, FileResult
from placet.changes.review.change_sets import ChangeSet
from placet.changes.review.staged_entries import staged_entries
from placet.changes.review.staged_file import UndecidedFile
from placet.changes.review.staging import Staging
from placet.core.errors import DocumentError, EditError
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import Document, Documents, ProposedChange, ProposedFile
from placet.core.values import replace
from placet.permissions.gate import Gate
from placet.permissions.protection import protection_of
from placet.project.paths import real
from placet.sandbox.overlay.staged_layer import StagedEntry
from placet.text.plan import EditPlan, PlannedFile


@dataclass(frozen=True, slots=True)
class StagedPart:
    """Part of a command's changes that joined the change set, and the rest."""

    result: ChangeResult
    rest: CommandPlan
    left_out: list[tuple[Path, str]]
    """Staged texts that no longer fit, each with the reason."""


@dataclass(frozen=True, slots=True)
class CommandProposer:
    """Proposals for one command under an overlay; lives as long as the call of the command."""

    propose: Callable[[EditPlan], Awaitable[ChangeResult]]
    """Function that asks for a change and applies the change, as CallChanges.propose."""
    compare: Callable[[EditPlan], Awaitable[list[ProposedFile]]]
    staging: Staging
    seen: Documents
    """Documents as the session sees the documents."""
    gate: Gate
    call: ChangingCall

    async def entries(self, unreadable: Sequence[Path]) -> tuple[list[StagedEntry], list[Path]]:
        """Return the staged files for the overlay of the command, and the files that no overlay can show: the sandbox
        covers unreadable files, and lays files that other programs obey over themselves.

        Raises DocumentError or StoreError.
        """
        overlays, contents = await self.staging.documents.overlays(), await self.staging.documents.contents()
        return await in_thread(self._entries, overlays, contents, unreadable) if overlays or contents else ([], [])

    def _entries(
        self,
        overlays: Sequence[tuple[UndecidedFile, Document | None]],
        contents: Sequence[UndecidedFile],
        unreadable: Sequence[Path],
    ) -> tuple[list[StagedEntry], list[Path]]:
        hidden = {
            file.place
            for file in (*(file for file, _ in overlays), *contents)
            if any(self._is_covered(path, unreadable) for path in dict.fromkeys((file.place, file.path)))
        }
        shown = [(file, document) for file, document in overlays if file.place not in hidden]
        return staged_entries(shown, [file for file in contents if file.place not in hidden]), sorted(hidden)

    def _is_covered(self, path: Path, unreadable: Sequence[Path]) -> bool:
        is_obeyed = protection_of(self.call.workspace.relative(path)) is not None
        return is_obeyed or any(real(path).is_relative_to(other) for other in unreadable)

    async def stage(self, plan: CommandPlan) -> StagedPart | None:
        """Put the texts of the plan on top of the change set, where the rules ask about the change or the files are
        staged; return None where nothing joins the set.

        Raises PermissionDenied, StoreError, and EditError or DocumentError where nothing was staged.
        """
        staged = await self.staging.look()
        if not self.staging.is_open:
            return None
        change_id = new_id("chg")
        asked = await edit_question(change_id, plan, await self.compare(plan), self.call.workspace)
        action, _ = await self.gate.decide(asked, self.call.caller)
        joins = self.staging.joining(action)
        if not (candidates := stageable(plan, joins)):
            return None
        vacated = self.staging.vacated(file.path for file in candidates)
        left_out: list[tuple[Path, str]] = []
        async with staged.deciding:
            files: list[ProposedFile] = []
            for planned in candidates:
                if planned.kind == "modify" and planned.mode is not None and not _is_new(planned.path, staged):
                    left_out.append((planned.path, NO_MODE))
                    planned = replace(planned, mode=None)
                try:
                    files.append(await self._proposed(planned, vacated))
                except (EditError, DocumentError) as error:
                    if planned.path not in plan.raw:  # A record is asked instead.
                        left_out.append((planned.path, str(error)))
            changing = [file for file in files if file.changes_anything]
            if changing:
                self.call.emit(proposed_event(ProposedChange(change_id, tuple(changing)), self.call.caller))
                await self.staging.stage(changing, self.call.places)
            results = tuple(
                FileResult(file, is_staged=file.changes_anything, is_taken_back=staged.lacks(file.paths))
                for file in files
            )
        done = [*(file.path for file in files), *(path for path, _ in left_out)]
        return StagedPart(ChangeResult(change_id, plan.title, results), rest_of(plan, done), left_out)

    async def _proposed(self, planned: PlannedFile, vacated: Sequence[Path]) -> ProposedFile:
        """Return the text as a proposal on the present document. Raises EditError or DocumentError."""
        await in_thread(refuse_impossible, EditPlan("", (planned,)), vacated)
        document = await read_or_none(self.seen, planned.path)
        file = await in_thread(propose, planned, document, self.call.workspace.name(planned.path))
        await in_thread(refuse_unwritable, (file,))
        return file


def _is_new(path: Path, staged: ChangeSet) -> bool:
    """Return whether the set creates the file, or renames the file to the path, so that the file can have permissions
    of its own.
    """
    file = staged.find(path)
    return file is not None and file.kind in ("create", "rename")
