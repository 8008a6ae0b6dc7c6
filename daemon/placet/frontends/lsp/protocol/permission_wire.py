"""`editor/requestPermission`: the models of the message, made from a request and read into an answer. No IO."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    OnErrorOmit,
    StrictInt,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from placet.changes.review.answers import answer_of, decision_on, decisions_by_hunk, place_and_version
from placet.core.errors import RequestError
from placet.core.hunks import Decision, Hunk
from placet.core.messages import Value
from placet.core.ports import (
    AlwaysOffer,
    AskedPart,
    FileEditKind,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Scope,
)
from placet.core.values import replace
from placet.frontends.lsp.protocol.review_messages import StagedDecision, read_decision
from placet.project.paths import from_uri, real
from placet.text.lines import to_lf

_SCOPES: tuple[Scope, ...] = ("session", "project", "user")
"""Scopes from the narrowest to the widest."""


# ---------------------------------------------------------------- the request


class ToolCallReference(Value):
    message_id: str
    call_id: str
    tool: str


class FileOfChange(Value):
    """File of a proposed change. Texts have LF line ends."""

    uri: str
    kind: FileEditKind
    old_text: str
    new_text: str
    hunks: tuple[Hunk, ...]
    new_uri: str | None = None


class Change(Value):
    id: str
    files: tuple[FileOfChange, ...]


class RequestPermission(Value):
    """Ask the user for permission. The request waits without a time limit; `$/cancelRequest` takes the request off the
    screen.
    """

    request_id: str
    session_id: str
    origin: tuple[str, ...] = ()
    """Agents from the session's own agent down to the asking agent; empty for the session's own agent."""
    tool_call: ToolCallReference
    permission: str
    title: str
    """Title of the request, on a single line of at most 100 characters: a command, shortened in the middle, or Placet's
    words.
    """
    patterns: tuple[str, ...]
    always: tuple[AlwaysOffer, ...] = ()
    rule: str
    """Rule behind the request, with the file of the rule, in words."""
    parts: tuple[AskedPart, ...] = ()
    """Parts of the request, each with the rule or grant that decides about the part."""
    change_id: str | None = None
    """Id of a proposed change. The files of the change are in the change set, with the id as `waits`."""
    change: Change | None = None
    """Proposed change, for a client that does not show the waiting files of the change set."""
    command: str | None = None
    cwd: str | None = None
    """Path of the command's working directory."""
    url: str | None = None
    description: str | None = None
    """Description of the call by the model or a server, on a single line that begins with the author. Never show the
    description first.
    """
    note: str | None = None
    """Note by Placet beside the title, on a single line."""
    arguments: str | None = None
    """Arguments of the call as indented JSON, for calls without a command, change or URL. Show all arguments."""


def request_message(request: PermissionRequest, *, shows_waiting_files: bool = False) -> RequestPermission:
    """Return the message for the request; empty texts are left out, and so is the change where the client shows the
    waiting files of the change set.
    """
    return RequestPermission(
        request_id=request.id,
        session_id=request.session_id,
        origin=request.origin,
        tool_call=ToolCallReference(message_id=request.message_id, call_id=request.call_id, tool=request.tool),
        permission=request.permission,
        title=request.title,
        patterns=request.patterns,
        always=request.always,
        rule=request.rule,
        parts=request.parts,
        change_id=None if request.change is None else request.change.id,
        change=None if request.change is None or shows_waiting_files else _change(request.change),
        command=request.command,
        cwd=None if request.directory is None else str(request.directory),
        url=request.url,
        description=request.description or None,
        note=request.note or None,
        arguments=request.arguments or None,
    )


def _change(change: ProposedChange) -> Change:
    return Change(id=change.id, files=tuple(map(_file, change.files)))


def _file(file: ProposedFile) -> FileOfChange:
    return FileOfChange(
        uri=file.path.as_uri(),
        kind=file.kind,
        old_text=file.old_text,
        new_text=file.new_text,
        hunks=file.hunks,
        new_uri=None if file.new_path is None else file.new_path.as_uri(),
    )


# ---------------------------------------------------------------- the answer


def _none_if_wrong(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


def _list(value: Any) -> Any:
    return value if isinstance(value, list) else []


def _named_hunks(value: Any) -> Any:
    """Return the value as an object: a value of another type, such as Lua's empty list, names no hunk."""
    return value if value is None or isinstance(value, dict) else {}


NoneIfWrong = WrapValidator(_none_if_wrong)


class EditedFile(Value):
    uri: str
    text: str
    """Whole text that the user wants in place of the proposed text."""


class CommentOnChange(Value):
    uri: str
    hunk: Annotated[StrictInt | None, NoneIfWrong] = None
    """Id of the hunk; absent for a comment on the whole file."""
    text: str


class Permission(Value):
    outcome: Literal["once", "always", "reject", "dismissed"]
    """`dismissed` is no answer: the request stays pending and can be opened again."""
    scope: Annotated[Scope | None, NoneIfWrong] = None
    decisions: tuple[StagedDecision, ...] = ()
    """Decisions about the files of the change, on the listed versions, as in `agent/review/decide`. `once` and `always`
    accept each file about which no decision is made, `reject` rejects every file.
    """
    hunks: Annotated[
        dict[str, OnErrorOmit[tuple[OnErrorOmit[StrictInt], ...]]] | None, BeforeValidator(_named_hunks)
    ] = None
    """Accepted hunks by URI; all hunks, if absent. A file without an entry is rejected. `hunks`, `edited` and
    `comments` are the decisions of a client that is asked with `change`.
    """
    edited: Annotated[tuple[OnErrorOmit[EditedFile], ...], BeforeValidator(_list)] = ()
    feedback: Annotated[str | None, NoneIfWrong] = None
    """Instructions for the agent, with `reject`; the turn goes on with the instructions."""
    comments: Annotated[tuple[OnErrorOmit[CommentOnChange], ...], BeforeValidator(_list)] = ()
    """Comments on files and hunks, with every outcome but `dismissed`. The agent reads each comment with the outcome of
    its hunk; with `reject` the comments are feedback.
    """


def read_answer(
    request: PermissionRequest, result: Any, *, shows_waiting_files: bool = False
) -> PermissionAnswer | None:
    """Return the user's answer, or None if the result is no answer: dismissed, or not to be understood.

    The answer allows no more than the request asked: files, hunks and scopes absent from the request are left out. A
    wrong field is left out by itself, so that no word of the user is lost; with a wrong decision, the result is no
    answer.
    """
    try:
        answer = Permission.model_validate(result)
        decided = tuple(map(read_decision, answer.decisions))
    except (ValidationError, RequestError):
        return None
    feedback = answer.feedback or ""
    if answer.outcome == "dismissed":
        return None
    scope = _scope(request, answer.scope)
    if request.change is None:
        return PermissionAnswer(answer.outcome, scope, feedback)
    if shows_waiting_files:
        return PermissionAnswer(answer.outcome, scope, feedback, tuple(_of_change(decided, request.change)))
    decisions = tuple(_decisions(answer, request.change))
    if answer.outcome == "reject":
        return answer_of(decisions, feedback=feedback)
    return answer_of(decisions, answer.outcome, scope, feedback)


def _of_change(decisions: Sequence[Decision], change: ProposedChange) -> Iterator[Decision]:
    """Yield the decisions about files of the change."""
    files = {file.new_path or file.path: file for file in change.files}
    for decision in decisions:
        if (file := files.get(decision.place)) is not None:
            is_seen = decision.edited is not None and decision.version == place_and_version(file)[1]
            yield replace(decision, edited_on=file.old_text) if is_seen else decision


def _decisions(answer: Permission, change: ProposedChange) -> Iterator[Decision]:
    """Yield the decisions about the files of a change that the client showed itself."""
    files = _files_by_uri(change, answer)
    texts = {files[edit.uri].path: to_lf(edit.text) for edit in answer.edited if edit.uri in files}
    hunks = {files[uri].path: ids for uri, ids in (answer.hunks or {}).items() if uri in files}
    for file in change.files:
        if answer.outcome == "reject":
            yield decision_on(file, "reject")
        elif file.path in texts:
            yield decision_on(file, "accept", text=texts[file.path])
        elif answer.hunks is None:
            yield decision_on(file, "accept")
        else:
            yield from decisions_by_hunk(file, hunks.get(file.path))
        for comment in answer.comments:
            if files.get(comment.uri) is file and (text := comment.text.strip()):
                # A comment on an unknown hunk becomes a comment on the file.
                of_hunk = frozenset(hunk.id for hunk in file.hunks if hunk.id == comment.hunk) or None
                yield decision_on(file, "comment", of_hunk, comment=text)


def _files_by_uri(change: ProposedChange, answer: Permission) -> dict[str, ProposedFile]:
    """Return the files of the change by the URIs of the answer; a client may spell a URI in its own way."""
    uris = {*(answer.hunks or ()), *(edit.uri for edit in answer.edited), *(comment.uri for comment in answer.comments)}
    return {uri: file for uri in uris if (file := _file_of(change, from_uri(uri))) is not None}


def _file_of(change: ProposedChange, path: Path | None) -> ProposedFile | None:
    if path is None:
        return None
    return next((file for file in change.files if file.path == path or real(file.path) == real(path)), None)


def _scope(request: PermissionRequest, chosen: Scope | None) -> Scope:
    """Return the chosen scope if the scope was offered, else the narrowest offered scope."""
    offered = {offer.scope for offer in request.always}
    if chosen is not None and chosen in offered:
        return chosen
    for scope in _SCOPES:
        if scope in offered:
            return scope
    return "session"
