"""DiagnosticsFreshness of one server about files, each with the judged text. Pure except for waking waiters.

A judgement is fresh when it names the version that was sent last; without a version, when the server has published as
often as texts were sent, and nothing followed for a while: such servers send old results again unasked. A server that
sums up several texts in one judgement then counts as late, never as fresh, until a long silence.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from placet.core.messages import JsonObject

VERSIONLESS_QUIET_SECONDS = 1.0
"""Quiet time without versions; typescript-language-server publishes old results once more before the new results."""
SILENT_SECONDS = 10.0
"""Silence after which no earlier text is outstanding any more; some servers publish nothing when nothing has changed.
"""


@dataclass(slots=True)
class _File:
    version: int = 0
    """Version sent last."""
    unanswered: int = 0
    """Number of texts sent since the server's last judgement."""
    sent: float = 0.0
    """Time of the last sending, on the monotonic clock."""
    names_version: bool = True
    judged: bool = False
    """True if the server has judged the text sent last."""
    moment: float = 0.0
    """Time of the last judgement, on the same clock; 0 for an answer to a request, as nothing follows such an answer.
    """
    diagnostics: list[JsonObject] = field(default_factory=list[JsonObject])
    is_settled: bool = True
    """False if texts of other files have been replaced since, without a further judgement."""


class DiagnosticsFreshness:
    """DiagnosticsFreshness of one server, by URI."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._news = asyncio.Event()

    def sent(self, uri: str, version: int) -> None:
        """Note that the server was told of a text."""
        file = self._files.setdefault(uri, _File())
        moment = time.monotonic()
        if moment - max(file.sent, file.moment) > SILENT_SECONDS:
            file.unanswered = 0
        file.version, file.sent = version, moment
        file.unanswered += 1
        file.judged = False

    def published(self, params: Any) -> None:
        """Take a judgement that the server published unasked: `textDocument/publishDiagnostics`."""
        uri, version = str(params["uri"]), params.get("version")
        file = self._files.setdefault(uri, _File())
        file.unanswered = max(file.unanswered - 1, 0)
        file.names_version = isinstance(version, int)
        if isinstance(version, int) and version < file.version:
            return  # The diagnostics are of an old text; diagnostics of a later text stay.
        file.judged = file.names_version or file.unanswered == 0
        file.moment, file.is_settled = time.monotonic(), True
        file.diagnostics = cast("list[JsonObject]", params.get("diagnostics") or [])
        self.wake()

    def pulled(self, uri: str, version: int, report: Any) -> None:
        """Take the answer to a request: `textDocument/diagnostic`, for the text of the given version."""
        file = self._files.setdefault(uri, _File())
        if version == file.version and isinstance(report, dict) and "items" in report:
            file.diagnostics = cast("list[JsonObject]", report["items"])
            file.judged, file.unanswered, file.moment, file.is_settled = True, 0, 0.0, True
            self.wake()

    def closed(self, uri: str) -> None:
        """Note that the file is no longer watched; the last diagnostics hold until the next question."""
        if uri in self._files:
            self._files[uri].judged = False

    def unsettle(self) -> None:
        """Note that the server was told other texts of many files: every judgement may be of the texts before."""
        for file in self._files.values():
            file.is_settled = False

    def of(self, uri: str) -> list[JsonObject]:
        """Return the last diagnostics of the file."""
        return self._files[uri].diagnostics if uri in self._files else []

    @property
    def uris(self) -> list[str]:
        """URIs of the files with judgements of the texts told last."""
        return [uri for uri, file in self._files.items() if file.is_settled]

    def wait_seconds(self, uri: str, quiet_seconds: float) -> float | None:
        """Return the time until the file's judgement is fresh.

        Returns 0, or the rest of the quiet time, or None if only the server can tell.
        """
        file = self._files.get(uri)
        if file is None or not file.judged:
            return None
        if not file.moment:
            return 0.0
        quiet = quiet_seconds if file.names_version else max(quiet_seconds, VERSIONLESS_QUIET_SECONDS)
        return max(0.0, quiet - (time.monotonic() - file.moment))

    async def until_fresh(self, uri: str, quiet_seconds: float, takes_requests: Callable[[], bool]) -> None:
        """Wait for a fresh judgement, or until the server takes requests. The caller has the time limit."""
        while not takes_requests() and (left := self.wait_seconds(uri, quiet_seconds)) != 0:
            self._news.clear()
            try:
                async with asyncio.timeout(left):
                    await self._news.wait()
            except TimeoutError:
                continue

    def wake(self) -> None:
        """Have the waiters look again."""
        self._news.set()
