"""Differences between clients: the only place that knows clients' names."""

import logging
from typing import Any

import msgspec
from msgspec import Struct

from placet.frontends.acp.protocol.requests import ClientCapabilities, ClientInfo, FileSystem, Initialize

logger = logging.getLogger(__name__)


class FileFacts(Struct, frozen=True):
    """Facts about the client's `fs/*` methods. The facts by name come from the clients' sources."""

    reads: bool = False
    """The client answers `fs/read_text_file`."""
    writes: bool = False
    """The client answers `fs/write_text_file`."""
    reads_disk_only: bool = False
    """The client gives the text of the file, and never the text of a buffer."""
    keeps_review: bool = False
    """The client lists the texts written through the client, for the user to keep or to reject."""
    merges_writes: bool = False
    """The client applies a written text as the difference from the text that the client gave last.

    Any other client replaces the whole buffer.
    """
    mangles_writes: bool = False
    """The client writes another text than asked for: other line ends, encoding, or number of final newlines."""
    writes_disk_only: bool = False
    """The client writes the file, and leaves the unsaved text of a buffer as the text was."""
    writes_may_hang: bool = False
    """The client may never answer a write over unsaved text."""

    @property
    def shows_unsaved(self) -> bool:
        """Return whether the client's text can differ from the disk's."""
        return self.reads and not self.reads_disk_only

    @property
    def takes_writes(self) -> bool:
        """Return whether a text with unsaved changes can be written through the client."""
        return self.writes and not (self.mangles_writes or self.writes_disk_only or self.writes_may_hang)


_FILE_FACTS: dict[str, dict[str, bool]] = {
    "zed": {"keeps_review": True, "merges_writes": True},
    "agent-shell": {"keeps_review": True},
    "codecompanion": {"reads_disk_only": True, "mangles_writes": True},
    "avante": {"writes_may_hang": True},
    "acpx": {"reads_disk_only": True, "writes_disk_only": True},
    "harbor": {"reads_disk_only": True, "writes_disk_only": True},
    "vscode": {"writes_disk_only": True},
}
"""Facts by a part of the client's name, in lower case."""


class Profile(Struct, frozen=True):
    """Facts about the client of one connection, as `initialize` tells them."""

    info: ClientInfo = ClientInfo()
    capabilities: ClientCapabilities = ClientCapabilities()

    @property
    def has_forms(self) -> bool:
        """Return whether the client shows forms; an elicitation capability alone names no kind."""
        elicitation = self.capabilities.elicitation
        return elicitation is not None and elicitation.form is not None

    @property
    def takes_notices(self) -> bool:
        return self.capabilities.session is not None and self.capabilities.session.notices is not None

    @property
    def takes_compactions(self) -> bool:
        return self.capabilities.session is not None and self.capabilities.session.compaction is not None

    @property
    def files(self) -> FileFacts:
        """Return the facts about the client's `fs/*` methods; of an unknown client nothing but the capabilities."""
        name = self.info.name.lower()
        by_name = next((facts for part, facts in _FILE_FACTS.items() if part in name), {})
        methods = self.capabilities.fs or FileSystem()
        return FileFacts(reads=methods.read_text_file, writes=methods.write_text_file, **by_name)

    @classmethod
    def of(cls, params: Any) -> "Profile":
        """Return the profile for the params of `initialize`; a client with wrong params has no capability.

        Of an unknown client the least is assumed.
        """
        try:
            initialize = msgspec.convert(params, Initialize)
        except msgspec.ValidationError as error:
            logger.warning("The client's capabilities are not used: %s", error)
            return cls()
        return cls(initialize.client_info or ClientInfo(), initialize.client_capabilities or ClientCapabilities())
