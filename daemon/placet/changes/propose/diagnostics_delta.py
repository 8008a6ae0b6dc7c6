"""Effect of a change on the diagnostics, as reported by the services for the files. EDITS.md rule 21."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from placet.changes.propose.result import Diagnosis, FileDiagnosis
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.core.ports import Diagnostic, DiagnosticsReport, Document, LanguageFeatures
from placet.core.values import replace
from placet.languages.diagnostics_diff import Difference, difference
from placet.languages.lsp_diagnostics import to_lsp
from placet.settings import DiagnosticsSettings
from placet.text.lines import to_lf
from placet.text.positions import character_at

BASELINE_SECONDS = 1.0
"""Longest wait for the diagnostics before a change; these are nearly always ready."""
QUICK_FIX_SECONDS = 1.0
MOST_WITH_FIXES = 3
"""Highest number of new diagnostics for which quick fixes are requested."""
MOST_FIXES = 5
SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}
"""Severities of LSP 3.17's DiagnosticSeverity."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """Diagnostics before a change."""

    hashes: Mapping[Path, str]
    """Hashes of the judged texts."""
    report: DiagnosticsReport
    everywhere: DiagnosticsReport
    """Diagnostics of all files known to any service."""


class DiagnosticsTracker:
    """Collects diagnostics before and after a change."""

    def __init__(self, features: LanguageFeatures, settings: DiagnosticsSettings) -> None:
        self._features = features
        self.settings = settings

    async def before(self, documents: Iterable[Document]) -> Baseline | None:
        """Return the diagnostics of documents before a change; None when diagnostics are switched off."""
        if not self.settings.after_edits:
            return None
        judged = {document.path: document for document in documents}
        report = await self._features.diagnostics(
            list(judged), after=_versions(judged.values()), timeout_seconds=BASELINE_SECONDS
        )
        hashes = {path: document.sha256 for path, document in judged.items()}
        return Baseline(hashes, report, await self._everywhere())

    @asynccontextmanager
    async def looking(self, documents: Iterable[Document]) -> AsyncGenerator["asyncio.Future[Baseline | None]"]:
        """Run `before` while the caller waits for another result."""
        task = asyncio.create_task(self.before(documents), name="diagnostics before a change")
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def after(
        self, baseline: Baseline | None, changed: Sequence[tuple[Document | None, Document]]
    ) -> Diagnosis | None:
        """Return the new and the fixed diagnostics, once the services have come to rest; None when no service judges
        the files. `changed` holds the documents before (None for a created file) and after the change.
        """
        if baseline is None or not changed:
            return None
        start = time.monotonic()
        documents = [document for _, document in changed]
        paths = [document.path for document in documents]
        report = await self._features.diagnostics(
            paths, after=_versions(documents), timeout_seconds=self.settings.timeout_seconds
        )
        seconds = time.monotonic() - start
        judged = [
            await self._with_fixes(await in_thread(self._compared, baseline, report, old, document), document)
            for old, document in changed
            if document.path not in report.unserved
        ]
        if not judged:
            return None
        others = self._others(baseline, await self._everywhere(), {*baseline.hashes, *paths})
        return Diagnosis(tuple(judged), others, report.provider, seconds, is_proposed=report.is_proposed)

    async def _everywhere(self) -> DiagnosticsReport:
        if not self.settings.other_files:
            return DiagnosticsReport((), frozenset(), provider="")
        return await self._features.diagnostics(None, timeout_seconds=BASELINE_SECONDS)

    def _compared(
        self, baseline: Baseline, report: DiagnosticsReport, old: Document | None, new: Document
    ) -> FileDiagnosis:
        """Return the diagnosis of a file from the document before the change (None: a created file) and after."""
        current = self._judged(report, new.path)
        if old is None:
            previous: tuple[Diagnostic, ...] | None = ()
        elif baseline.hashes.get(old.path) == old.sha256 and old.path in baseline.report.fresh:
            previous = self._judged(baseline.report, old.path)
        else:
            previous = None
        compared = (
            Difference(current, ())
            if previous is None
            else difference(previous, current, to_lf(old.text if old else ""), to_lf(new.text))
        )
        return FileDiagnosis(new.path, compared, is_fresh=new.path in report.fresh, has_baseline=previous is not None)

    def _others(
        self, baseline: Baseline, everywhere: DiagnosticsReport, touched: set[Path]
    ) -> tuple[FileDiagnosis, ...]:
        """Return the differences in unchanged files, sorted by the number of new diagnostics, most first."""
        if everywhere.truncated or baseline.everywhere.truncated:
            return ()  # A diagnostic missing from a cut list may still exist.
        paths = dict.fromkeys(
            diagnostic.path for diagnostic in (*everywhere.diagnostics, *baseline.everywhere.diagnostics)
        )
        diagnoses: list[FileDiagnosis] = []
        for path in paths.keys() - touched:
            compared = difference(self._judged(baseline.everywhere, path), self._judged(everywhere, path), "", "")
            if compared.new or compared.gone:
                diagnoses.append(FileDiagnosis(path, compared, is_fresh=True, has_baseline=True))
        diagnoses.sort(key=lambda file: (-len(file.difference.new), file.path))
        return tuple(diagnoses[: self.settings.other_files])

    def _judged(self, report: DiagnosticsReport, path: Path) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of a file, without diagnostics excluded by the settings."""
        least, ignored = SEVERITIES[self.settings.min_severity], self.settings.ignore_sources
        return tuple(
            diagnostic
            for diagnostic in report.diagnostics
            if diagnostic.path == path and diagnostic.severity <= least and diagnostic.source not in ignored
        )

    async def _with_fixes(self, file: FileDiagnosis, document: Document) -> FileDiagnosis:
        """Return the diagnosis with the titles of the servers' quick fixes for the first new diagnostics."""
        if not file.has_baseline or not file.is_fresh:
            return file
        new = file.difference.new[:MOST_WITH_FIXES]
        fixes = {diagnostic: titles for diagnostic in new if (titles := await self._quick_fixes(diagnostic, document))}
        return replace(file, fixes=fixes)

    async def _quick_fixes(self, diagnostic: Diagnostic, document: Document) -> tuple[str, ...]:
        lines = to_lf(document.text).split("\n")

        def character(_: Path, line: int, column: int) -> int:
            return character_at(lines[line], column, "utf-16") if line < len(lines) else column

        asked = to_lsp(diagnostic, character)
        params = {
            "textDocument": {"uri": diagnostic.path.as_uri()},
            "range": asked["range"],
            "context": {"diagnostics": [asked], "only": ["quickfix"], "triggerKind": 2},
        }
        answer = await self._features.request("textDocument/codeAction", params, timeout_seconds=QUICK_FIX_SECONDS)
        actions = cast("list[JsonObject]", answer.result) if isinstance(answer.result, list) else []
        return tuple(str(action["title"]) for action in actions[:MOST_FIXES] if "title" in action)


@asynccontextmanager
async def no_baseline() -> AsyncGenerator["asyncio.Future[Baseline | None]"]:
    """Yield the lack of a baseline, for a change that is not judged."""
    baseline: asyncio.Future[Baseline | None] = asyncio.get_running_loop().create_future()
    baseline.set_result(None)
    yield baseline


def _versions(documents: Iterable[Document]) -> dict[Path, int]:
    """Return the versions of the open documents."""
    return {document.path: document.version for document in documents if document.version is not None}
