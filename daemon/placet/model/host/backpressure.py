"""Limit of the distance by which an answer may run ahead of its reader."""

import asyncio
from collections import deque
from collections.abc import Sequence

from placet.model.frames import MAX_UNTAKEN, Arguments, Piece, Text, Thought

MAX_UNTAKEN_CHARACTERS = 1 << 20


class Flow:
    """Counts the batches which are on the way to the daemon and not taken yet. Belongs to one loop."""

    def __init__(self, limit: int = MAX_UNTAKEN, *, characters: int = MAX_UNTAKEN_CHARACTERS) -> None:
        self._limit = limit
        self._character_limit = characters
        self._sizes: deque[int] = deque()
        self._size = 0
        self._room = asyncio.Event()
        self._room.set()

    def sent(self, pieces: Sequence[Piece]) -> None:
        size = sum(len(piece.text) for piece in pieces if isinstance(piece, Text | Thought | Arguments))
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
