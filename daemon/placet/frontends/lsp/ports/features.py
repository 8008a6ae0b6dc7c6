"""The LanguageFeatures port through the editor, where the editor offers `editor/diagnostics` and
`editor/languageFeature`.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from placet.core.errors import DocumentError
from placet.core.executor import in_thread
from placet.core.ports import DiagnosticsReport, FeatureAnswer, JsonValue
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone
from placet.frontends.lsp.protocol.positions import convert
from placet.languages.lsp_diagnostics import from_lsp
from placet.project.files.disk import read_document
from placet.project.paths import from_uri
from placet.text.buffer import Buffer
from placet.text.positions import column_at

log = logging.getLogger(__name__)

PROVIDER = "editor"
QUIET_MILLISECONDS = 300
LIMIT = 200
_GRACE_SECONDS = 2.0
"""Time a client may take beyond its time limit, before the client counts as not answering."""
_STATUSES: dict[str, Literal["ok", "noProvider", "timeout", "loading"]] = {
    "ok": "ok",
    "noProvider": "noProvider",
    "timeout": "timeout",
    "loading": "loading",
}
Json = dict[str, Any]


class LspFeatures:
    """Language features from the language servers of one editor."""

    def __init__(self, client: EditorClient, buffers: BufferStore) -> None:
        self._client = client
        self._buffers = buffers

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        """Return diagnostics as the port says; an editor without `editor/diagnostics` gives an empty report, fresh for
        no file.
        """
        if not self._client.profile.can("editor/diagnostics"):
            return DiagnosticsReport((), frozenset(), provider="", unserved=frozenset(paths or ()))
        asked = {self._uri(path): path for path in paths or ()}
        params = {
            "uris": None if paths is None else list(asked),
            "minSeverity": 4,
            "after": {self._uri(path): version for path, version in (after or {}).items()},
            "quietMs": QUIET_MILLISECONDS,
            "timeoutMs": int(timeout_seconds * 1000),
            "limit": LIMIT,
        }
        answer = await self._ask("editor/diagnostics", params, timeout_seconds)
        items = [(path, item) for item in _objects(answer.get("items")) if (path := _path(item, asked)) is not None]
        texts = _Texts(self._buffers)
        await texts.load({path for path, item in items if item.get("diagnostics")})
        return DiagnosticsReport(
            tuple(
                diagnostic
                for path, item in items
                for entry in _objects(item.get("diagnostics"))
                if (diagnostic := from_lsp(path, entry, texts.column)) is not None
            ),
            fresh=frozenset(path for path, item in items if item.get("fresh") is True),
            provider=", ".join(_providers(items)) or PROVIDER,
            truncated=answer.get("truncated") is True,
            unserved=frozenset(path for path, item in items if path in asked.values() and item.get("providers") == []),
        )

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        """Return the answer as the port says; `noProvider` for methods which the editor does not list."""
        profile = self._client.profile
        if not profile.can("editor/languageFeature") or method not in profile.language_features:
            return FeatureAnswer("noProvider")
        texts = _Texts(self._buffers)
        encoding = self._buffers.encoding
        await texts.load_all(params)
        asked = {
            "method": method,
            "params": convert(params, "", "utf-16", encoding, texts.line_of),
            "timeoutMs": int(timeout_seconds * 1000),
        }
        answer = await self._ask("editor/languageFeature", asked, timeout_seconds)
        result = answer.get("result")
        await texts.load_all(result)
        uri = _document_uri(params)
        providers = answer.get("providers")
        return FeatureAnswer(
            _STATUSES.get(str(answer.get("status")), "timeout"),
            convert(result, uri, encoding, "utf-16", texts.line_of),
            tuple(str(provider) for provider in cast("list[Any]", providers)) if isinstance(providers, list) else (),
        )

    async def close(self) -> None:
        """Do nothing: no server was started."""

    def _uri(self, path: Path) -> str:
        open_buffer = self._buffers.find(path)
        return path.as_uri() if open_buffer is None else open_buffer.uri

    async def _ask(self, method: str, params: Json, timeout_seconds: float) -> Json:
        """Return the answer as an object, empty when no answer came."""
        try:
            answer = await self._client.request(method, params, timeout_seconds=timeout_seconds + _GRACE_SECONDS)
        except (EditorError, EditorGone, TimeoutError) as error:
            log.warning("%s: %s", method, error or "no answer in time")
            return {}
        return cast("Json", answer) if isinstance(answer, dict) else {}


class _Texts:
    """Texts in which positions are counted: lines of open documents, else of the files."""

    def __init__(self, buffers: BufferStore) -> None:
        self._buffers = buffers
        self._needed = buffers.encoding != "utf-32"
        self._read: dict[Path, Buffer] = {}

    async def load(self, paths: set[Path]) -> None:
        """Read the files that are not open; an unreadable file is left out."""
        for path in paths:
            if self._needed and path not in self._read and self._buffers.find(path) is None:
                try:
                    self._read[path] = Buffer((await in_thread(read_document, path)).text)
                except DocumentError as error:
                    log.debug("Positions in %s are taken as they are: %s", path, error)

    async def load_all(self, value: Any) -> None:
        """Load the files which a value names by URI, if positions in the files have to be converted."""
        if self._buffers.encoding != "utf-16":
            await self.load({path for uri in _uris_in(value) if (path := from_uri(uri)) is not None})

    def line_of(self, uri: str, number: int) -> str | None:
        """Return a line for positions.convert."""
        path = from_uri(uri)
        return None if path is None else self._line(path, number)

    def _line(self, path: Path, number: int) -> str | None:
        open_buffer = self._buffers.find(path)
        buffer = self._read.get(path) if open_buffer is None else open_buffer.buffer
        return None if buffer is None else buffer.line(number)

    def column(self, path: Path, number: int, character: int) -> int:
        """Return a column for lsp_diagnostics.from_lsp."""
        line = self._line(path, number)
        return character if line is None else column_at(line, character, self._buffers.encoding)


def _objects(value: Any) -> list[Json]:
    return (
        [cast("Json", item) for item in cast("list[Any]", value) if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )


def _providers(items: Sequence[tuple[Path, Json]]) -> list[str]:
    """Return the servers which judged any of the files."""
    providers = [provider for _, item in items for provider in cast("list[Any]", item.get("providers") or [])]
    return list(dict.fromkeys(str(provider) for provider in providers))


def _path(item: Json, asked: Mapping[str, Path]) -> Path | None:
    """Return the path as in the question, else as the item's URI says."""
    uri = item.get("uri")
    return (asked.get(uri) or from_uri(uri)) if isinstance(uri, str) else None


def _document_uri(params: Any) -> str:
    document = cast("Json", params).get("textDocument") if isinstance(params, dict) else None
    uri = cast("Json", document).get("uri") if isinstance(document, dict) else None
    return uri if isinstance(uri, str) else ""


def _uris_in(value: Any) -> set[str]:
    """Return every `file:` URI in a value, keys included."""
    if isinstance(value, str):
        return {value} if value.startswith("file:") else set()
    if isinstance(value, list):
        return {uri for item in cast("list[Any]", value) for uri in _uris_in(item)}
    if isinstance(value, dict):
        return {uri for pair in cast("Json", value).items() for item in pair for uri in _uris_in(item)}
    return set()
