"""Output above the prompt line, which can be waited for."""

import asyncio
import threading

from prompt_toolkit.patch_stdout import StdoutProxy


class AwaitedOutput(StdoutProxy):
    """stdout and stderr of the interactive session; prompt_toolkit prints the text a moment later, from a thread."""

    def __init__(self) -> None:
        self._given = self._handed_over = 0
        """Characters that were written here, and characters that the event loop has been told to print."""
        self._moved = threading.Condition()
        super().__init__(raw=True)

    def write(self, data: str) -> int:
        with self._moved:
            self._given += len(data)
        return super().write(data)

    def _write_and_flush(self, loop: asyncio.AbstractEventLoop | None, text: str) -> None:
        super()._write_and_flush(loop, text)
        with self._moved:
            self._handed_over += len(text)
            self._moved.notify_all()

    async def printed(self) -> None:
        """Return when all text so far is on the screen, or comes there before the next program of the user."""
        self.flush()
        with self._moved:
            given = self._given
        await asyncio.to_thread(self._wait_for, given)
        await asyncio.sleep(0)  # The event loop begins to print.

    def _wait_for(self, given: int) -> None:
        with self._moved:
            self._moved.wait_for(lambda: self._handed_over >= given)
