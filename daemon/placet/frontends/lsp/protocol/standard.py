"""Messages of LSP itself as types of lsprotocol, and the converter between these types and JSON.

Loaded with the server, after the editor has its answer to `initialize`: lsprotocol takes 0.2 s to import.
"""

from contextlib import suppress
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from cattrs import Converter, transform_error
from cattrs.errors import BaseValidationError
from lsprotocol import converters, types
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

_GREATEST = 2**31 - 1
"""Greatest number of LSP."""

Json = dict[str, Any]
T = TypeVar("T")


class Unfit(ValueError):
    """A value does not fit its type of lsprotocol; the text names each wrong field."""


@cache
def converter() -> Converter:
    """Return lsprotocol's converter, with the mends below; every connection uses this converter.

    What stands in params or a result without a type stays plain JSON. (pygls makes objects of the members, and renames
    members whose names are no names of Python.)
    """
    made = converters.get_converter()
    made.register_structure_hook(JsonRPCNotification, _notification)
    made.register_structure_hook(JsonRPCRequestMessage, _request)
    made.register_structure_hook(JsonRPCResponseMessage, _response)
    for kind in (str, int, bool):
        made.register_structure_hook(kind, _primitive)
    change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument
    made.register_structure_hook(change, _content_change)
    made.register_structure_hook(types.VersionedTextDocumentIdentifier, _versioned)
    made.register_structure_hook(types.Position, _position)
    made.register_structure_hook(types.MessageActionItem | None, _action_item)
    made.register_structure_hook(types.WorkspaceFoldersChangeEvent, _folders_change)
    made.register_structure_hook(types.CodeActionContext, _code_action_context)
    made.register_structure_hook(types.CompletionContext | None, _completion_context)
    return made


def read(kind: type[T], value: Any) -> T:
    """Return JSON as a value of lsprotocol. Raises Unfit."""
    try:
        return converter().structure(value, kind)
    except (BaseValidationError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Unfit(unfit(error)) from error


def dump(value: Any) -> Any:
    """Return a value of lsprotocol as JSON."""
    return converter().unstructure(value)


def unfit(error: BaseException) -> str:
    """Return the text of an error of the converter, with the place of each wrong field."""
    return "; ".join(transform_error(error, path="message")) if isinstance(error, BaseValidationError) else str(error)


def _notification(fields: Json, _: Any) -> JsonRPCNotification:
    return JsonRPCNotification(fields["method"], fields["jsonrpc"], fields.get("params"))


def _request(fields: Json, _: Any) -> JsonRPCRequestMessage:
    return JsonRPCRequestMessage(fields["id"], fields["method"], fields["jsonrpc"], fields.get("params"))


def _response(fields: Json, _: Any) -> JsonRPCResponseMessage:
    return JsonRPCResponseMessage(fields["id"], fields["jsonrpc"], fields.get("result"))


def _primitive(value: Any, kind: type[Any]) -> Any:
    """Return a text, a whole number, a truth, or a member of an enumeration. Raises TypeError for another type, of
    which cattrs would make a text or a truth.

    A value that an enumeration does not know stays: newer editors have more values. Some editors write `1.0` for 1.
    """
    if issubclass(kind, Enum):
        base = str if issubclass(kind, str) else int
        known = kind.__members__.values()
        return next((member for member in known if member.value == value), None) or _primitive(value, base)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}")
    return value


def _content_change(
    change: Json, _: Any
) -> types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument:
    """Return a change of a document. A range of null is no range: the text is the whole document. The length of the
    range is not read: the length says nothing that the range does not say.
    """
    text = _primitive(change["text"], str)
    if change.get("range") is None:
        return types.TextDocumentContentChangeWholeDocument(text)
    return types.TextDocumentContentChangePartial(converter().structure(change["range"], types.Range), text)


def _versioned(identifier: Json, _: Any) -> types.VersionedTextDocumentIdentifier:
    """Return a document's name and version; a version of null, as in LSP before 3.16, is 0."""
    version = identifier["version"]
    return types.VersionedTextDocumentIdentifier(
        0 if version is None else _primitive(version, int), _primitive(identifier["uri"], str)
    )


def _position(position: Json, _: Any) -> types.Position:
    """Return a position. Some editors write the end of a line as the greatest number of 32 bits, which LSP excludes."""
    line, character = (_primitive(position[name], int) for name in ("line", "character"))
    return types.Position(min(line, _GREATEST), min(character, _GREATEST))


def _action_item(item: Any, _: Any) -> types.MessageActionItem | None:
    """Return the chosen action of a message. An object without a title is no choice: Kate answers `{}`."""
    is_choice = isinstance(item, dict) and "title" in item
    return converter().structure(item, types.MessageActionItem) if is_choice else None


def _folders_change(event: Json, _: Any) -> types.WorkspaceFoldersChangeEvent:
    """Return a change of the folders. A missing list is empty, and Placet reads no name of a folder."""
    added, removed = (
        [types.WorkspaceFolder(_primitive(folder["uri"], str), "") for folder in event.get(name) or ()]
        for name in ("added", "removed")
    )
    return types.WorkspaceFoldersChangeEvent(added, removed)


def _code_action_context(context: Json, _: Any) -> types.CodeActionContext:
    """Return the diagnostics and the requested kinds, without the malformed diagnostics: other servers made these."""
    diagnostics: list[types.Diagnostic] = []
    for diagnostic in context.get("diagnostics") or ():
        with suppress(Unfit):
            diagnostics.append(read(types.Diagnostic, diagnostic))
    only = context.get("only")
    return types.CodeActionContext(diagnostics, None if only is None else [_primitive(kind, str) for kind in only])


def _completion_context(_context: Any, _: Any) -> None:
    """Return None: Placet does not read why an editor asks."""
