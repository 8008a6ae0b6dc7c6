"""Handlers of the agent's own methods: each message of wire.py goes to the sessions, and the result comes back.

The module is loaded only after the editor has its answer to `initialize`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, assert_never, cast

from pygls.exceptions import JsonRpcException

from placet.changes.undo import revert
from placet.core.errors import AtWorkElsewhere, PlacetError, RequestError
from placet.core.executor import in_thread
from placet.core.messages import Value, new_id
from placet.frontends.lsp.asks.approver import LspApprover
from placet.frontends.lsp.connection.buffers import OpenBuffer
from placet.frontends.lsp.connection.editor_client import EditorClient
from placet.frontends.lsp.generic.generic_editor import GenericEditor
from placet.frontends.lsp.handlers.auth import sign_in_to, ways_to_sign_in
from placet.frontends.lsp.handlers.completion import PromptCompletion
from placet.frontends.lsp.handlers.editor_context import Sight
from placet.frontends.lsp.handlers.focus import Attention
from placet.frontends.lsp.handlers.mcp import manage_mcp
from placet.frontends.lsp.handlers.models import list_models
from placet.frontends.lsp.handlers.permission_rules import answer_about_permissions
from placet.frontends.lsp.handlers.reapplied_hunks import PutIn
from placet.frontends.lsp.handlers.status import status_of
from placet.frontends.lsp.ports.presenter import Presenter
from placet.frontends.lsp.ports.progress import session_of_token
from placet.frontends.lsp.protocol.agent_messages import (
    Cancel,
    CommitMessage,
    CompactResult,
    CompactSession,
    DeleteSession,
    DidChangeTrust,
    DidFocus,
    DidType,
    ExplainPermission,
    ExportedSession,
    ExportSession,
    ForkSession,
    GetStatus,
    ImportSession,
    ListPending,
    ListRules,
    ListSessions,
    LoadedSession,
    LoadSession,
    NewSession,
    PendingList,
    Prompt,
    PromptResult,
    Redo,
    RenameSession,
    RevokeGrant,
    SessionList,
    SessionSummary,
    SetAgent,
    SetModel,
    SummarizeSession,
    Undo,
    UndoneFile,
    UndoResult,
    Usage,
    WrittenMessage,
)
from placet.frontends.lsp.protocol.auth_messages import ListSignIns, SignInTo
from placet.frontends.lsp.protocol.catalog_messages import (
    AgentInfo,
    AgentList,
    CommandInfo,
    CommandList,
    ListAgents,
    ListCommands,
    ListModels,
    ListTools,
    ToolInfo,
    ToolList,
)
from placet.frontends.lsp.protocol.change_messages import ChangeList, DidPutIn, ListChanges
from placet.frontends.lsp.protocol.completion_messages import Complete
from placet.frontends.lsp.protocol.editor_messages import Position, RequestPermission
from placet.frontends.lsp.protocol.mcp_messages import ManageMcp
from placet.frontends.lsp.protocol.permission_wire import request_params
from placet.frontends.lsp.protocol.validation import validated
from placet.frontends.lsp.protocol.wire import FROM_EDITOR
from placet.project.paths import Workspace, from_uri
from placet.sessions.registry import Sessions
from placet.tools.framework.define import AgentView
from placet.tools.registry import list_tools

logger = logging.getLogger(__name__)

REQUEST_FAILED = -32803
"""LSP 3.17's RequestFailed: a well-formed and understood request which cannot be served; the text is for the user."""

_WARNING = 2
"""LSP's MessageType.Warning."""


class Handlers:
    """Handlers of one editor's requests to the agent."""

    def __init__(
        self,
        sessions: Sessions,
        approver: LspApprover,
        presenter: Presenter,
        plain: GenericEditor,
        completion: PromptCompletion,
        peer: EditorClient,
        *,
        leave: Callable[[], Awaitable[None]],
        open_folders: Callable[[tuple[Path, ...]], Awaitable[None]],
    ) -> None:
        self._leave = leave
        self.open_folders = open_folders
        """Function called with the folders of the editor's window when the folders have changed."""
        self._sessions = sessions
        self._approver = approver
        self._presenter = presenter
        self._completion = completion
        self._peer = peer
        self._sight = Sight(peer, sessions)
        self._put_in = PutIn()
        self.plain = plain
        """Commands of an editor without our plugin."""
        self._attention = Attention()

    def begin(self) -> None:
        """Start slow preparations, as the editor has said `initialized`. Returns without waiting."""
        self._sessions.extensions.mcp.begin()

    async def serve(self, method: str, raw: Any) -> Any:
        """Return the result of a request as plain JSON. Raises JsonRpcException."""
        params = validated(FROM_EDITOR[method].params, raw)
        try:
            result = await self._answer(cast("Any", params))
        except PlacetError as error:
            raise JsonRpcException(error.told, code=REQUEST_FAILED) from error
        # What a session has emitted is on its way before the answer is.
        self._presenter.flush()
        return None if result is None else result.dump()

    async def notified(self, method: str, raw: Any) -> None:
        """Take a notification. Raises JsonRpcException, though no client gets the error."""
        if method == "window/workDoneProgress/cancel":
            session_id = session_of_token(raw["token"])
            if session_id is not None:
                await self._cancel(session_id)
            return
        match validated(FROM_EDITOR[method].params, raw):
            case Cancel(session_id=session_id):
                await self._cancel(session_id)
            case DidChangeTrust(trusted=trusted):
                await self._sessions.renewal.editor_says(trusted=trusted)
            case DidFocus():
                if self._attention.came_back():
                    await self._sessions.warm()
            case DidPutIn() as told:
                self._put_in.note(told)
            case DidType():
                await self._sessions.warm()
            case _:
                raise AssertionError(f"{method} is in the table and nobody takes it")

    async def complete(self, document: OpenBuffer, position: Any) -> Any:
        """Return the answer to `textDocument/completion` in a prompt's document. Raises JsonRpcException."""
        return await self._completion.in_document(document, validated(Position, position))

    async def close(self) -> None:
        """Leave the sessions; the sessions' last messages are still sent."""
        self._approver.disconnected()
        await self._leave()
        await self.plain.close()
        await self._presenter.close()

    async def _answer(self, params: "Request") -> Value | None:
        sessions = self._sessions
        match params:
            case NewSession():
                return (await sessions.create(agent=params.agent, model=params.model, title=params.title)).info
            case ListSessions():
                found, cursor = await sessions.list(query=params.query, limit=params.limit, cursor=params.cursor)
                return SessionList(sessions=tuple(found), cursor=cursor)
            case LoadSession():
                session = await sessions.show(params.session_id)
                info = await sessions.info(params.session_id)
                return LoadedSession(session=info, events=tuple(session.replay(params.since)))
            case ForkSession():
                return (await sessions.fork(params.session_id, params.message_id)).info
            case ExportSession():
                text = await sessions.export(params.session_id, params.format, contents=params.contents)
                return ExportedSession(text=text)
            case ImportSession():
                return (await sessions.import_(params.text)).info
            case RenameSession():
                return await (await sessions.load(params.session_id)).rename(params.title)
            case DeleteSession():
                return await sessions.delete(params.session_id)
            case CompactSession():
                done = await (await sessions.load(params.session_id)).compact()
                return CompactResult(tokens_before=done.tokens_before, tokens_after=done.tokens_after)
            case SummarizeSession():
                return SessionSummary(text=await sessions.summarize(params.session_id))
            case SetAgent():
                return await (await sessions.load(params.session_id)).set_agent(params.agent)
            case SetModel():
                return await (await sessions.load(params.session_id)).set_model(params.model)
            case Prompt():
                return await self._prompt(params)
            case Undo() | Redo():
                return await self._undo(params)
            case ListChanges():
                return await self._changes(params)
            case ListModels():
                return await list_models(sessions, sessions.settings.model, params)
            case ListAgents():
                return self._agents()
            case ListCommands():
                return self._commands()
            case ListTools():
                return await self._tools()
            case Complete():
                return await self._completion.answer(params)
            case CommitMessage():
                root = None if params.root is None else _paths((params.root,))[0]
                return WrittenMessage(text=await sessions.commit_message(root, params.diff, params.model))
            case ManageMcp():
                return await manage_mcp(sessions.extensions.mcp, self._peer, params)
            case ListSignIns():
                return await ways_to_sign_in(sessions)
            case SignInTo():
                return await sign_in_to(sessions, self._peer, self._approver, params)
            case ListPending():
                return self._pending(params.session_id)
            case ListRules() | ExplainPermission() | RevokeGrant():
                return await answer_about_permissions(sessions, params)
            case GetStatus():
                return await status_of(self._sessions, len(self._approver.pending()), self._peer.profile)
            case _:
                assert_never(params)

    async def _prompt(self, params: Prompt) -> PromptResult:
        try:
            session = await self._sessions.load(params.session_id)
            # Ids are given here: one that an editor used twice would move the part's row to another message.
            parts = [part.model_copy(update={"id": new_id("prt")}) for part in params.parts]
            shown = await self._sight.parts(params.session_id)
            put_in = await self._put_in.parts(session, Workspace(self._sessions.roots))
            turn = await session.prompt([*parts, *shown, *put_in], queue=params.queue)
        except asyncio.CancelledError:
            # The request was cancelled before its turn began. A turn that runs says so itself.
            return PromptResult(stop_reason="cancelled")
        return PromptResult(
            stop_reason=turn.stop_reason,
            message_id=turn.message_id or None,
            usage=Usage(tokens=turn.tokens, cost=turn.cost),
            error=turn.error,
        )

    async def _undo(self, params: Undo | Redo) -> UndoResult:
        session = await self._sessions.load(params.session_id)
        if isinstance(params, Redo):
            files = await session.redo()
        else:
            files = await session.undo(
                turn_id=params.turn_id,
                message_id=params.message_id,
                change_ids=params.change_ids,
                paths=None if params.uris is None else _paths(params.uris),
            )
        return UndoResult(files=tuple(_undone(file) for file in files))

    async def _changes(self, params: ListChanges) -> ChangeList:
        session = await self._sessions.show(params.session_id)
        family = {params.session_id, *self._sessions.subagents_of(params.session_id)}
        waiting = [one for one in self._approver.pending() if one.session_id in family]
        listed = await session.changes(waiting, change_ids=params.change_ids, contents=params.contents)
        return await in_thread(ChangeList.model_validate, {"changes": listed})

    async def _cancel(self, session_id: str) -> None:
        try:
            await (await self._sessions.load(session_id)).cancel()
        except AtWorkElsewhere as error:
            self._peer.notify("window/showMessage", {"type": _WARNING, "message": f"Placet: {error}"})
        except PlacetError as error:
            raise JsonRpcException(str(error), code=REQUEST_FAILED) from error

    def _agents(self) -> AgentList:
        catalog = self._sessions.agents
        agents = (
            AgentInfo(name=one.name, description=one.description, mode=one.mode, model=one.model, source=one.source)
            for one in catalog.visible
        )
        return AgentList(agents=tuple(agents), default=catalog.default.name, problems=catalog.problems)

    def _commands(self) -> CommandList:
        found, problems = self._sessions.commands()
        commands = tuple(CommandInfo.model_validate(one.dump()) for one in found)
        return CommandList(commands=commands, problems=problems)

    async def _tools(self) -> ToolList:
        agent = AgentView(self._sessions.agents.default.name, settings=self._sessions.settings)
        shown = [one for one in await self._sessions.extensions.tools() if not one.hidden]
        listed = await list_tools(agent, lambda _: False, shown)
        return ToolList(
            tools=tuple(
                ToolInfo(id=one.id, description=one.description, source=one.source, reason=one.reason) for one in listed
            )
        )

    def _pending(self, session_id: str | None) -> PendingList:
        waiting = [one for one in self._approver.pending() if session_id in (None, one.session_id)]
        for one in waiting:
            self._approver.reopen(one.id)
        return PendingList(requests=tuple(RequestPermission.model_validate(request_params(one)) for one in waiting))


Request = (
    NewSession
    | ListSessions
    | LoadSession
    | ForkSession
    | ExportSession
    | ImportSession
    | RenameSession
    | DeleteSession
    | CompactSession
    | SummarizeSession
    | SetAgent
    | SetModel
    | Prompt
    | Undo
    | Redo
    | ListChanges
    | ListModels
    | ListAgents
    | ListCommands
    | ListTools
    | Complete
    | CommitMessage
    | ListPending
    | ListRules
    | ExplainPermission
    | RevokeGrant
    | GetStatus
    | ManageMcp
    | ListSignIns
    | SignInTo
)


def _paths(uris: Iterable[str]) -> list[Path]:
    """Return the paths of the URIs. Raises RequestError for a URI which names no file."""
    paths = {uri: from_uri(uri) for uri in uris}
    wrong = [uri for uri, path in paths.items() if path is None]
    if wrong:
        raise RequestError(f"Only files can be named here, and {wrong[0]} is none.")
    return [path for path in paths.values() if path is not None]


def _undone(file: revert.UndoneFile) -> UndoneFile:
    return UndoneFile(uri=file.path.as_uri(), status=file.status, reason=file.reason or None)
