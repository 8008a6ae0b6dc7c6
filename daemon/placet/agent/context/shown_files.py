"""Files which the model still has in view, found in the messages which the model is given. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from placet.agent.context.history import model_history
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


def seen_texts(messages: Sequence[Message], workspace: Workspace) -> dict[Path, str]:
    """Return the hash of the text that the model has in view of each file which a tool has read or changed last."""
    seen: dict[Path, str] = {}
    for message in model_history(messages):
        for part in message.parts:
            if isinstance(part, ToolPart) and isinstance(part.state, ToolCompleted) and part.state.compacted is None:
                seen |= _seen_in(part.state, workspace)
    return seen


def _seen_in(state: ToolCompleted, workspace: Workspace) -> Iterator[tuple[Path, str]]:
    name, sha256 = state.input.get("filePath"), state.metadata.get("sha256")
    if isinstance(name, str) and isinstance(sha256, str):
        yield from ((path, sha256) for path in _of_names((name,), workspace))
    files = state.metadata.get("files")
    for file in files if isinstance(files, list) else ():
        match file:
            case {"uri": str(uri), "sha256": str(sha256)}:
                place = from_uri(uri if file.get("newUri") is None else str(file["newUri"]))
                if place is not None:
                    yield place, sha256
            case _:
                continue


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
