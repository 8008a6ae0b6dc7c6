"""Messages and documents that the editor shows the user: LSP's `window/*`."""

import logging

from lsprotocol import types

from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError

logger = logging.getLogger(__name__)

SHOW_SECONDS = 10.0


def show_message(client: EditorClient, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
    """Show the user a message that needs no answer."""
    client.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(kind, text))


async def show_document(
    client: EditorClient, uri: str, *, external: bool = False, take_focus: bool | None = None
) -> bool:
    """Return whether the editor has shown the document: in the browser if `external`. Raises EditorGone."""
    if not client.profile.shows_documents:
        return False
    params = types.ShowDocumentParams(uri, external, take_focus)
    try:
        shown = await client.request(types.WINDOW_SHOW_DOCUMENT, params, timeout_seconds=SHOW_SECONDS)
    except (EditorError, TimeoutError) as error:
        logger.info("The editor does not show a document: %s", error or "no answer in time")
        return False
    return shown.success
