"""Pages of the web for the user: opened in the browser by the editor, or named in a message."""

import logging

from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError

logger = logging.getLogger(__name__)

_INFO = 3
"""LSP's MessageType.Info."""
SHOW_SECONDS = 10.0


async def show_page(client: EditorClient, address: str, purpose: str) -> None:
    """Open the address in the browser, if the editor can open the browser; else show the address in a message.

    `purpose` begins the message, for example `to sign in to openai`.
    """
    if client.profile.shows_documents:
        try:
            params = {"uri": address, "external": True}
            shown = await client.request("window/showDocument", params, timeout_seconds=SHOW_SECONDS)
            if isinstance(shown, dict) and shown.get("success") is True:
                return
        except (EditorError, TimeoutError) as error:
            logger.info("The editor does not open the page %s: %s", purpose, error)
    client.notify("window/showMessage", {"type": _INFO, "message": f"Placet: {purpose}, open {address}"})
