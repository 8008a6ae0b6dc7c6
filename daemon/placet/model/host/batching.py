"""Coalescing of pieces into frames: the first pieces leave at once, later pieces together every 15 ms."""

import asyncio
from collections.abc import Callable, Sequence

from placet.model.frames import Arguments, Piece, Text, Thought

FLUSH_SECONDS = 0.015
ALIVE_SECONDS = 1.0


class Coalescer:
    """Joins neighbouring pieces of one kind; calls `send` with the gathered pieces. Belongs to one loop."""

    def __init__(
        self,
        send: Callable[[list[Piece]], None],
        *,
        interval_seconds: float = FLUSH_SECONDS,
        alive_seconds: float = ALIVE_SECONDS,
    ) -> None:
        self._send = send
        self._interval = interval_seconds
        self._alive_interval = alive_seconds
        self._loop = asyncio.get_running_loop()
        self._gathered: list[Piece] = []
        self._texts: list[str] = []
        self._sent_at = float("-inf")
        self._alive_at = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, pieces: Sequence[Piece]) -> None:
        """Take pieces which came together; an empty sequence is a sign of life, passed on now and then."""
        if not pieces:
            self._tell_of_life()
            return
        for piece in pieces:
            if self._gathered and (text := _continues(self._gathered[-1], piece)) is not None:
                self._texts.append(text)
            else:
                self._join()
                self._gathered.append(piece)
        wait = self._sent_at + self._interval - self._loop.time()
        if wait <= 0:
            self.flush()
        elif self._timer is None:
            self._timer = self._loop.call_later(wait, self.flush)

    def flush(self) -> None:
        """Send the gathered pieces now."""
        self.close()
        self._join()
        if self._gathered:
            gathered, self._gathered = self._gathered, []
            self._sent_at = self._alive_at = self._loop.time()
            self._send(gathered)

    def close(self) -> None:
        """Stop the timer, so that gathered pieces do not leave by themselves."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell_of_life(self) -> None:
        if self._loop.time() - self._alive_at >= self._alive_interval:
            self._alive_at = self._loop.time()
            self._send([])

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
    """Return the text by which `piece` prolongs `last`, or None if `piece` is of another kind or call."""
    match last, piece:
        case Text(), Text(text):
            return text
        case Thought(signature=None, redacted=None), Thought(text, signature=None, redacted=None):
            return text
        case Arguments(call_id), Arguments(other, text) if call_id == other:
            return text
        case _:
            return None
