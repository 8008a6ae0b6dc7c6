"""Diagnoses of changes that the user has accepted, made after the answer to the user. EDITS.md rule 21."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.changes.call import ChangingCall
from placet.changes.propose.diagnostics_delta import Baseline, DiagnosticsTracker
from placet.changes.propose.diagnostics_report import delta_event, describe_diagnosis
from placet.changes.propose.result import Diagnosis
from placet.core.ports import DiagnosticsReport, Document

logger = logging.getLogger(__name__)

_NEWS = "After the user's decision about the changes:"
_UNKNOWN = Baseline({}, DiagnosticsReport((), frozenset(), ""), DiagnosticsReport((), frozenset(), ""))

TellModel = Callable[[str, str], Awaitable[None]]
"""Function that tells the model of a session a text. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class LateDiagnosis:
    """Diagnosis to be made; lives until the language servers have judged the files."""

    change_id: str
    call: ChangingCall
    tracker: DiagnosticsTracker
    baseline: Baseline | None
    changed: dict[Path, tuple[Document | None, Document]]
    """Documents before and after the change, by path; a further change of a file replaces the document after."""

    @property
    def family(self) -> str:
        """Session whose model is told of the user's decisions."""
        return self.call.places[0].session_id

    async def made(self) -> Diagnosis | None:
        """Return the diagnosis once no further change has come while the language servers judged the files."""
        judged: dict[Path, tuple[Document | None, Document]] | None = None
        diagnosis: Diagnosis | None = None
        while judged != self.changed:
            judged = dict(self.changed)
            diagnosis = await self.tracker.after(self.baseline, list(judged.values()))
        return diagnosis


class LateDiagnoses:
    """Running diagnoses of the accepted changes of a front end; the pipeline owns the object."""

    def __init__(self, tell_model: TellModel) -> None:
        self._tell_model = tell_model
        self._running: dict[asyncio.Task[None], LateDiagnosis] = {}

    @asynccontextmanager
    async def looking(
        self, tracker: DiagnosticsTracker, documents: Sequence[Document]
    ) -> AsyncGenerator["asyncio.Future[Baseline | None]"]:
        """Run `tracker.before` while the caller waits for another result.

        Files that are still being judged after an earlier change keep the earlier baseline, and nobody waits for the
        language servers.
        """
        judged = {path for diagnosis in self._running.values() for path in diagnosis.changed}
        new = [document for document in documents if document.path not in judged]
        if new or not documents:
            async with tracker.looking(new) as baseline:
                yield baseline
        else:
            unknown: asyncio.Future[Baseline | None] = asyncio.get_running_loop().create_future()
            unknown.set_result(_UNKNOWN)
            yield unknown

    def begin(self, diagnosis: LateDiagnosis) -> None:
        """Begin the diagnosis. Files that are still being judged after an earlier change stay with the earlier
        diagnosis.
        """
        for earlier in self._running.values():
            for path in earlier.changed.keys() & diagnosis.changed.keys():
                before, _ = earlier.changed[path]
                earlier.changed[path] = before, diagnosis.changed.pop(path)[1]
        if diagnosis.changed and diagnosis.baseline is not None:
            task = asyncio.create_task(self._run(diagnosis), name="diagnostics after an accepted change")
            self._running[task] = diagnosis
            task.add_done_callback(self._has_ended)

    async def end_session(self, session_id: str) -> None:
        """End the diagnoses of the session's changes, without a word."""
        await _end(task for task, diagnosis in self._running.items() if diagnosis.call.caller.session_id == session_id)

    async def close(self) -> None:
        """End all diagnoses, without a word."""
        await _end(self._running)

    async def _run(self, diagnosis: LateDiagnosis) -> None:
        result = await diagnosis.made()
        if result is None:
            return
        diagnosis.call.emit(delta_event(result, diagnosis.change_id, diagnosis.call.caller))
        if result.new:
            await self._tell_model(diagnosis.family, f"{_NEWS}\n{describe_diagnosis(result, diagnosis.call.workspace)}")

    def _has_ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A diagnosis after an accepted change failed", exc_info=error)


async def _end(ending: Iterable[asyncio.Task[None]]) -> None:
    tasks = list(ending)
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
