"""LanguageFeatures without any provider."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from placet.core.ports import DiagnosticsReport, Documents, FeatureAnswer, JsonValue, StagedPaths


class NoFeatures:
    """Implementation of ports.LanguageFeatures without language servers: an answer never claims that a file has no
    errors.
    """

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        return DiagnosticsReport((), frozenset(), provider="none", unserved=frozenset(paths or ()))

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        return FeatureAnswer("noProvider")

    def over(self, documents: Documents, session_id: str, staged: StagedPaths) -> "NoFeatures":
        return self

    async def close(self) -> None:
        """Do nothing, as nothing was started."""
