"""Files which the model still has in view, found in the messages which the model is given. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from placet.core.errors import ToolError
from placet.core.messages import FilePart, JsonObject, Message, PatchPart, ToolCompleted, ToolPart
from placet.project.paths import Workspace, from_uri


def shown_files(history: Sequence[Message], workspace: Workspace) -> set[Path]:
    """Return the files which were attached, read, or changed, and not summed up or cleared since."""
    uris, names = set[str](), set[str]()
    for message in history:
        for part in message.parts:
            match part:
                case FilePart():
                    uris.add(part.uri)
                case PatchPart():
                    uris.update(part.uris)
                case ToolPart(state=ToolCompleted(compacted=None) as state):
                    names.update(_names(state.input, state.metadata))
                case _:
                    continue
    return {*_of_uris(uris), *_of_names(names, workspace)}


def _names(arguments: JsonObject, metadata: JsonObject) -> Iterator[str]:
    """Yield the file asked for, and the instructions which were shown beside the file (tools/reminders.py)."""
    loaded = metadata.get("loaded")
    for name in (arguments.get("filePath"), *(loaded if isinstance(loaded, list) else ())):
        if isinstance(name, str):
            yield name


def _of_uris(uris: Iterable[str]) -> Iterator[Path]:
    return (path for uri in uris if (path := from_uri(uri)) is not None)


def _of_names(names: Iterable[str], workspace: Workspace) -> Iterator[Path]:
    for name in names:
        try:
            yield workspace.resolve(name)
        except ToolError:
            continue
