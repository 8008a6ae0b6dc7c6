"""Acts of going back, as the store keeps the acts for a redo until the next prompt."""

import sqlite3
import zlib
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from placet.sessions.store.search import forget_messages
from placet.storage.database import Database

What = Literal["all", "talk", "files"]
"""Share of the work to go back over: the talk, the files, or both."""

MOST_NAMED = 50
"""Most files named to the model."""


class Act(Struct, frozen=True):
    """Act of going back, with all data for a redo; the store owns the act until the next prompt."""

    id: str
    what: What
    message_id: str
    """Prompt to which the user went back."""
    back_to: str | None
    """First hidden message before the act."""
    undo_id: str
    """Id of the undo of the files, where any file was undone."""
    files: tuple[str, ...] = ()
    """Names of the files changed since the prompt, for the model, where the files alone went back."""
    staged_before: tuple[tuple[str, str | None], ...] = ()
    """Changed rows of the change set, as before the act: the place, and the file as JSON or None."""
    staged_after: tuple[tuple[str, str | None], ...] = ()
    """The same rows after the act."""

    def encoded(self) -> str:
        return msgspec.json.encode(self).decode()


async def standing_acts(database: Database, session_id: str) -> list[Act]:
    """Return the redoable acts, oldest first. Raises StoreError."""
    query = "SELECT act FROM back WHERE session_id = ? AND act IS NOT NULL ORDER BY id"
    rows = await database.read(query, (session_id,))
    return [msgspec.json.decode(zlib.decompress(row["act"]), type=Act) for row in rows]


async def settle_acts(database: Database, session_id: str, news: Sequence[str]) -> None:
    """Delete the hidden messages and the records for a redo, and keep the texts for the model. Raises StoreError."""

    def settle(connection: sqlite3.Connection) -> None:
        row = connection.execute("SELECT back_to FROM session WHERE id = ?", (session_id,)).fetchone()
        if row is not None and row["back_to"] is not None:
            hidden = (session_id, row["back_to"])
            forget_messages(connection, *hidden)
            connection.execute("DELETE FROM message WHERE session_id = ? AND id >= ?", hidden)
        connection.execute("UPDATE session SET back_to = NULL, seq = seq + 1 WHERE id = ?", (session_id,))
        connection.execute("UPDATE back SET act = NULL WHERE session_id = ?", (session_id,))
        if row is not None:
            rows = [(session_id, text) for text in news]
            connection.executemany("INSERT INTO review_news (session_id, text) VALUES (?, ?)", rows)

    await database.work(settle)


def news_of(acts: Sequence[Act], standing: Sequence[str]) -> list[str]:
    """Return the texts for the model; `standing` are the files with standing changes of deleted messages."""
    texts: list[str] = []
    if standing:
        texts.append(
            "The user went back to an earlier point of the conversation. Later messages are gone, and changes that you "
            f"made to these files after that point stay:{_list(standing)}"
        )
    for act in acts:
        if act.what == "files" and act.files:
            texts.append(
                "The user has restored these files to the state before an earlier prompt; the conversation went on. "
                f"Read the files again before you edit them:{_list(act.files)}"
            )
    return texts


def _list(names: Sequence[str]) -> str:
    more = f"\n- and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return "".join(f"\n- {name}" for name in names[:MOST_NAMED]) + more
