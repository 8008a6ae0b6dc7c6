"""The stored sessions of all folders, as lists show them, without the services of any folder.

The door imports the module before the first session, so code that only a deletion needs is imported there.
"""

from functools import cached_property
from pathlib import Path

from placet.core.errors import RequestError
from placet.sessions.store.records import SessionInfo
from placet.sessions.store.session_store import SessionStore
from placet.settings import Locations
from placet.storage.database import Database

PAGE = 50


class StoredSessions:
    """View of the store, opened by the first use and kept as long as the connection."""

    def __init__(self, locations: Locations) -> None:
        self._locations = locations

    @cached_property
    def _database(self) -> Database:
        return Database(self._locations.store)

    @cached_property
    def _store(self) -> SessionStore:
        return SessionStore(self._database)

    async def page(self, cwd: Path | None, cursor: str | None) -> tuple[list[SessionInfo], str | None]:
        """Return up to 50 sessions with the working directory `cwd` or with any, newest first, and the cursor of the
        next page.

        Raises StoreError.
        """
        listed, more = await self._store.list(first_root=cwd, query="", limit=PAGE, cursor=cursor)
        return list(listed), more

    async def find(self, session_id: str) -> SessionInfo | None:
        """Return the session's entry with the usage; None for an unknown session."""
        try:
            return await self._store.info(session_id)
        except RequestError:
            return None

    async def delete(self, session_id: str) -> None:
        """Delete the session.

        Raises RequestError for an unknown session, or if another process is at work in the session.
        """
        from placet.changes.journal.journal import Journal
        from placet.sessions.store.library import Library

        await Library(self._store, lambda: Journal(self._database), self._locations.kept).delete(session_id)

    async def close(self) -> None:
        if "_database" in vars(self):
            await self._database.close()
