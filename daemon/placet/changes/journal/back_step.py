"""Step of the user back to an earlier prompt, or forward again, as stored together with the undo of the files."""

from msgspec import Struct

from placet.storage.database import Statement


class BackStep(Struct, frozen=True):
    """Effect of one step on the store. A crash never separates the effect from the undo of the files."""

    session_id: str
    act_id: str
    """Id of the act of going back: added by a step back, removed by a step forward."""
    back_to: str | None
    """First hidden message after the step; None if no message is hidden."""
    undo_id: str = ""
    """Id for the undo of the files, for a step back."""
    message_id: str | None = None
    """First message that the step hides, or shows again."""
    act: str | None = None
    """Record of the act for a redo, as JSON; None for a step forward."""
    staged: tuple[tuple[str, str | None], ...] = ()
    """Rows of the change set: the place, and the file as JSON; None removes the row."""

    @property
    def statements(self) -> list[Statement]:
        """Return the statements that store the step."""
        statements: list[Statement] = [
            ("UPDATE session SET back_to = ?, seq = seq + 1 WHERE id = ?", (self.back_to, self.session_id))
        ]
        if self.act is not None:
            statements.append((_ADD, (self.act_id, self.message_id, self.act.encode(), self.session_id)))
        else:
            statements.append(("DELETE FROM back WHERE id = ?", (self.act_id,)))
            shown = (self.session_id, self.message_id, self.back_to)
            statements += [(_SHOWN_MESSAGES, shown), (_SHOWN_PARTS, shown)] if self.message_id is not None else []
        statements += [
            ("DELETE FROM staged WHERE session_id = ? AND place = ?", (self.session_id, place))
            for place, file in self.staged
            if file is None
        ]
        statements += [
            (_STAGED, (self.session_id, place, file.encode())) for place, file in self.staged if file is not None
        ]
        return statements


_ADD = (
    "INSERT INTO back (id, session_id, message_id, seq, act) "
    "SELECT ?1, id, ?2, seq, packed(?3) FROM session WHERE id = ?4"
)
_STAGED = (
    "INSERT INTO staged (session_id, place, body) VALUES (?, ?, packed(?)) "
    "ON CONFLICT (session_id, place) DO UPDATE SET body = excluded.body"
)
_SHOWN = "session_id = ?1 AND {id} >= ?2 AND (?3 IS NULL OR {id} < ?3)"
_NOW = "SET seq = (SELECT seq FROM session WHERE id = ?1)"
_SHOWN_MESSAGES = f"UPDATE message {_NOW} WHERE {_SHOWN.format(id='id')}"
"""Statement that gives shown messages the present seq, by which clients and other processes see the messages again."""
_SHOWN_PARTS = f"UPDATE part {_NOW} WHERE {_SHOWN.format(id='message_id')}"
