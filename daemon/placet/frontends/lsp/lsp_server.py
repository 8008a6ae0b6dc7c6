"""LSP server of an editor, before and beside the agent's own methods: the handshake, the documents, the folders.

Nothing here loads the agent. Loading begins once the editor has the answer to `initialize` and says so, or asks for the
agent; a request arriving meanwhile waits.
"""

import asyncio
import importlib
import linecache
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from placet import __version__
from placet.core.stdio.garbage import collect_as_usual
from placet.core.tasks import has_failed
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.connection import Connection
from placet.frontends.lsp.connection.detached_prompts import PROMPTING_COMMANDS, Prompts
from placet.frontends.lsp.connection.prompt_documents import is_prompt
from placet.frontends.lsp.connection.workspace import roots_of, with_changes
from placet.frontends.lsp.generic.code_actions import code_actions, of_requested_kinds
from placet.frontends.lsp.initialize import (
    EditorSettings,
    InvalidSettings,
    editor_process_id,
    editor_settings,
)
from placet.frontends.lsp.protocol.method_names import NOTIFICATIONS, REQUESTS
from placet.frontends.lsp.protocol.methods import GENERIC_COMMANDS
from placet.frontends.lsp.protocol.standard import converter

if TYPE_CHECKING:
    from placet.core.ports import Ports
    from placet.frontends.lsp.dispatcher import Dispatcher
    from placet.sessions.registry import Sessions
    from placet.settings import Settings

OpenSessions = Callable[
    [Callable[["Settings"], "Ports"], tuple[Path, ...], EditorSettings, bool], Awaitable["Sessions"]
]
"""Function opening the sessions, called with a maker of the ports, the roots, the editor's settings, and whether the
editor trusts the roots.

Raises PlacetError for the user to read.
"""

Join = Callable[[Connection, BufferStore, tuple[Path, ...], EditorSettings], Awaitable["Dispatcher"]]

Json = dict[str, Any]

_CODE_ACTIONS = types.CodeActionOptions(
    [types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor, types.CodeActionKind.Source]
)
_COMPLETION = types.CompletionOptions(trigger_characters=["@", "/", "#"], resolve_provider=False)

_BOOTSTRAP = "placet.frontends.lsp.bootstrap"
LOADING_SWITCH_SECONDS = 0.0005
"""Time for which the loading thread may keep the loop waiting for the interpreter; Python's own 5 ms add up."""


class LspServer(LanguageServer):
    """Server of one editor. Make the server in a running event loop."""

    def __init__(
        self,
        open_sessions: OpenSessions,
        *,
        join: Join | None = None,
        prompts: Prompts | None = None,
        directory: Path | None = None,
    ) -> None:
        """`join` opens the agent where editors share the agent, and `prompts` sees to the editors' prompts.

        `directory` stands for the root where no root is open.
        """
        super().__init__("placet", __version__, protocol_cls=Connection, converter_factory=converter)
        self.connection = cast("Connection", self.protocol)
        self.buffers = BufferStore()
        self.roots: tuple[Path, ...] = ()
        self.parent_process_id: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Future which resolves when the editor has named the process with which to end, if any."""
        self._open_sessions = open_sessions
        self._join = join
        self._prompts = prompts
        self._directory = directory
        self._settings = EditorSettings()
        self._opening: asyncio.Task[Dispatcher] | None = None
        self._changing_folders: asyncio.Task[None] | None = None
        """Last of the changes of folders; each change waits for the change before."""
        _declare(self)
        for method in REQUESTS:
            self.feature(method)(self._agent_request(method))
        for method in NOTIFICATIONS:
            self.feature(method)(self._agent_notification(method))
        for name in GENERIC_COMMANDS:
            self.command(name)(self._generic_command(name))

    def configure(self, params: Json) -> None:
        """Take over the params of `initialize`. Raises JsonRpcInvalidParams."""
        try:
            self._settings = editor_settings(params)
        except InvalidSettings as error:
            raise JsonRpcInvalidParams(str(error)) from error
        self.buffers.use_encoding(self.connection.profile.position_encoding)
        self.roots = roots_of(params)
        if (process_id := editor_process_id(params)) is not None:
            self.parent_process_id.set_result(process_id)

    def change_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Take over the changed folders: later requests of the editor are served in the folders as now open."""
        self.roots = with_changes(self.roots, event)
        if self._opening is not None:
            self._changing_folders = asyncio.create_task(self._open_folders(self._changing_folders))

    async def _open_folders(self, before: "asyncio.Task[None] | None") -> None:
        if before is not None:
            await asyncio.wait([before])
        try:
            dispatcher = await asyncio.shield(self._begin_loading())
            await dispatcher.open_folders(self._folders)
        except JsonRpcException as error:
            self.show_error(error)

    def show_error(self, error: JsonRpcException) -> None:
        """Show the user an error that no answer can carry."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, error.message))

    @property
    def _folders(self) -> tuple[Path, ...]:
        return self.roots or (self._directory or Path.cwd(),)

    # ---------------------------------------------------------------- the agent

    def _agent_request(self, method: str) -> Callable[[Any], Awaitable[Any]]:
        async def serve(params: Any) -> Any:
            try:
                dispatcher = await self.loaded()
            except asyncio.CancelledError:
                if method == "agent/prompt":
                    # Cancelling a prompt is a normal result, even before the agent is loaded.
                    return {"stopReason": "cancelled"}
                raise
            return await dispatcher.serve(method, params)

        return self._detached(serve) if method == "agent/prompt" else serve

    def _agent_notification(self, method: str) -> Callable[[Any], Awaitable[None]]:
        async def serve(params: Any) -> None:
            await (await self.loaded()).notified(method, params)

        return serve

    def _generic_command(self, name: str) -> Callable[[list[Any]], Awaitable[None]]:
        async def run(arguments: list[Any]) -> None:
            await (await self.loaded()).generic.execute(name, arguments)

        return self._detached(run) if name in PROMPTING_COMMANDS else run

    def _detached(self, serve: Callable[[Any], Coroutine[Any, Any, Any]]) -> Callable[[Any], Awaitable[Any]]:
        """Return a handler which finishes a prompt whatever becomes of the editor, where editors share the agent; else
        `serve`.
        """
        if (prompts := self._prompts) is None:
            return serve

        def serve_and_keep(params: Any) -> Awaitable[Any]:
            self._begin_loading()
            return prompts.receive(self.connection, serve(params))

        return serve_and_keep

    async def loaded(self) -> "Dispatcher":
        """Return the dispatcher, loaded on the first call. A caller cancelled while waiting leaves the loading
        going on.
        """
        dispatcher = await asyncio.shield(self._begin_loading())
        if self._changing_folders is not None:
            await asyncio.wait([self._changing_folders])
        return dispatcher

    @property
    def dispatcher(self) -> "Dispatcher | None":
        """Return the dispatcher; None as long as the agent is not loaded."""
        opening = self._opening
        return None if opening is None or not opening.done() or has_failed(opening) else opening.result()

    def _begin_loading(self) -> "asyncio.Task[Dispatcher]":
        if self._opening is None or has_failed(self._opening):
            self._opening = asyncio.create_task(self._open())
        return self._opening

    async def _open(self) -> "Dispatcher":
        opening = await _load()
        roots = self._folders
        if self._join is not None:
            return await self._join(self.connection, self.buffers, roots, self._settings)
        return await opening.open_dispatcher(self.connection, self.buffers, self._open_sessions, roots, self._settings)

    async def close(self) -> None:
        """Stop all work running for this editor, and put the editor's sessions away."""
        await self.connection.close()
        if self._opening is None:
            return
        if self._changing_folders is not None:
            self._changing_folders.cancel()
            await asyncio.gather(self._changing_folders, return_exceptions=True)
        if self._prompts is None or not self._prompts.are_of(self.connection):
            self._opening.cancel()
        (opened,) = await asyncio.gather(self._opening, return_exceptions=True)
        if not isinstance(opened, BaseException):
            await opened.close()


async def _load() -> ModuleType:
    """Return the loaded bootstrap. Nothing of a later editor of a shared daemon is kept from the garbage collector."""
    loading = asyncio.to_thread(importlib.import_module, _BOOTSTRAP)
    if _BOOTSTRAP in sys.modules:
        return await loading  # Another editor may be loading at this moment.
    # attrs keeps the generated source of each class of lsprotocol: 2 MB, for tracebacks that nobody needs.
    linecache.clearcache()
    usual = sys.getswitchinterval()
    # In a thread that must give way at once, so that keystrokes and `shutdown` are served meanwhile.
    sys.setswitchinterval(LOADING_SWITCH_SECONDS)
    try:
        return await loading
    finally:
        sys.setswitchinterval(usual)
        collect_as_usual()


def _declare(server: LspServer) -> None:
    """Declare the features of LSP itself."""
    _declare_life(server)
    _declare_documents(server)
    _declare_offers(server)


def _declare_life(server: LspServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: dict[str, Any]) -> None:
        server.configure(params)

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        try:
            (await server.loaded()).begin()
        except JsonRpcException as error:
            server.show_error(error)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.change_folders(params.event)

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    async def cancel_progress(params: types.WorkDoneProgressCancelParams) -> None:
        await (await server.loaded()).cancel_progress(params.token)


def _declare_documents(server: LspServer) -> None:
    buffers = server.buffers

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        buffers.opened(document.uri, document.language_id, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        buffers.changed(params.text_document.uri, params.text_document.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        buffers.closed(params.text_document.uri)
        if (dispatcher := server.dispatcher) is not None:
            dispatcher.document_closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        buffers.saved(params.text_document.uri)


def _declare_offers(server: LspServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, _CODE_ACTIONS)
    async def offer_code_actions(params: types.CodeActionParams) -> Sequence[types.CodeAction]:
        offered = code_actions(params, server.roots)
        # Waiting questions belong to a loaded agent, and nothing is loaded to look for questions.
        if (dispatcher := server.dispatcher) is None or not server.connection.profile.is_generic:
            return offered
        generic = await dispatcher.generic.code_actions(params)
        return [*of_requested_kinds(generic, params), *offered]

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, _COMPLETION)
    async def complete(params: types.CompletionParams) -> types.CompletionList | None:
        """Complete in the documents of prompts alone: in the user's own documents editors ask at every word."""
        document = server.buffers.get(params.text_document.uri)
        if document is None or not is_prompt(document):
            return None
        return await (await server.loaded()).complete(document, params.position)

    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, types.InlineCompletionOptions())
    def complete_inline(
        params: types.InlineCompletionParams,
    ) -> Awaitable[types.InlineCompletionList | None] | None:
        """Complete at the cursor. Nothing is loaded for a question: before the agent is loaded there is no answer.

        The version is taken at once: the position is one of this version, and a task may begin after the next change.
        """
        document = server.buffers.get(params.text_document.uri)
        if document is None or (dispatcher := server.dispatcher) is None or is_prompt(document):
            return None
        return dispatcher.complete_inline(document, document.version, params)
