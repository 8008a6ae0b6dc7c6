"""Every text of an open document since watching began: the way to know that an edit has landed."""

import asyncio
from collections.abc import Callable, Iterable
from types import TracebackType

from placet.core.ports import Document
from placet.frontends.lsp.connection.buffers import BufferStore, OpenBuffer


class BufferHistory:
    """Texts seen in watched documents. Begin before an edit is sent, so the edit's text is seen even when the user
    types on at once.
    """

    def __init__(
        self, buffers: BufferStore, watched: Iterable[OpenBuffer], seen: Iterable[tuple[str, Document]] = ()
    ) -> None:
        """Create the history of the watched documents; `seen` are the texts of an earlier history, by key."""
        self._buffers = buffers
        self._watched = tuple(watched)
        self._keys = {open_buffer.key for open_buffer in self._watched}
        self._seen = [*seen]
        self._news = asyncio.Event()
        self._watching = buffers.watched(self._note)

    def __enter__(self) -> "BufferHistory":
        self._watching.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watching.__exit__(kind, error, trace)

    def continued(self) -> "BufferHistory":
        """Return another look at the same documents, with all texts seen so far; the new look goes on when this look
        ends.
        """
        return BufferHistory(self._buffers, self._watched, self._seen)

    async def find(
        self, open_buffer: OpenBuffer, matches: Callable[[Document], bool], deadline: float | None
    ) -> Document | None:
        """Return the first fitting text of the document, waited for until `deadline` (the loop's time; None: for
        ever).
        """
        looked_at = 0
        try:
            async with asyncio.timeout_at(deadline):
                while True:
                    for key, document in self._seen[looked_at:]:
                        if key == open_buffer.key and matches(document):
                            return document
                    looked_at = len(self._seen)
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return None

    def _note(self, open_buffer: OpenBuffer) -> None:
        if open_buffer.key in self._keys and open_buffer.path is not None:
            self._seen.append((open_buffer.key, snapshot(open_buffer)))
            self._news.set()


def snapshot(open_buffer: OpenBuffer) -> Document:
    """Return the document as of this moment; `dirty` only says whether the text was changed since opening or saving."""
    assert open_buffer.path is not None
    return Document(
        path=open_buffer.path,
        text=open_buffer.text,
        source="buffer",
        version=open_buffer.version,
        dirty=open_buffer.changed,
    )
