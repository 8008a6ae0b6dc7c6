"""Pages of the web for the user: opened in the browser by the editor, or named in a message."""

from placet.frontends.lsp.connection.editor_client import EditorClient
from placet.frontends.lsp.connection.showing import show_document, show_message


async def show_page(client: EditorClient, address: str, purpose: str) -> None:
    """Open the address in the browser, if the editor can open the browser; else show the address in a message.

    `purpose` begins the message, for example `to sign in to openai`.
    """
    if not await show_document(client, address, external=True):
        show_message(client, f"Placet: {purpose}, open {address}")
