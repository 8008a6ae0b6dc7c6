"""Questions to the journal before any change: a session that changes nothing loads neither journal nor pipeline."""

from placet.storage.database import Database
from placet.storage.review_index import UNDECIDED


async def is_any_planned(database: Database) -> bool:
    """Return whether a change was not ended: by a crash, or because another process is at work. Raises StoreError."""
    return bool(await database.read("SELECT 1 FROM change WHERE state = 'planned' LIMIT 1"))


async def sessions_with_undecided_files(database: Database) -> frozenset[str]:
    """Return the ids of the sessions with files in the change set. Raises StoreError."""
    query = f"SELECT DISTINCT session_id FROM staged WHERE {UNDECIDED}"  # noqa: S608
    return frozenset(row["session_id"] for row in await database.read(query))


async def has_undecided_files(database: Database, session_id: str) -> bool:
    """Return whether the change set of the session has files. Raises StoreError."""
    query = f"SELECT 1 FROM staged WHERE session_id = ? AND {UNDECIDED} LIMIT 1"  # noqa: S608
    return bool(await database.read(query, (session_id,)))


async def is_back(database: Database, session_id: str) -> bool:
    """Return whether the user went back in the session, and could redo. Raises StoreError."""
    query = "SELECT 1 FROM back WHERE session_id = ? AND act IS NOT NULL LIMIT 1"
    return bool(await database.read(query, (session_id,)))


async def is_any_news(database: Database, session_id: str) -> bool:
    """Return whether the outcome of a change of the session is unknown, or the model has not been told of a decision.

    Raises StoreError.
    """
    query = (
        "SELECT 1 FROM change WHERE session_id = ?1 AND state = 'unsure' "
        "UNION ALL SELECT 1 FROM review_news WHERE session_id = ?1 LIMIT 1"
    )
    return bool(await database.read(query, (session_id,)))
