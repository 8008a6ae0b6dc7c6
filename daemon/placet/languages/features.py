"""Language features of a front door as a chain: the editor, then Placet's own servers, then names alone.

The first provider that can answer does so, and the answer names the provider.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from placet.core.ports import (
    DiagnosticsReport,
    Documents,
    FeatureAnswer,
    JsonValue,
    LanguageFeatures,
    SessionLanguages,
    StagedPaths,
)
from placet.languages.servers.own import OwnServers


def language_features(
    documents: Documents, roots: Sequence[Path], servers: OwnServers, editor: LanguageFeatures | None = None
) -> SessionLanguages:
    """Return features that send each question to the first provider with an answer."""
    return Languages(documents, roots, servers, editor)


def _by_syntax(documents: Documents, roots: Sequence[Path]) -> "DeferredFeatures":
    def make() -> LanguageFeatures:
        from placet.languages.syntax_features import SyntaxFeatures  # Grammars are loaded for the first question.

        return SyntaxFeatures(documents, roots)

    return DeferredFeatures(make)


class DeferredFeatures:
    """Implementation of ports.LanguageFeatures by a provider that the first question makes."""

    def __init__(self, make: Callable[[], LanguageFeatures]) -> None:
        self._make = make
        self._made: LanguageFeatures | None = None

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        return await self._provider().diagnostics(paths, after=after, timeout_seconds=timeout_seconds)

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        return await self._provider().request(method, params, timeout_seconds=timeout_seconds)

    async def close(self) -> None:
        if self._made is not None:
            await self._made.close()

    def _provider(self) -> LanguageFeatures:
        if self._made is None:
            self._made = self._make()
        return self._made


class FeatureChain:
    """Implementation of ports.LanguageFeatures over several providers, the best first."""

    def __init__(self, providers: Sequence[LanguageFeatures]) -> None:
        self._providers = tuple(providers)

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        """Return each path's diagnostics from the first provider that serves the path, even if nothing is fresh there.

        With `paths` None, return the known diagnostics of every provider.
        """
        whole = DiagnosticsReport((), frozenset(), provider="", unserved=frozenset(paths or ()))
        for provider in self._providers:
            if paths is not None and not whole.unserved:
                break
            asked = None if paths is None else [path for path in paths if path in whole.unserved]
            report = await provider.diagnostics(asked, after=after, timeout_seconds=timeout_seconds)
            whole = _together(whole, report)
        return whole

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        """Return the answer of the first provider for the method, even if the answer is "still loading"."""
        for provider in self._providers:
            answer = await provider.request(method, params, timeout_seconds=timeout_seconds)
            if answer.status != "noProvider":
                return answer
        return FeatureAnswer("noProvider")

    async def close(self) -> None:
        for provider in self._providers:
            await provider.close()


class Languages(FeatureChain):
    """Implementation of ports.SessionLanguages for a front door, which owns the object."""

    def __init__(
        self, documents: Documents, roots: Sequence[Path], servers: OwnServers, editor: LanguageFeatures | None
    ) -> None:
        """Set up the features; `roots` is read for each answer."""
        super().__init__([*([] if editor is None else [editor]), servers, _by_syntax(documents, roots)])
        self._roots = roots
        self._servers = servers
        self._editor = editor

    def over(self, documents: Documents, session_id: str, staged: StagedPaths) -> LanguageFeatures:
        def make() -> LanguageFeatures:
            from placet.languages.staged_features import StagedFeatures  # Most sessions never stage a file.

            names = _by_syntax(documents, self._roots)
            return StagedFeatures(self, self._editor, self._servers.over(documents, session_id), names, staged)

        return DeferredFeatures(make)


def _together(first: DiagnosticsReport, second: DiagnosticsReport) -> DiagnosticsReport:
    says_something = bool(second.fresh or second.diagnostics)
    return DiagnosticsReport(
        first.diagnostics + second.diagnostics,
        first.fresh | second.fresh,
        provider=", ".join(filter(None, (first.provider, second.provider if says_something else ""))),
        truncated=first.truncated or second.truncated,
        unserved=second.unserved,
    )
