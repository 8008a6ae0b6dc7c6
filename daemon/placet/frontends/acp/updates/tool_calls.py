"""Tool calls as the client shows the calls: kind, title, places and content of a call."""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from placet.core.events import ChangedFile
from placet.core.messages import FilePart, JsonObject, ToolCompleted, ToolFailed, ToolPart, ToolPending, ToolRunning
from placet.core.ports import PermissionRequest
from placet.core.values import replace
from placet.core.visible_text import command_title, one_line
from placet.frontends.acp.protocol.updates import (
    Content,
    Diff,
    Image,
    Location,
    Terminal,
    Text,
    ToolCallFields,
    ToolContent,
    ToolKind,
    ToolStatus,
)
from placet.frontends.acp.updates.diffs import changed_locations, proposed_diffs
from placet.tools.framework.builtin import tool_specs

MOST_OUTPUT = 20_000
"""Number of shown characters of an output; the end of a longer output is shown."""
MOST_ARGUMENT = 2_000
"""Characters of each text among the arguments; the whole texts of an edit are in the diff."""

_SPECS = {spec.name: spec for spec in tool_specs()}
_SUBJECTS = ("description", "pattern", "query", "url", "name", "operation", "filePath", "path")
"""Arguments with the subject of a call, the best first."""


_SPACE = re.compile(r"[ \t\r\n]*")
_JSON = json.JSONDecoder()


def call_id(message_id: str, model_call_id: str) -> str:
    """Return the id of a call, unique in the session: the model's own id is unique within the message only."""
    return f"{message_id}/{model_call_id}"


def kind_of(tool: str) -> ToolKind:
    return _SPECS[tool].kind if tool in _SPECS else "other"


def tool_call(message_id: str, part: ToolPart, root: Path, diffs: Sequence[Diff] = ()) -> ToolCallFields:
    """Return the call as the client shows the call; `diffs` come first of the content."""
    arguments = _arguments(part)
    return ToolCallFields(
        tool_call_id=call_id(message_id, part.call_id),
        title=_title(part, arguments, root),
        kind=kind_of(part.tool),
        status=_status(part),
        content=(*diffs, *_output(part)),
        locations=_locations(arguments, root),
        raw_input=_bounded(arguments) or None,
        raw_output=_told(part),
    )


def has_subject(part: ToolPart) -> bool:
    """Return whether the arguments so far are enough for a title."""
    return any(isinstance(_arguments(part).get(name), str) for name in ("command", *_SUBJECTS))


def _arguments(part: ToolPart) -> JsonObject:
    return whole_members(part.state.raw) if isinstance(part.state, ToolPending) else part.state.input


def whole_members(text: str) -> JsonObject:
    """Return the leading members of an unfinished JSON object that are written out; none of any other text."""
    members: JsonObject = {}
    try:
        place = _behind(text, 0, "{")
        while True:
            name, place = _JSON.raw_decode(text, place)
            value, place = _JSON.raw_decode(text, _behind(text, place, ":"))
            place = _behind(text, place, ",")
            members[name] = value
    except (ValueError, RecursionError):
        return members


def _behind(text: str, place: int, sign: str) -> int:
    """Return the place behind the sign and the space around the sign. Raises ValueError for another sign."""
    before = _SPACE.match(text, place)
    assert before is not None
    after = _SPACE.match(text, text.index(sign, before.end(), before.end() + 1) + 1)
    assert after is not None
    return after.end()


def with_changes(call: ToolCallFields, diffs: Sequence[Diff], files: Sequence[ChangedFile]) -> ToolCallFields:
    """Return the call with the diffs of the applied files and their places."""
    kind: ToolKind = "delete" if files and all(file.kind == "delete" for file in files) else call.kind
    others = tuple(content for content in call.content if not isinstance(content, Diff))
    return replace(call, content=(*diffs, *others), locations=changed_locations(files) or call.locations, kind=kind)


def in_terminal(call: ToolCallFields, terminal_id: str) -> ToolCallFields:
    """Return the call with the client's terminal in place of the output; the text of a failure stays."""
    texts = call.content if call.status == "failed" else ()
    return replace(call, content=(Terminal(terminal_id), *texts))


def asked_call(request: PermissionRequest) -> ToolCallFields:
    """Return the call of a permission request, complete in itself, as some clients show nothing else."""
    change = request.change
    diffs = () if change is None else proposed_diffs(change.files)
    kind = kind_of(request.tool)
    if change is not None and change.files:
        kinds = {file.kind for file in change.files}
        kind = "delete" if kinds == {"delete"} else "move" if kinds == {"rename"} else kind
    paths = [] if change is None else [Location(path=str(file.new_path or file.path)) for file in change.files]
    return ToolCallFields(
        tool_call_id=call_id(request.message_id, request.call_id),
        title=_of_agents(request.origin, request.title),
        kind=kind,
        status="pending",
        content=(*diffs, *_facts(request)),
        locations=tuple(paths),
    )


def of_subagent(call: ToolCallFields, agent: str, parent: str | None) -> ToolCallFields:
    """Return the call of a subagent, shown flat among the calls of the client's session."""
    meta = None if parent is None else {"placet/parent": parent}
    return replace(call, title=_of_agents((agent,), call.title), meta=meta)


def _of_agents(agents: Sequence[str], title: str) -> str:
    return f"{agents[-1]}: {title}" if agents else title


def _facts(request: PermissionRequest) -> list[ToolContent]:
    """Return the facts for the decision beside the title and the diff."""
    texts: list[str] = []
    if request.command is not None:
        texts.append(fenced(request.command, "sh"))
    if request.directory is not None:
        texts.append(f"In {request.directory}")
    texts += [text for text in (request.note, request.description) if text]
    if request.arguments:
        texts.append(fenced(request.arguments, "json"))
    if len(request.parts) > 1:
        texts.append("\n".join(f"- {part.action}: {one_line(part.pattern)} (by {part.by})" for part in request.parts))
    texts.append(f"Asked by {request.rule}")
    return [Content(Text("\n\n".join(texts)))]


def fenced(text: str, language: str = "") -> str:
    """Return the text as a block of Markdown, fenced by more backticks than the text has in a row."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.removesuffix(chr(10))}\n{fence}"


def _title(part: ToolPart, arguments: JsonObject, root: Path) -> str:
    path = arguments.get("filePath") or arguments.get("path")
    title = "" if isinstance(part.state, ToolPending) else part.state.title
    if part.tool == "bash" and isinstance(command := arguments.get("command"), str) and command:
        return command_title(command)
    spec = _SPECS.get(part.tool)
    if spec is not None and (verb := spec.verb):
        return f"{verb} {one_line(_from_root(path, root))}" if isinstance(path, str) and path else title or verb
    subject = title or next((text for name in _SUBJECTS if isinstance(text := arguments.get(name), str) and text), "")
    return f"{part.tool}: {one_line(subject)}" if subject else part.tool


def _from_root(path: str, root: Path) -> str:
    absolute = os.path.normpath(root / path)
    return os.path.relpath(absolute, root) if Path(absolute).is_relative_to(root) else absolute


def _status(part: ToolPart) -> ToolStatus:
    match part.state:
        case ToolPending():
            return "pending"
        case ToolRunning():
            return "in_progress"
        case ToolCompleted():
            return "completed"
        case ToolFailed():
            return "failed"


def _output(part: ToolPart) -> list[ToolContent]:
    match part.state:
        case ToolCompleted(metadata=metadata, output=output, attachments=attachments):
            images = [image for file in attachments if (image := _image(file)) is not None]
            summary = metadata.get("summary")
            texts = [Content(Text(summary))] if isinstance(summary, str) else _shown(part.tool, output)
            return [*texts, *images]
        case ToolFailed(shown_error=error):
            return [Content(Text(error))]
        case ToolRunning(metadata=metadata) if isinstance(output := metadata.get("output"), str):
            return _shown(part.tool, output)
        case _:
            return []


def _told(part: ToolPart) -> JsonObject | None:
    """Return the text that the agent is told of a failure, where the user is told other words."""
    state = part.state
    if not isinstance(state, ToolFailed) or state.shown_error == state.error:
        return None
    return {"error": _bounded(state.error)}


def _shown(tool: str, output: str) -> list[ToolContent]:
    if not output.strip():
        return []
    text = output if len(output) <= MOST_OUTPUT else f"…\n{output[-MOST_OUTPUT:]}"
    return [Content(Text(text if tool in _SPECS and _SPECS[tool].is_prose else fenced(text)))]


def _image(file: FilePart) -> Content | None:
    head, comma, data = file.uri.partition(",")
    is_image = file.mime.startswith("image/") and head.startswith("data:") and head.endswith(";base64") and comma
    return Content(Image(data, file.mime)) if is_image else None


def _locations(arguments: JsonObject, root: Path) -> tuple[Location, ...]:
    path = arguments.get("filePath") or arguments.get("path")
    if not isinstance(path, str) or not path or "\0" in path:
        return ()
    return (Location(path=os.path.normpath(root / path)),)


def _bounded(value: Any) -> Any:
    match value:
        case str() if len(value) > MOST_ARGUMENT:
            return f"{value[:MOST_ARGUMENT]}…"
        case dict():
            return {name: _bounded(inner) for name, inner in value.items()}
        case list():
            return [_bounded(inner) for inner in value]
        case _:
            return value
