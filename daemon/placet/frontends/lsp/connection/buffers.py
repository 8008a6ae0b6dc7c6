"""Open documents of the client, synced change by change. Found by URI as the client spells the URI, or by path."""

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from placet.project.paths import Resolver, from_uri, real
from placet.text.buffer import Buffer
from placet.text.positions import Position, PositionEncoding


@dataclass(slots=True, eq=False)
class OpenBuffer:
    """Open document, changed in place: take `text` and `version` together, with no await between."""

    uri: str
    """URI as spelled by the client; requests to the client use this spelling."""
    path: Path | None
    """Path of the file; None for a document that is no file (untitled, a view of a plugin)."""
    language_id: str
    version: int
    buffer: Buffer
    key: str
    """Key which is the same for every spelling of the file's name."""
    changed: bool = False
    """Set by a change since the opening or saving; the text may be back at the saved text all the same."""
    saves: int = 0
    """Number of saves reported by the client."""

    @property
    def text(self) -> str:
        """Whole text, in the line endings the client sent."""
        return self.buffer.text


class BufferStore:
    """Open documents of one connection. The store belongs to the event loop's thread."""

    def __init__(self, encoding: PositionEncoding = "utf-16") -> None:
        self._encoding: PositionEncoding = encoding
        self._by_uri: dict[str, OpenBuffer] = {}
        self._by_key: dict[str, list[OpenBuffer]] = {}
        self._watchers: list[Callable[[OpenBuffer], None]] = []

    @property
    def encoding(self) -> PositionEncoding:
        """Negotiated position encoding of the connection."""
        return self._encoding

    def use_encoding(self, encoding: PositionEncoding) -> None:
        """Use the encoding negotiated by `initialize`, before the first document is opened."""
        self._encoding = encoding

    def opened(self, uri: str, language_id: str, version: int, text: str) -> OpenBuffer:
        """Take a didOpen. Opening a document again replaces the document: some clients do so after a language
        change.
        """
        self._forget(uri)
        path = from_uri(uri)
        opened = OpenBuffer(uri, path, language_id, version, Buffer(text), uri if path is None else _key(path))
        self._by_uri[uri] = opened
        self._by_key.setdefault(opened.key, []).append(opened)
        self._tell(opened)
        return opened

    def changed(self, uri: str, version: int, content_changes: Iterable[types.TextDocumentContentChangeEvent]) -> None:
        """Take a didChange: ranges in the negotiated encoding, applied in order, or a whole text.

        A document that was never opened is ignored.
        """
        open_buffer = self._by_uri.get(uri)
        if open_buffer is None:
            return
        open_buffer.version = version
        open_buffer.changed = True
        for change in content_changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                open_buffer.buffer = Buffer(change.text)
            else:
                start, end = _position(change.range.start), _position(change.range.end)
                open_buffer.buffer.replace(start, end, change.text, self.encoding)
            self._tell(open_buffer)

    def closed(self, uri: str) -> None:
        """Take a didClose: from now on the disk's text is the truth."""
        open_buffer = self._forget(uri)
        if open_buffer is not None:
            self._tell(open_buffer)

    def saved(self, uri: str) -> None:
        """Take a didSave."""
        open_buffer = self._by_uri.get(uri)
        if open_buffer is not None:
            open_buffer.changed = False
            open_buffer.saves += 1
            self._tell(open_buffer)

    def get(self, uri: str) -> OpenBuffer | None:
        """Return the document which the client knows by exactly this URI."""
        return self._by_uri.get(uri)

    def find(self, path: Path, resolver: Resolver | None = None) -> OpenBuffer | None:
        """Return the open document of a file under any URI: paths are compared with symlinks resolved.

        Of two documents for the same file, return the document opened under this very name, else the last opened.
        A `resolver` of the present moment makes many calls faster.
        """
        return self._find(_key(path) if resolver is None else os.path.normcase(resolver.real(path)), path)

    def all(self) -> tuple[OpenBuffer, ...]:
        return tuple(self._by_uri.values())

    @contextmanager
    def watched(self, watcher: Callable[[OpenBuffer], None]) -> Generator[None]:
        """Call `watcher` with a document after every single change of the document, also after opening, saving and
        closing.
        """
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    def _tell(self, open_buffer: OpenBuffer) -> None:
        for watcher in tuple(self._watchers):
            watcher(open_buffer)

    def _find(self, key: str, path: Path) -> OpenBuffer | None:
        candidates = self._by_key.get(key, ())
        return next(
            (candidate for candidate in candidates if candidate.path == path), candidates[-1] if candidates else None
        )

    def _forget(self, uri: str) -> OpenBuffer | None:
        forgotten = self._by_uri.pop(uri, None)
        if forgotten is not None:
            left = self._by_key[forgotten.key]
            left.remove(forgotten)
            if not left:
                del self._by_key[forgotten.key]
        return forgotten


def _key(path: Path) -> str:
    """Return the key shared by every spelling of a file's name."""
    return os.path.normcase(real(path))


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)
