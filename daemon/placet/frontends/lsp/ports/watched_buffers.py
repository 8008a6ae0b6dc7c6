"""Buffers of one connection, watched for unsaved text, of which other processes with the same store are told."""

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

from placet.changes.unsaved_watch import UnsavedWatch
from placet.frontends.lsp.connection.buffers import BufferStore, OpenBuffer


class WatchedBuffers:
    """Watch of one connection's buffers, from the opening of the sessions until the editor leaves."""

    def __init__(
        self, buffers: BufferStore, has_unsaved: Callable[[Path], Awaitable[bool]], store: Path | None
    ) -> None:
        self._watch = UnsavedWatch(has_unsaved, store)
        self._watching = ExitStack()
        self._watching.enter_context(buffers.watched(self._touch))
        for open_buffer in buffers.all():
            self._touch(open_buffer)

    async def close(self) -> None:
        """End the watch as the editor leaves."""
        self._watching.close()
        await self._watch.close()

    def _touch(self, open_buffer: OpenBuffer) -> None:
        if open_buffer.path is not None:
            self._watch.touch(open_buffer.path)
