"""Dispatch of one editor's messages to the handlers of the agent's methods, and to the commands of a generic editor.

The module is loaded only after the editor has its answer to `initialize`.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from placet.core.errors import PlacetError
from placet.frontends.lsp.connection.buffers import OpenBuffer
from placet.frontends.lsp.generic.editor import GenericEditor
from placet.frontends.lsp.handlers.define import HandlerContext
from placet.frontends.lsp.handlers.prompts import cancel_turn
from placet.frontends.lsp.handlers.table import HANDLERS
from placet.frontends.lsp.ports.presenter import Presenter
from placet.frontends.lsp.ports.progress import session_of_token
from placet.frontends.lsp.protocol.rpc_errors import request_failed, validated


class Dispatcher:
    """Dispatcher of one editor's messages, made when the agent is opened for the editor and closed with the editor."""

    def __init__(
        self,
        context: HandlerContext,
        presenter: Presenter,
        generic: GenericEditor,
        *,
        leave: Callable[[], Awaitable[None]],
        open_folders: Callable[[tuple[Path, ...]], Awaitable[None]],
    ) -> None:
        self.open_folders = open_folders
        """Function called with the folders of the editor's window when the folders have changed."""
        self.generic = generic
        """Commands of an editor without our plugin."""
        self._context = context
        self._presenter = presenter
        self._leave = leave

    def begin(self) -> None:
        """Start slow preparations, as the editor has said `initialized`. Returns without waiting."""
        self._context.sessions.extensions.mcp.begin()
        self._context.inline_completion.begin()

    async def serve(self, method: str, raw: Any) -> Any:
        """Return the result of a request as plain JSON. Raises JsonRpcException."""
        handler = HANDLERS[method]
        params = validated(handler.message.params, raw)
        try:
            result = await handler.run(self._context, params)
        except PlacetError as error:
            raise request_failed(error.with_hint) from error
        # The session's events are sent before the answer.
        self._presenter.flush()
        return None if result is None else result.dump()

    async def notified(self, method: str, raw: Any) -> None:
        """Take a notification. Raises JsonRpcException, though no client gets the error."""
        handler = HANDLERS[method]
        await handler.run(self._context, validated(handler.message.params, raw))

    async def cancel_progress(self, token: types.ProgressToken) -> None:
        """Stop the turn whose progress the user has cancelled, if the progress is Placet's. Raises JsonRpcException."""
        if (session_id := session_of_token(token)) is not None:
            await cancel_turn(self._context, session_id)

    async def complete(self, document: OpenBuffer, position: types.Position) -> types.CompletionList:
        """Return the answer to `textDocument/completion` in a prompt's document. Raises JsonRpcException."""
        from placet.frontends.lsp.handlers.completion import complete_document

        return await complete_document(self._context, document, position)

    def document_closed(self, uri: str) -> None:
        """Forget what was kept for an open document."""
        self._context.inline_completion.forget(uri)

    async def complete_inline(
        self, document: OpenBuffer, version: int, params: types.InlineCompletionParams
    ) -> types.InlineCompletionList | None:
        """Return the answer to `textDocument/inlineCompletion`, asked at this version of the document."""
        return await self._context.inline_completion.complete(document, version, params)

    async def close(self) -> None:
        """Leave the sessions; the sessions' last messages are still sent."""
        self._context.approver.disconnected()
        await self._context.inline_completion.close()
        await self._leave()
        await self.generic.close()
        await self._presenter.close()
