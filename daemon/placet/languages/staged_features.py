"""Language features of a session with staged files: questions about staged text go to servers which know the text.

The editor knows the files as the files are, so the editor is never asked about a staged file. A file that shares a
language server with a staged file is asked of Placet's own servers first, which know both texts.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from placet.core.ports import DiagnosticsReport, FeatureAnswer, JsonValue, LanguageFeatures, StagedPaths
from placet.core.values import replace
from placet.languages.servers.own import StagedServers
from placet.project.paths import from_uri, real


class StagedFeatures:
    """Implementation of ports.LanguageFeatures for one session; lives as long as a tool call."""

    def __init__(
        self,
        present: LanguageFeatures,
        editor: LanguageFeatures | None,
        servers: StagedServers,
        names: LanguageFeatures,
        staged: StagedPaths,
    ) -> None:
        """Set up the features: `present` answers about the present texts, `servers` and `names` about the texts that
        the session sees.
        """
        self._present = present
        self._editor = editor
        self._servers = servers
        self._names = names
        self._staged = staged

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        staged = await self._staged_paths()
        if not staged:
            return await self._present.diagnostics(paths, after=after, timeout_seconds=timeout_seconds)
        if paths is None:
            return await self._known(staged, timeout_seconds)
        here = [path for path in paths if await self._is_proposed(path, staged)]
        by_servers = await self._servers.diagnostics(here, after=after, timeout_seconds=timeout_seconds)
        left = [path for path in here if path in by_servers.unserved and real(path) in staged]
        others = [path for path in paths if path not in here or (path in by_servers.unserved and path not in left)]
        by_names = await _asked(self._names, left, after, timeout_seconds)
        present = await _asked(self._present, others, after, timeout_seconds)
        report = _together(_together(by_servers, by_names), present)
        unserved = by_names.unserved | present.unserved
        return replace(report, unserved=unserved, is_proposed=bool(set(here) - set(others) - unserved))

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        staged, path = await self._staged_paths(), _document(params)
        if path is None or not staged or not await self._is_proposed(path, staged):
            return await self._present.request(method, params, timeout_seconds=timeout_seconds)
        answer = await self._servers.request(method, params, timeout_seconds=timeout_seconds)
        if answer.status == "noProvider":
            others = self._names if real(path) in staged else self._present
            answer = await others.request(method, params, timeout_seconds=timeout_seconds)
            return replace(answer, is_proposed=others is self._names)
        return replace(answer, is_proposed=True)

    async def close(self) -> None:
        """Do nothing: the features were made for one session."""

    async def _staged_paths(self) -> frozenset[Path]:
        return frozenset(real(path) for path in await self._staged())

    async def _is_proposed(self, path: Path, staged: Iterable[Path]) -> bool:
        """Return whether servers that know the staged texts are asked about the file."""
        return real(path) in staged or await self._servers.serves_together(path, staged)

    async def _known(self, staged: Iterable[Path], timeout_seconds: float) -> DiagnosticsReport:
        """Return the known diagnostics; the editor's diagnostics of staged files are left out."""
        report = await self._servers.diagnostics(None, timeout_seconds=timeout_seconds)
        if self._editor is not None:
            by_editor = await self._editor.diagnostics(None, timeout_seconds=timeout_seconds)
            present = tuple(known for known in by_editor.diagnostics if real(known.path) not in staged)
            report = _together(report, replace(by_editor, diagnostics=present))
        return replace(report, is_proposed=True)


async def _asked(
    features: LanguageFeatures, paths: Sequence[Path], after: Mapping[Path, int] | None, timeout_seconds: float
) -> DiagnosticsReport:
    """Return the diagnostics of the paths, without a question if the paths are none."""
    if not paths:
        return DiagnosticsReport((), frozenset(), provider="")
    return await features.diagnostics(paths, after=after, timeout_seconds=timeout_seconds)


def _together(first: DiagnosticsReport, second: DiagnosticsReport) -> DiagnosticsReport:
    return DiagnosticsReport(
        first.diagnostics + second.diagnostics,
        first.fresh | second.fresh,
        provider=", ".join(dict.fromkeys(filter(None, (first.provider, second.provider)))),
        truncated=first.truncated or second.truncated,
    )


def _document(params: Any) -> Path | None:
    """Return the file of the question, or None for a question about the whole project."""
    asked = cast("dict[str, Any]", params)
    document: Any = asked.get("textDocument") or asked.get("item") or {}
    uri = document.get("uri")
    return from_uri(uri) if isinstance(uri, str) else None
