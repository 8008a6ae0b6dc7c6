"""What a permission request asks, as text for a terminal: what would happen leads, what others say of it follows."""

from collections.abc import Iterator

from rich.text import Text

from placet.ports import PermissionRequest
from placet.sessions.asked import AskedPermission
from placet.visible_text import one_line, shown_lines, spelled_out


def request_text(request: PermissionRequest | AskedPermission) -> Text:
    """Return all that is asked except for a change, which is shown as a diff, and except for the rule that asks."""
    return Text("\n").join(_lines(request))


def _lines(request: PermissionRequest | AskedPermission) -> Iterator[Text]:
    if request.command is not None:
        for number, line in enumerate(shown_lines(request.command)):
            yield Text(f"  {'>' if number else '$'} {line}", style="bold yellow")
    if request.command is None or request.permission != "bash":
        yield Text(one_line(request.title), style="bold")
    if request.directory is not None:
        yield Text(f"  in {spelled_out(str(request.directory))}", style="dim")
    if request.url is not None:
        yield Text(f"  {spelled_out(request.url)}")
    if request.arguments:
        yield from (Text(f"  | {line}") for line in shown_lines(request.arguments))
    if request.note:
        yield Text(f"  {one_line(request.note)}")
    if request.description:
        yield Text(f"  {one_line(request.description)}", style="dim italic")
