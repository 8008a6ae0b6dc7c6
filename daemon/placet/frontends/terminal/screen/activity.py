"""Sign of life: a line on stderr that says what is awaited, while nothing else comes."""

import asyncio
import os
import stat
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TextIO

from placet.core.visible_text import one_line, without_controls

TICK_SECONDS = 0.2
PATIENCE_SECONDS = 1.0
"""Silence after which the line appears."""
_DUMB_SECONDS = 30.0
"""Silence between two lines where the cursor cannot move."""
_FRAMES = "|/-\\"


class Activity:
    """Line about what is awaited; owned by the terminal of a run, and shown until other output comes.

    Nothing is shown where stderr is no terminal, or where stdout is a pipe: its reader may use the same terminal.
    """

    def __init__(self, stream: TextIO | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Make the sign of life for the stream, which is a terminal; None: nothing is shown."""
        self._stream = stream
        self._is_dumb = os.environ.get("TERM", "") in ("dumb", "unknown")
        self._clock = clock
        self._awaited = ""
        self._since = self._quiet_since = clock()
        self._width = 0
        self._frame = 0
        self._pauses = 0
        self._task: asyncio.Task[None] | None = None

    def wait_for(self, awaited: str) -> None:
        """Note what is awaited from now on; "" for nothing."""
        if awaited != self._awaited:
            self._awaited, self._since = awaited, self._clock()
        if self._stream is not None and self._task is None and awaited:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="sign of life")

    def hide(self) -> None:
        """Take the line away, because something else is printed."""
        self._quiet_since = self._clock()
        if self._width and self._stream is not None:
            self._write(f"\r{' ' * self._width}\r")
        self._width = 0

    @contextmanager
    def paused(self) -> Generator[None]:
        """Show nothing while the context is open: the user is asked."""
        self.hide()
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            self._since = self._quiet_since = self._clock()

    def stop(self) -> None:
        """Take the line away for good."""
        self.hide()
        self._awaited = ""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def tick(self) -> None:
        """Draw the line, if the silence is long enough."""
        now = self._clock()
        patience = _DUMB_SECONDS if self._is_dumb else PATIENCE_SECONDS
        if self._pauses or not self._awaited or now - self._quiet_since < patience:
            return
        awaited, spent = one_line(without_controls(self._awaited)), f"  {now - self._since:.0f} s"
        if self._is_dumb:
            self._quiet_since = now
            self._write(f"... {awaited}{spent}\n")
            return
        self._frame = (self._frame + 1) % len(_FRAMES)
        end = f"{spent} (Ctrl-C stops)"
        shown = f"{_fitted(f'{_FRAMES[self._frame]} {awaited}', _columns() - 1 - len(end))}{end}"
        self._write(f"\r{shown}{' ' * max(0, self._width - len(shown))}")
        self._width = max(self._width, _cells(shown))

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            self.tick()

    def _write(self, text: str) -> None:
        if self._stream is not None:
            with suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()


def stream_for_activity() -> TextIO | None:
    """Return stderr, if the sign of life can be shown there."""
    stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    try:
        if stream is None or not stream.isatty():
            return None
        is_shown = sys.stdout.isatty() or stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (AttributeError, OSError, ValueError):
        return None
    return stream if is_shown else None


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _fitted(text: str, width: int) -> str:
    from rich.cells import set_cell_size

    return text if _cells(text) <= width else set_cell_size(text, max(0, width))
