"""Questions to the journal before any change: a session that changes nothing loads neither journal nor pipeline."""

from placet.storage.database import Database


async def is_any_planned(database: Database) -> bool:
    """Return whether a change was not ended: by a crash, or because another process is at work. Raises StoreError."""
    return bool(await database.read("SELECT 1 FROM change WHERE state = 'planned' LIMIT 1"))


async def is_any_unsure(database: Database, session_id: str) -> bool:
    """Return whether the outcome of a change of the session is unknown. Raises StoreError."""
    query = "SELECT 1 FROM change WHERE session_id = ? AND state = 'unsure' LIMIT 1"
    return bool(await database.read(query, (session_id,)))
