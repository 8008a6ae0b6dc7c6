"""Placet's own language servers by the present settings; no server where a folder is not trusted."""

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from placet.core.executor import in_thread
from placet.core.ports import DiagnosticsReport, Documents, FeatureAnswer, JsonValue
from placet.project.processes.environment import without_secrets
from placet.sandbox.programs import ContainProgram, without_sandbox
from placet.settings import LanguageSettings

if TYPE_CHECKING:
    from placet.languages.servers.features import ServerFeatures


class OwnServers:
    """Implementation of ports.LanguageFeatures by own servers. Belongs to one event loop."""

    def __init__(
        self,
        documents: Documents,
        roots: Sequence[Path],
        settings: LanguageSettings,
        *,
        may_start: bool,
        contain: ContainProgram = without_sandbox,
    ) -> None:
        """Set up the servers; `roots` is read whenever a server is asked for.

        `may_start`: servers run code from the project (its compiler, its plugins), so the user decides.
        `contain` gives the sandboxes of servers.
        """
        self._contain = contain
        self._documents = documents
        self._roots = roots
        self._requested = settings if settings.own and may_start else None
        self._made: LanguageSettings | None = None
        self._features: ServerFeatures | None = None
        self._changing = asyncio.Lock()
        self._renewing: asyncio.Task[ServerFeatures | None] | None = None

    def follow(self, settings: LanguageSettings, *, may_start: bool) -> None:
        """Apply other settings at once: the present servers are ended, and new servers start at the next question."""
        self._requested = settings if settings.own and may_start else None
        if self._requested != self._made:
            self._renewing = asyncio.create_task(self._current(), name="other language servers")

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        if (features := await self._current()) is None:
            return DiagnosticsReport((), frozenset(), provider="", unserved=frozenset(paths or ()))
        return await features.diagnostics(paths, after=after, timeout_seconds=timeout_seconds)

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        if (features := await self._current()) is None:
            return FeatureAnswer("noProvider")
        return await features.request(method, params, timeout_seconds=timeout_seconds)

    def over(self, documents: Documents, view: str) -> "StagedServers":
        """Return the servers over the texts of a session with its staged changes."""
        return StagedServers(self, documents, view)

    async def features_over(self, documents: Documents, view: str) -> "ServerFeatures | None":
        """Return the features over another view of the texts, or None where no server may start."""
        features = await self._current()
        return None if features is None else features.over(documents, view)

    async def close(self) -> None:
        self._requested = None
        await self._current()
        if self._renewing is not None:
            await asyncio.gather(self._renewing, return_exceptions=True)

    async def _current(self) -> "ServerFeatures | None":
        async with self._changing:
            if self._requested != self._made:
                before, self._features = self._features, None
                self._made = None
                if before is not None:
                    await before.close()
                if (requested := self._requested) is not None:
                    from placet.languages.servers.features import ServerFeatures  # The first question starts servers.
                    from placet.languages.servers.pool import ServerPool

                    pool = await in_thread(
                        ServerPool, requested, self._roots, without_secrets(os.environ), self._contain
                    )
                    self._features = ServerFeatures(self._documents, pool)
                self._made = requested
            return self._features


class StagedServers:
    """Own servers that are told the texts of one session with its staged changes; lives as long as a tool call.

    Implementation of ports.LanguageFeatures.
    """

    def __init__(self, servers: OwnServers, documents: Documents, view: str) -> None:
        self._servers = servers
        self._documents = documents
        self._view = view

    async def serves_together(self, path: Path, others: Iterable[Path]) -> bool:
        """Return whether a server of the file also serves any of the other files."""
        features = await self._servers.features_over(self._documents, self._view)
        return features is not None and features.shares_server(path, others)

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        if (features := await self._servers.features_over(self._documents, self._view)) is None:
            return DiagnosticsReport((), frozenset(), provider="", unserved=frozenset(paths or ()))
        return await features.diagnostics(paths, after=after, timeout_seconds=timeout_seconds)

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        if (features := await self._servers.features_over(self._documents, self._view)) is None:
            return FeatureAnswer("noProvider")
        return await features.request(method, params, timeout_seconds=timeout_seconds)

    async def close(self) -> None:
        """Do nothing: OwnServers ends the servers."""
