"""Show the content of a permission request as text for a terminal."""

from rich.text import Text

from placet.core.ports import PermissionRequest
from placet.sessions.asks.ask_text import Kind, ask_lines
from placet.sessions.asks.pending_ask_models import PendingPermission

_STYLES: dict[Kind, str] = {
    "command": "bold yellow",
    "title": "bold",
    "place": "dim",
    "description": "dim italic",
}


def request_text(request: PermissionRequest | PendingPermission) -> Text:
    """Return the text of the request, without the change and the rule that asks."""
    return Text("\n").join(Text(line.text, style=_STYLES.get(line.kind, "")) for line in ask_lines(request))
