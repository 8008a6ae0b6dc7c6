"""The client's methods for files, `fs/read_text_file` and `fs/write_text_file`: whole texts by absolute path.

Neither an answer nor an error is proof of anything; docs/EDITS.md, "Clients of the Agent Client Protocol".
"""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from placet.core.values import replace
from placet.frontends.acp.connection.client import Client, ClientGone, ClientRefused
from placet.frontends.acp.profile import FileFacts, LearnedFaults
from placet.text.lines import to_lf

logger = logging.getLogger(__name__)

READ_SECONDS = 5.0
"""Time after which the client is taken to have no text of the file."""
WRITE_SECONDS = 10.0
"""Time after which a write without an answer is cancelled, and judged by the texts."""
MOST_MISSES = 3
"""Number of reads in a row without an answer, after which the client is not asked any more."""


class WriteReply(Struct, frozen=True):
    """Reply of the client to a write."""

    is_answered: bool
    reason: str = ""
    """Reason why the text may not be written: the client's words of an error, or the missing answer."""
    overwritten: str | None = None
    """Text that the client gave right before the write, where the client was asked."""


class ClientFiles:
    """Files of one workspace as the client has the files, for as long as the workspace.

    A fault of the client that comes to light counts for the files of all workspaces of the client.
    """

    def __init__(
        self, client: Client, facts: FileFacts, faults: LearnedFaults, session_id: Callable[[], str | None]
    ) -> None:
        """Make the files; `session_id` returns the session of the client for which a file is asked for."""
        self._facts = facts
        self._faults = faults
        self._client = client
        self._session_id = session_id
        self._misses = 0

    @property
    def facts(self) -> FileFacts:
        """Return the facts about the client's methods, with the faults known by now."""
        return replace(self._facts, **self._faults)

    @property
    def is_asked(self) -> bool:
        """Return whether the client is asked for texts at all."""
        return self.facts.shows_unsaved and self._misses < MOST_MISSES

    @property
    def takes_writes(self) -> bool:
        return self.facts.takes_writes and self.is_asked and self._session_id() is not None

    def learn(self, **facts: bool) -> None:
        """Remember faults of the client."""
        logger.info("The client's writes are not as asked for: %s", ", ".join(facts))
        self._faults.update(facts)

    async def read(self, path: Path) -> str | None:
        """Return the client's text with LF line ends and without BOM; None if the client gives no text."""
        session_id = self._session_id()
        if session_id is None or not self.is_asked:
            return None
        params = {"sessionId": session_id, "path": str(path)}
        try:
            result = await self._client.request("fs/read_text_file", params, READ_SECONDS)
        except (ClientRefused, ClientGone):
            self._misses = 0
            return None
        except TimeoutError:
            self._misses += 1
            further = " The client is not asked any more." if self._misses == MOST_MISSES else ""
            logger.warning("The client gave no text of %s in %d s; the disk is used.%s", path, READ_SECONDS, further)
            return None
        self._misses = 0
        content = cast("dict[str, Any]", result).get("content") if isinstance(result, dict) else None
        return to_lf(content.removeprefix("\ufeff")) if isinstance(content, str) else None

    async def write(self, path: Path, text: str, *, is_new: bool) -> WriteReply:
        """Let the client write the text, which has LF line ends. A write is sent once, whatever becomes of it.

        A client creates a missing file, so nothing is sent for a file that the user has moved, nor for a new file
        whose path the user has taken.
        """
        if os.path.lexists(path) == is_new:
            return WriteReply(True, f"{path} {'exists by now' if is_new else 'is gone by now'}.")
        params = {"sessionId": self._session_id(), "path": str(path), "content": text}
        try:
            await self._client.request("fs/write_text_file", params, WRITE_SECONDS)
        except ClientRefused as error:
            return WriteReply(True, f"The client did not write {path}: {error}")
        except ClientGone:
            return WriteReply(False, "The connection to the client was lost before the client answered.")
        except TimeoutError:
            return WriteReply(False, f"The client has not answered within {WRITE_SECONDS:.0f} seconds.")
        return WriteReply(True)

    async def overwrite(self, path: Path, text: str, *, is_new: bool) -> WriteReply:
        """Let the client write the text, and return the text that the client had right before.

        Both requests leave together, so that the user has hardly a moment to type between the two.
        """
        overwritten, reply = await asyncio.gather(self.read(path), self.write(path, text, is_new=is_new))
        return replace(reply, overwritten=overwritten)
