"""Row of a waiting request in the list of `placet pending`."""

from placet.core.ids import now, short_id
from placet.core.visible_text import command_title, one_line
from placet.sessions.asks.pending_ask_models import PendingPermission
from placet.sessions.asks.pending_asks import PendingAsk


def row(waiting: PendingAsk) -> tuple[str, str, str, str]:
    """Return the row of the request: short id, age, session, subject."""
    asked = waiting.asked
    command = asked.command if isinstance(asked, PendingPermission) else None
    subject = one_line(asked.title) if command is None else command_title(command)
    return short_id(waiting.id), age(now() - waiting.created), one_line(waiting.session), subject


def age(milliseconds: int) -> str:
    """Return the age in the largest unit that gives at least 1, else in seconds."""
    seconds = max(0, milliseconds // 1000)
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
