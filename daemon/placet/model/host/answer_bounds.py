"""Bounds of one answer on the way to the daemon: the distance ahead of the reader, and the whole length."""

import asyncio
from collections import deque
from collections.abc import Iterable

from placet.model.frames import MAX_UNTAKEN, Arguments, Piece, Text, Thought

MAX_UNTAKEN_CHARACTERS = 1 << 20
MOST_CHARACTERS = 32_000_000
"""Limit of texts, thoughts and arguments together, some eight million tokens: an endless answer of a provider must not
fill the memory of the daemon.
"""


class Flow:
    """Backpressure: counts the batches which are on the way to the daemon and not taken yet. Belongs to one loop."""

    def __init__(self, limit: int = MAX_UNTAKEN, *, characters: int = MAX_UNTAKEN_CHARACTERS) -> None:
        self._limit = limit
        self._character_limit = characters
        self._sizes: deque[int] = deque()
        self._size = 0
        self._room = asyncio.Event()
        self._room.set()

    def sent(self, pieces: Iterable[Piece]) -> None:
        size = _characters(pieces)
        self._sizes.append(size)
        self._size += size
        if len(self._sizes) >= self._limit or self._size >= self._character_limit:
            self._room.clear()

    def taken(self) -> None:
        """Release the oldest batch, which the reader has used."""
        self._size -= self._sizes.popleft()
        if len(self._sizes) < self._limit and self._size < self._character_limit:
            self._room.set()

    async def room(self) -> None:
        """Wait until another batch may be sent. During the wait the host reads nothing, and the provider waits too."""
        await self._room.wait()


class AnswerTooLong(Exception):
    """Raised when the answer is longer than MOST_CHARACTERS."""

    def __init__(self) -> None:
        super().__init__(f"its answer is longer than {MOST_CHARACTERS} characters")


class AnswerBounds:
    """Counts the characters of one answer."""

    def __init__(self) -> None:
        self._left = MOST_CHARACTERS

    def take(self, pieces: Iterable[Piece]) -> None:
        """Count the pieces. Raises AnswerTooLong."""
        self._left -= _characters(pieces)
        if self._left < 0:
            raise AnswerTooLong


def _characters(pieces: Iterable[Piece]) -> int:
    return sum(len(piece.text) for piece in pieces if isinstance(piece, Text | Thought | Arguments))
