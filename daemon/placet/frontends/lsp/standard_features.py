"""Features of LSP that the server declares: the handshake, documents, folders, code actions, completion, progress.

Editors ask for code actions and completion while the user types, and nothing is loaded for the answer.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from placet.frontends.lsp.connection.prompt_documents import is_prompt
from placet.frontends.lsp.generic.code_actions import code_actions, of_requested_kinds

if TYPE_CHECKING:
    from placet.frontends.lsp.lsp_server import LspServer

_CODE_ACTIONS = types.CodeActionOptions(
    [types.CodeActionKind.QuickFix, types.CodeActionKind.Refactor, types.CodeActionKind.Source]
)
_COMPLETION = types.CompletionOptions(trigger_characters=["@", "/", "#"], resolve_provider=False)


def declare(server: "LspServer") -> None:
    """Declare the features on the server."""
    _declare_life(server)
    _declare_documents(server)
    _declare_offers(server)


def _declare_life(server: "LspServer") -> None:
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


def _declare_documents(server: "LspServer") -> None:
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

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        buffers.saved(params.text_document.uri)


def _declare_offers(server: "LspServer") -> None:
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
