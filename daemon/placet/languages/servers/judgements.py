"""What one server has said of files, and of which text it said it. Pure but for waking who waits.

A judgement is fresh when it names the version that was sent last; without a version, when the server has spoken as
often as it was told of a text, and nothing came after it for a while: such servers say old things again unasked.
A server that sums up several texts in one word then counts as late, never as fresh, until it has been silent for long.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any, cast

from placet.messages import JsonObject

VERSIONLESS_QUIET_SECONDS = 1.0
"""typescript-language-server publishes old results once more before the new ones."""
SILENT_SECONDS = 10.0
"""After so long without a word no earlier text is outstanding any more; some say nothing when nothing has changed."""


@dataclass(slots=True)
class _File:
    version: int = 0
    """Sent last."""
    unanswered: int = 0
    """Texts sent since it last spoke."""
    sent: float = 0.0
    """When that was, on the monotonic clock."""
    names_version: bool = True
    judged: bool = False
    """It has spoken of the text sent last."""
    moment: float = 0.0
    """When it last spoke, on the same clock; 0 for an answer, behind which nothing comes."""
    diagnostics: list[JsonObject] = field(default_factory=list[JsonObject])


class Judgements:
    """By URI."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._news = asyncio.Event()

    def sent(self, uri: str, version: int) -> None:
        """The server was told of a text."""
        file = self._files.setdefault(uri, _File())
        moment = time.monotonic()
        if moment - max(file.sent, file.moment) > SILENT_SECONDS:
            file.unanswered = 0
        file.version, file.sent = version, moment
        file.unanswered += 1
        file.judged = False

    def published(self, params: Any) -> None:
        """It spoke by itself: `textDocument/publishDiagnostics`."""
        uri, version = str(params["uri"]), params.get("version")
        file = self._files.setdefault(uri, _File())
        file.unanswered = max(file.unanswered - 1, 0)
        file.names_version = isinstance(version, int)
        if isinstance(version, int) and version < file.version:
            return  # Of a text that is no more; what is known of a later one stays.
        file.judged = file.names_version or file.unanswered == 0
        file.moment = time.monotonic()
        file.diagnostics = cast("list[JsonObject]", params.get("diagnostics") or [])
        self._wake()

    def pulled(self, uri: str, version: int, report: Any) -> None:
        """It answered when it was asked: `textDocument/diagnostic`, of the text of that version."""
        file = self._files.setdefault(uri, _File())
        if version == file.version and isinstance(report, dict) and "items" in report:
            file.diagnostics = cast("list[JsonObject]", report["items"])
            file.judged, file.unanswered, file.moment = True, 0, 0.0
            self._wake()

    def closed(self, uri: str) -> None:
        """The file is no longer watched; what was said of it holds as long as nobody asks again."""
        if uri in self._files:
            self._files[uri].judged = False

    def of(self, uri: str) -> list[JsonObject]:
        """What it said of the file last."""
        return self._files[uri].diagnostics if uri in self._files else []

    @property
    def uris(self) -> list[str]:
        """Of the files it has spoken of."""
        return list(self._files)

    def wait_seconds(self, uri: str, quiet_seconds: float) -> float | None:
        """How long until what is known of the file is fresh: 0, a while for it to come to rest, None if only the
        server can tell."""
        file = self._files.get(uri)
        if file is None or not file.judged:
            return None
        if not file.moment:
            return 0.0
        quiet = quiet_seconds if file.names_version else max(quiet_seconds, VERSIONLESS_QUIET_SECONDS)
        return max(0.0, quiet - (time.monotonic() - file.moment))

    async def until_fresh(self, uri: str, quiet_seconds: float) -> None:
        """Wait for it. The caller has the time limit."""
        while (left := self.wait_seconds(uri, quiet_seconds)) != 0:
            self._news.clear()
            try:
                async with asyncio.timeout(left):
                    await self._news.wait()
            except TimeoutError:
                continue

    def _wake(self) -> None:
        self._news.set()
