"""Differences between clients: the only place that knows clients' names."""

import logging
from typing import Any, TypeVar, cast, get_args

import msgspec
from msgspec import Struct

from placet.frontends.acp.protocol.requests import ClientCapabilities, ClientInfo, FileSystem

logger = logging.getLogger(__name__)

LearnedFaults = dict[str, bool]
"""Fields of FileFacts that have come to light in the use of a client."""


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

    @property
    def key(self) -> tuple[str, str]:
        """Return the client's name and version."""
        return self.info.name, self.info.version

    @classmethod
    def of(cls, params: Any) -> "Profile":
        """Return the profile for the params of `initialize`; a wrong field counts as left out, and the log says so.

        Of an unknown client the least is assumed.
        """
        given = params if isinstance(params, dict) else {}
        info, capabilities = given.get("clientInfo"), given.get("clientCapabilities")
        return cls(
            _usable(info, ClientInfo, "clientInfo") or ClientInfo(),
            _usable(capabilities, ClientCapabilities, "clientCapabilities") or ClientCapabilities(),
        )


S = TypeVar("S", bound=Struct)


def _usable(value: Any, kind: type[S], where: str) -> S | None:
    """Return the struct of the usable fields; None for a value that is no object."""
    if value is None:
        return None
    if not isinstance(value, dict):
        logger.warning("The client's `%s` is not used: expected an object", where)
        return None
    values = cast("dict[str, Any]", value)
    usable: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        name = field.encode_name
        if name not in values:
            continue
        structs = [choice for choice in get_args(field.type) if isinstance(choice, type) and issubclass(choice, Struct)]
        if structs:
            usable[field.name] = _usable(values[name], structs[0], f"{where}.{name}")
            continue
        try:
            usable[field.name] = msgspec.convert(values[name], field.type)
        except msgspec.ValidationError as error:
            logger.warning("The client's `%s.%s` is not used: %s", where, name, error)
    return kind(**usable)
