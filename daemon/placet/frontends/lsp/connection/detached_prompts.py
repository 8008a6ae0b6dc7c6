"""Prompts to a shared daemon, from their arrival on: a prompt is worked on even when the editor which sent the prompt
is gone.
"""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from typing import Any

from placet.frontends.lsp.connection.connection import Connection

logger = logging.getLogger(__name__)

PROMPTING_COMMANDS = frozenset({"placet.prompt", "placet.send"})
"""Plain commands which prompt."""


class Prompts:
    """Queue of the received prompts whose turns have not ended, of all editors; used in the event loop alone."""

    def __init__(self) -> None:
        self._work: dict[asyncio.Task[Any], Connection] = {}

    def __bool__(self) -> bool:
        return bool(self._work)

    def are_of(self, connection: Connection) -> bool:
        """Return whether any of the prompts came by this connection."""
        return connection in self._work.values()

    def receive(self, connection: Connection, prompt: Coroutine[Any, Any, Any]) -> Awaitable[Any]:
        """Take over a prompt, and return an awaitable of the prompt's result for the editor.

        When the editor takes the prompt back, the prompt is cancelled; when the editor leaves, the prompt goes on.
        """
        work = asyncio.create_task(prompt)
        self._work[work] = connection
        work.add_done_callback(self._has_ended)
        return _awaited(connection, work)

    async def stop(self) -> None:
        """Cancel all prompts, also prompts waiting in a queue, and return when all prompts have ended."""
        works = list(self._work)
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)

    def _has_ended(self, work: asyncio.Task[Any]) -> None:
        connection = self._work.pop(work)
        if not work.cancelled() and (error := work.exception()) is not None and connection.is_leaving:
            logger.warning("A prompt whose editor has left could not be run: %s", error)


async def _awaited(connection: Connection, work: asyncio.Task[Any]) -> Any:
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if connection.is_leaving:
            raise
        work.cancel()
        return await work
