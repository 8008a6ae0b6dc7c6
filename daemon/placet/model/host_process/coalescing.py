"""Pieces gathered into frames: the first leaves at once, later ones together every 15 ms."""

import asyncio
from collections.abc import Callable

from placet.model.frames import Arguments, Piece, Text, Thought

FLUSH_SECONDS = 0.015


class Coalescer:
    """Joins neighbouring pieces of one kind; calls `send` with what has gathered. Belongs to one loop."""

    def __init__(self, send: Callable[[list[Piece]], None], *, interval_seconds: float = FLUSH_SECONDS) -> None:
        self._send = send
        self._interval = interval_seconds
        self._loop = asyncio.get_running_loop()
        self._gathered: list[Piece] = []
        self._texts: list[str] = []
        self._sent_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def add(self, piece: Piece) -> bool:
        """Take a piece; true when that sent a frame."""
        if self._gathered and (text := _continues(self._gathered[-1], piece)) is not None:
            self._texts.append(text)
        else:
            self._join()
            self._gathered.append(piece)
        wait = self._sent_at + self._interval - self._loop.time()
        if wait <= 0:
            self.flush()
            return True
        if self._timer is None:
            self._timer = self._loop.call_later(wait, self.flush)
        return False

    def flush(self) -> None:
        """Send what is there, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._join()
        if self._gathered:
            gathered, self._gathered = self._gathered, []
            self._send(gathered)
            self._sent_at = self._loop.time()

    def _join(self) -> None:
        if not self._texts:
            return
        more, self._texts = "".join(self._texts), []
        match self._gathered[-1]:
            case Text(text):
                self._gathered[-1] = Text(text + more)
            case Thought(text):
                self._gathered[-1] = Thought(text + more)
            case Arguments(call_id, text):
                self._gathered[-1] = Arguments(call_id, text + more)
            case _:
                raise AssertionError("only texts are continued")


def _continues(last: Piece, piece: Piece) -> str | None:
    """The text by which `piece` prolongs `last`; None when it is something else."""
    match last, piece:
        case Text(), Text(text):
            return text
        case Thought(signature=None, redacted=None), Thought(text, signature=None, redacted=None):
            return text
        case Arguments(call_id), Arguments(other, text) if call_id == other:
            return text
        case _:
            return None
