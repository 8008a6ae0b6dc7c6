"""Show the content of a permission request as text for a terminal."""

from rich.text import Text

from placet.core.ports import PermissionRequest
from placet.sessions.asks.ask_text import AskLine, Kind, ask_lines, spoken_line
from placet.sessions.asks.pending_ask_models import PendingPermission

_STYLES: dict[Kind, str] = {
    "command": "bold yellow",
    "title": "bold",
    "place": "dim",
    "description": "dim italic",
}


def request_text(request: PermissionRequest | PendingPermission) -> Text:
    """Return the text of the request, without the change, the rule that asks, and the words of others."""
    return Text("\n").join(map(_shown, ask_lines(request)))


def spoken_text(request: PermissionRequest | PendingPermission) -> list[Text]:
    """Return the words of the model or a server, which stand behind Placet's own text."""
    line = spoken_line(request)
    return [] if line is None else [_shown(line)]


def _shown(line: AskLine) -> Text:
    return Text(line.text, style=_STYLES.get(line.kind, ""))
