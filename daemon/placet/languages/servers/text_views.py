"""Views of the texts that the servers of a pool are told: the present texts, or the texts of a session with its staged
changes.

A server knows one text of a file at a time, so questions about one view exclude questions about another view.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

PRESENT = ""
"""View of the present texts; the view of a session has the session's id."""


class TextViews:
    """Turnstile of one pool: questions about one view run together, and wait for the end of questions about another."""

    def __init__(self) -> None:
        self._view = PRESENT
        self._count = 0
        self._entering = asyncio.Lock()
        self._left = asyncio.Event()

    @asynccontextmanager
    async def entered(self, view: str, tell_again: Callable[[], Awaitable[None]]) -> AsyncGenerator[None]:
        """Hold the view; `tell_again` replaces the texts of the last view before the first question."""
        async with self._entering:
            while self._count and self._view != view:
                self._left.clear()
                await self._left.wait()
            if self._view != view:
                await tell_again()
                self._view = view
            self._count += 1
        try:
            yield
        finally:
            self._count -= 1
            self._left.set()
