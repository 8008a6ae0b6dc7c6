"""Changes of a session: listing, undo and redo, hunks that the user put in again, and the message of a commit."""

from collections.abc import Iterable
from pathlib import Path

from placet.changes.undo import revert
from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.frontends.lsp.handlers.define import HandlerContext, notification, request
from placet.frontends.lsp.protocol.agent_messages import (
    CommitMessage,
    Redo,
    Undo,
    UndoneFile,
    UndoResult,
    WrittenMessage,
)
from placet.frontends.lsp.protocol.change_messages import ChangeList, DidPutIn, ListChanges
from placet.project.paths import from_uri


@request("agent/changes")
async def list_changes(context: HandlerContext, params: ListChanges) -> ChangeList:
    session = await context.sessions.show(params.session_id)
    family = {params.session_id, *context.sessions.subagents_of(params.session_id)}
    pending = [asked for asked in context.approver.pending() if asked.session_id in family]
    listed = await session.changes(pending, change_ids=params.change_ids, contents=params.contents)
    return await in_thread(ChangeList.model_validate, {"changes": listed})


@request("agent/undo")
async def undo(context: HandlerContext, params: Undo) -> UndoResult:
    session = await context.sessions.load(params.session_id)
    files = await session.undo(
        turn_id=params.turn_id,
        message_id=params.message_id,
        change_ids=params.change_ids,
        paths=None if params.uris is None else _paths(params.uris),
    )
    await session.change_set.follow_undo()
    return _result(files)


@request("agent/redo")
async def redo(context: HandlerContext, params: Redo) -> UndoResult:
    session = await context.sessions.load(params.session_id)
    files = await session.redo()
    await session.change_set.follow_undo()
    return _result(files)


@notification("agent/didPutIn")
async def did_put_in(context: HandlerContext, params: DidPutIn) -> None:
    context.reapplied_hunks.note(params)


@request("agent/commitMessage")
async def write_commit_message(context: HandlerContext, params: CommitMessage) -> WrittenMessage:
    root = None if params.root is None else _paths((params.root,))[0]
    return WrittenMessage(text=await context.sessions.commit_message(root, params.diff, params.model))


def _paths(uris: Iterable[str]) -> list[Path]:
    """Return the paths of the URIs. Raises RequestError for a URI which names no file."""
    paths = {uri: from_uri(uri) for uri in uris}
    wrong = [uri for uri, path in paths.items() if path is None]
    if wrong:
        raise RequestError(f"{wrong[0]} is not the URI of a file.")
    return [path for path in paths.values() if path is not None]


def _result(files: Iterable[revert.UndoneFile]) -> UndoResult:
    return UndoResult(
        files=tuple(
            UndoneFile(uri=file.path.as_uri(), status=file.status, reason=file.reason or None) for file in files
        )
    )
