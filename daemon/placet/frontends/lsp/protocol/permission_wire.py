"""A permission request and its answer as `editor/requestPermission` carries both (docs/PROTOCOL.md). No IO."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from placet.core.ports import (
    Hunk,
    HunkComment,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Scope,
)
from placet.project.paths import from_uri, real
from placet.text.lines import to_lf

_SCOPES: tuple[Scope, ...] = ("session", "project", "user")
"""Scopes from the narrowest to the widest."""


def request_params(request: PermissionRequest) -> dict[str, Any]:
    """Return the request with the full diff; absent parts are left out."""
    params: dict[str, Any] = {
        "requestId": request.id,
        "sessionId": request.session_id,
        "origin": list(request.origin),
        "toolCall": {"messageId": request.message_id, "callId": request.call_id, "tool": request.tool},
        "permission": request.permission,
        "title": request.title,
        "patterns": list(request.patterns),
        "always": [{"scope": offer.scope, "patterns": list(offer.patterns)} for offer in request.always],
        "rule": request.rule,
        "parts": [{"pattern": part.pattern, "action": part.action, "by": part.by} for part in request.parts],
    }
    if request.change is not None:
        params["change"] = {"id": request.change.id, "files": [_file(file) for file in request.change.files]}
    if request.command is not None:
        params["command"] = request.command
    if request.directory is not None:
        params["cwd"] = str(request.directory)
    if request.url is not None:
        params["url"] = request.url
    said = {"description": request.description, "note": request.note, "arguments": request.arguments}
    params |= {name: text for name, text in said.items() if text}
    return params


def _file(file: ProposedFile) -> dict[str, Any]:
    value: dict[str, Any] = {
        "uri": file.path.as_uri(),
        "kind": file.kind,
        "oldText": file.old_text,
        "newText": file.new_text,
        "hunks": [_hunk(hunk) for hunk in file.hunks],
    }
    if file.new_path is not None:
        value["newUri"] = file.new_path.as_uri()
    return value


def _hunk(hunk: Hunk) -> dict[str, Any]:
    return {
        "id": hunk.id,
        "oldStart": hunk.old_start,
        "oldLines": list(hunk.old_lines),
        "newStart": hunk.new_start,
        "newLines": list(hunk.new_lines),
    }


def read_answer(request: PermissionRequest, result: Any) -> PermissionAnswer | None:
    """Return the user's answer, or None if the result is no answer: dismissed, or not to be understood.

    A file absent from the request is left out of the answer, so that an answer allows no more than was asked.
    """
    if not isinstance(result, dict):
        return None
    answer = cast("dict[str, Any]", result)
    feedback = answer.get("feedback")
    feedback = feedback if isinstance(feedback, str) else ""
    comments = tuple(_comments(request.change, answer.get("comments")))
    match answer.get("outcome"):
        case "reject":
            return PermissionAnswer("reject", feedback=feedback, comments=comments)
        case "once":
            outcome = "once"
        case "always":
            outcome = "always"
        case _:
            return None
    return PermissionAnswer(
        outcome,
        scope=_scope(request, answer.get("scope")),
        hunks=_allowed_hunks(request.change, answer.get("hunks")),
        edited=_edited(request.change, answer.get("edited")),
        feedback=feedback,
        comments=comments,
    )


def _scope(request: PermissionRequest, value: Any) -> Scope:
    """Return the chosen scope if the scope was offered, else the narrowest offered scope."""
    offered = {offer.scope for offer in request.always}
    for offer in request.always:
        if offer.scope == value:
            return offer.scope
    for scope in _SCOPES:
        if scope in offered:
            return scope
    return "session"


def _allowed_hunks(change: ProposedChange | None, value: Any) -> dict[Path, frozenset[int]] | None:
    """Return the allowed hunks by file. None only when the client left the value out, and so allows all; a value that
    cannot be understood allows nothing.
    """
    if change is None or value is None:
        return None
    allowed: dict[Path, frozenset[int]] = {}
    # In Lua an empty object and an empty list are one, and go over the wire as a list.
    for uri, ids in cast("dict[str, Any]", value).items() if isinstance(value, dict) else ():
        file = _file_of(change, uri)
        if file is not None and isinstance(ids, list):
            named = {one for one in cast("list[Any]", ids) if type(one) is int}
            allowed[file.path] = frozenset(hunk.id for hunk in file.hunks if hunk.id in named)
    return allowed


def _edited(change: ProposedChange | None, value: Any) -> Mapping[Path, str]:
    texts: dict[Path, str] = {}
    if change is None or not isinstance(value, list):
        return texts
    for one in cast("list[Any]", value):
        edited = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
        file, text = _file_of(change, edited.get("uri")), edited.get("text")
        if file is not None and isinstance(text, str):
            texts[file.path] = to_lf(text)
    return texts


def _comments(change: ProposedChange | None, value: Any) -> Iterator[HunkComment]:
    """Yield the user's comments. A comment on an unknown hunk becomes a comment on the file, so no text of the user is
    lost.
    """
    if change is None or not isinstance(value, list):
        return
    for one in cast("list[Any]", value):
        comment = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
        file, text = _file_of(change, comment.get("uri")), comment.get("text")
        if file is not None and isinstance(text, str) and text.strip():
            wanted = comment.get("hunk")
            is_known = type(wanted) is int and any(hunk.id == wanted for hunk in file.hunks)
            yield HunkComment(file.path, text.strip(), wanted if is_known else None)


def _file_of(change: ProposedChange, uri: Any) -> ProposedFile | None:
    """Return the file which a client means by a URI, in any spelling."""
    path = from_uri(uri) if isinstance(uri, str) else None
    if path is None:
        return None
    return next((file for file in change.files if file.path == path or real(file.path) == real(path)), None)
