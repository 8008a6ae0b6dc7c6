"""A permission request as lines of text: the requested action first, then the remarks about the request. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from placet.core.ports import PermissionRequest
from placet.core.visible_text import one_line, shown_lines, spelled_out
from placet.sessions.asks.pending_ask_models import PendingPermission

Kind = Literal["command", "title", "place", "url", "arguments", "note", "description"]


@dataclass(frozen=True, slots=True)
class AskLine:
    """Line of the text for a permission request."""

    kind: Kind
    text: str


def ask_lines(request: PermissionRequest | PendingPermission) -> Iterator[AskLine]:
    """Yield the lines of a permission request, except for a change, the rule that asks, and the words of others.

    A change is shown as a diff. The words of others stand behind the rule: `spoken_line`.

    Each line of a command is marked as the command's, so that no line passes for words of Placet.
    """
    if request.command is not None:
        for number, line in enumerate(shown_lines(request.command)):
            yield AskLine("command", f"  {'>' if number else '$'} {line}")
    if request.command is None or request.permission != "bash":
        yield AskLine("title", one_line(request.title))
    if request.directory is not None:
        yield AskLine("place", f"  in {spelled_out(str(request.directory))}")
    if request.url is not None:
        yield AskLine("url", f"  {spelled_out(request.url)}")
    if request.arguments:
        yield from (AskLine("arguments", f"  | {line}") for line in shown_lines(request.arguments))
    if request.note:
        yield AskLine("note", f"  {one_line(request.note)}")


def spoken_line(request: PermissionRequest | PendingPermission) -> AskLine | None:
    """Return the words of the model or a server about the request, marked with the speaker; None without words."""
    return AskLine("description", f"  {one_line(request.description)}") if request.description else None
