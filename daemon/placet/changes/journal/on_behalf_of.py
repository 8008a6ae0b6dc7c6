"""Sessions for which a change was made: a subagent's change also belongs to each session above the subagent, up to the
user's session.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from msgspec import Struct

from placet.storage.database import Statement


class TurnRef(Struct, frozen=True):
    """Place in a conversation where something was done, or where a subagent was told to do something."""

    session_id: str
    turn_id: str
    message_id: str


MADE_FOR = (
    "(SELECT json_group_array(json_array(position, session_id, turn_id, message_id)) FROM change_for"
    " WHERE change_id = change.id)"
)
"""SQL column for a query of `change`, in the form read by `places`."""

SEEN_FROM = "(SELECT id FROM change WHERE session_id = ?1 UNION SELECT change_id FROM change_for WHERE session_id = ?1)"
"""SQL for the ids of the changes made by a session or for the session."""


def places(column: str) -> tuple[TurnRef, ...]:
    """Return the places, from the user's own session down."""
    return tuple(TurnRef(*row) for _, *row in sorted(json.loads(column)))


def place_tuples(on_behalf_of: Iterable[TurnRef]) -> list[tuple[int, str, str, str]]:
    """Return the places as tuples, in the form read by `places`."""
    return [
        (position, place.session_id, place.turn_id, place.message_id) for position, place in enumerate(on_behalf_of)
    ]


def place_statements(change_id: str, on_behalf_of: Iterable[TurnRef]) -> list[Statement]:
    return [
        (
            "INSERT INTO change_for (change_id, position, session_id, turn_id, message_id) VALUES (?, ?, ?, ?, ?)",
            (change_id, position, place.session_id, place.turn_id, place.message_id),
        )
        for position, place in enumerate(on_behalf_of)
    ]


def reassign_changes(connection: sqlite3.Connection, doomed: Sequence[str]) -> None:
    """Before sessions are deleted, give their changes for a remaining session to the remaining session, texts and all.

    Otherwise an undo in the remaining session would leave the work of the session's own turn standing.
    """
    for session_id in doomed:
        rows = connection.execute(_EMPLOYERS, (session_id,)).fetchall()
        heirs = {row["change_id"]: row for row in rows if row["session_id"] not in doomed}  # The nearest comes last.
        for change_id, heir in heirs.items():
            connection.execute(
                "UPDATE change SET session_id = ?, turn_id = ?, message_id = ?, call_id = NULL WHERE id = ?",
                (heir["session_id"], heir["turn_id"], heir["message_id"], change_id),
            )
            connection.execute(
                "DELETE FROM change_for WHERE change_id = ? AND position >= ?", (change_id, heir["position"])
            )


_EMPLOYERS = (
    "SELECT place.* FROM change JOIN change_for AS place ON place.change_id = change.id"
    " JOIN session ON session.id = place.session_id WHERE change.session_id = ? ORDER BY place.position"
)
