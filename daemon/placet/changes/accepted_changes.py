"""Changes that the user has accepted in a review, which are written and diagnosed."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from placet.changes.change_writer import ChangeWriter
from placet.changes.journal.current_files import refuse_moved
from placet.changes.locks import locked
from placet.changes.propose.diagnostics_delta import Baseline, DiagnosticsTracker, no_baseline
from placet.changes.propose.late_diagnoses import LateDiagnoses, LateDiagnosis
from placet.changes.propose.preflight import refuse_impossible, touched
from placet.changes.propose.proposal import documents_before
from placet.changes.propose.raw_proposal import raw_records, raw_targets
from placet.changes.propose.result import ChangeResult, changed_documents
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import ProposedFile
from placet.project.paths import real_paths
from placet.text.plan import EditPlan

MOST_CLOSED_JUDGED = 20
"""Highest number of closed files whose diagnostics are compared when the user accepts a change."""


@dataclass(frozen=True, slots=True)
class AcceptedChanges:
    """Pipeline for the accepted changes of one turn, as review.decisions.Writer says; lives as long as the decision."""

    writer: ChangeWriter
    diagnostician: DiagnosticsTracker
    late: LateDiagnoses

    async def write(
        self, plan: EditPlan, files: list[ProposedFile], targets: Mapping[Path, Path]
    ) -> ChangeResult | None:
        """Apply a change that the user has accepted, as review.decisions.Writer says."""
        unknown = real_paths(path for path in touched(plan) if path not in targets)
        targets = {**unknown, **await in_thread(raw_targets, plan), **targets}
        await in_thread(refuse_moved, targets)
        await in_thread(refuse_impossible, plan)
        await self.writer.unsure.rest(touched(plan))
        change_id = new_id("chg")
        judged = _judged(files)
        looking = self.late.looking(self.diagnostician, documents_before(judged)) if judged else no_baseline()
        async with looking as baseline:
            await baseline
            async with locked((*targets.values(), *raw_records(plan)), self.writer.journal.locks):
                refuse_moved(targets)
                _, result = await self.writer.apply_as_allowed(change_id, plan, files, targets, allowed_by="user")
        if result is not None:
            self._diagnose_later(result, {file.path for file in judged}, baseline.result())
        return result

    def _diagnose_later(self, result: ChangeResult, paths: Set[Path], baseline: Baseline | None) -> None:
        """Begin the diagnosis of the applied files of these paths; nobody waits for the language servers."""
        applied = changed_documents(file for file in result.applied if file.file.path in paths)
        changed = {after.path: (before, after) for before, after in applied}
        self.late.begin(LateDiagnosis(result.id, self.writer.call, self.diagnostician, baseline, changed))


def _judged(files: Iterable[ProposedFile]) -> list[ProposedFile]:
    """Return the files of an accepted change with diagnostics worth a look: the open files alone, where the services
    would have to load many closed files.
    """
    changing = [file for file in files if file.changes_anything]
    opened = [file for file in changing if file.document is not None and file.document.version is not None]
    return opened if len(changing) - len(opened) > MOST_CLOSED_JUDGED else changing
