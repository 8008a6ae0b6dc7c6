"""Documents in which the user writes a prompt: how to know such documents. Quick to load."""

from urllib.parse import urlsplit

from placet.frontends.lsp.connection.buffers import OpenBuffer

LANGUAGE_ID = "placet-chat"
SCHEME = "placet"


def is_prompt(document: OpenBuffer) -> bool:
    """Return whether the whole text of the document is a prompt."""
    return document.language_id == LANGUAGE_ID or urlsplit(document.uri).scheme == SCHEME


def session_of(uri: str) -> str | None:
    """Return the session named at the end of a prompt document's URI: `placet://prompt/ses_1`."""
    name = urlsplit(uri).path.rpartition("/")[2]
    return name if name.startswith("ses_") else None
