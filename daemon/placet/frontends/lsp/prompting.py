"""What a shared daemon was asked to do and does though whoever asked is gone: prompts, from their arrival on."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placet.frontends.lsp.connection import Connection

logger = logging.getLogger(__name__)

PROMPTING_COMMANDS = frozenset({"placet.prompt", "placet.send"})
"""The plain commands that prompt."""


class Prompts:
    """Those that were received and whose turns have not ended, of all editors. Belongs to the event loop."""

    def __init__(self) -> None:
        self._work: dict[asyncio.Task[Any], Connection] = {}

    def __bool__(self) -> bool:
        return bool(self._work)

    def are_of(self, connection: "Connection") -> bool:
        """Whether any of them came by this connection."""
        return connection in self._work.values()

    def receive(self, connection: "Connection", prompt: Coroutine[Any, Any, Any]) -> Awaitable[Any]:
        """See to a prompt from here on; its result, for the editor.

        When the editor takes the prompt back it is cancelled, and when the editor leaves it goes on.
        """
        work = asyncio.create_task(prompt)
        self._work[work] = connection
        work.add_done_callback(self._has_ended)
        return _awaited(connection, work)

    async def stop(self) -> None:
        """Cancel them all, also those that wait for others to end; returns when they have ended."""
        works = list(self._work)
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)

    def _has_ended(self, work: asyncio.Task[Any]) -> None:
        connection = self._work.pop(work)
        if not work.cancelled() and (error := work.exception()) is not None and connection.is_leaving:
            logger.warning("A prompt whose editor has left could not be run: %s", error)


async def _awaited(connection: "Connection", work: asyncio.Task[Any]) -> Any:
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if connection.is_leaving:
            raise
        work.cancel()
        return await work
