"""Documents in which the user writes a prompt: which they are, and what can be completed in them. Quick to load."""

from typing import Any
from urllib.parse import urlsplit

from placet.frontends.lsp.buffers import OpenBuffer

LANGUAGE_ID = "placet-chat"
SCHEME = "placet"
CAPABILITY: dict[str, Any] = {"triggerCharacters": ["@", "/", "#"], "resolveProvider": False}
"""The server's `completionProvider` (LSP 3.17)."""


def is_prompt(document: OpenBuffer) -> bool:
    """Whether the whole text of the document is a prompt."""
    return document.language_id == LANGUAGE_ID or urlsplit(document.uri).scheme == SCHEME


def session_of(uri: str) -> str | None:
    """The session that a prompt's document names at its end: `placet://prompt/ses_1`."""
    name = urlsplit(uri).path.rpartition("/")[2]
    return name if name.startswith("ses_") else None
