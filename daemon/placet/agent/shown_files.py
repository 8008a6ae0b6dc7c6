"""Which files the model still has before it, by the messages it is given. Pure."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from placet.errors import ToolError
from placet.messages import FilePart, JsonObject, Message, Part, PatchPart, ToolCompleted, ToolPart
from placet.project.paths import Workspace, from_uri


def shown_files(history: Sequence[Message], workspace: Workspace) -> set[Path]:
    """Attached, read, or changed, and not summed up or cleared since."""
    return {path for message in history for part in message.parts for path in _files(part, workspace)}


def _files(part: Part, workspace: Workspace) -> Iterator[Path]:
    match part:
        case FilePart(uri=uri):
            yield from _of_uris((uri,))
        case PatchPart(uris=uris):
            yield from _of_uris(uris)
        case ToolPart(state=ToolCompleted(compacted=None) as state):
            for name in _names(state.input, state.metadata):
                try:
                    yield workspace.resolve(name)
                except ToolError:
                    continue
        case _:
            return


def _names(arguments: JsonObject, metadata: JsonObject) -> Iterator[str]:
    """The file that was asked for, and the instructions that were shown beside it (tools/reminders.py)."""
    loaded = metadata.get("loaded")
    for name in (arguments.get("filePath"), *(loaded if isinstance(loaded, list) else ())):
        if isinstance(name, str):
            yield name


def _of_uris(uris: Sequence[str]) -> Iterator[Path]:
    return (path for uri in uris if (path := from_uri(uri)) is not None)
