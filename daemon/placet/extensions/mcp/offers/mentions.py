"""Mentions `@server:uri` in a prompt: Placet reads the resource and shows the content to the model."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.messages import Part, TextPart
from placet.extensions.mcp.catalog import OfferedResource
from placet.extensions.mcp.offers.resources import READ
from placet.extensions.mcp.offers.results import read_content
from placet.extensions.mcp.server import Server

CONNECT_SECONDS = 5.0
"""Time that a starting server has to connect, once the user mentions a resource of the server."""

_VARIABLE = re.compile(r"\{(\w+)\}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")
"""Pattern for the beginning of a URI (RFC 3986)."""


@dataclass(frozen=True, slots=True)
class MentionedResource:
    server: Server
    uri: str

    @property
    def name(self) -> str:
        return f"{self.server.name}:{self.uri}"

    @property
    def permission(self) -> str:
        """Permission under which a model would read the resource; the pattern is the resource's name."""
        return READ

    @property
    def is_offered(self) -> bool:
        return any(self.uri == resource.uri for resource in self.server.offered.resources)

    async def parts(self, output_directory: Path) -> tuple[Part, ...]:
        """Return the content for the model, or a text with the reason why the resource cannot be read."""
        if self.server.state in ("waiting", "connecting"):
            with suppress(TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    await self.server.tried()
        try:
            if self.server.state in ("waiting", "connecting"):
                raise ToolError(f"the MCP server {self.server.name} is not connected yet.")
            content = await in_thread(read_content, await self.server.read(self.uri), output_directory)
        except (ToolError, OSError) as error:
            return (TextPart(text=f"The user attached {self.name}, but it cannot be read: {error}", synthetic=True),)
        text = f"The user attached {self.name}, a resource of an MCP server:\n{content.text or '(no text)'}"
        return TextPart(text=text, synthetic=True), *content.attachments


@dataclass(frozen=True, slots=True)
class UnfinishedTemplate:
    """Template of resources, of which the user has written the URI up to a place within a variable."""

    server: Server
    resource: OfferedResource
    variable: str
    begun: str
    """Beginning of the variable's value."""
    before: str
    """URI before the variable."""
    after: str
    """Literal text of the template behind the variable."""
    known: dict[str, str]
    """Values of the variables before."""

    async def names(self) -> list[str]:
        """Return the names for mentions that the server's values give. Raises ToolError."""
        values = await self.server.values(self.resource, self.variable, self.begun, self.known)
        uris = [f"{self.before}{quote(value, safe='')}{self.after}" for value in values if value]
        return [f"{self.server.name}:{uri}" for uri in uris]


def unfinished_template(server: Server, resource: OfferedResource, uri: str) -> UnfinishedTemplate | None:
    """Return the variable at the end of the URI, or None if the template does not fit.

    Only plain variables `{name}` are known, of all forms of RFC 6570.
    """
    literals_and_names = _VARIABLE.split(resource.uri)
    at, known = 0, dict[str, str]()
    for literal, name, after in zip(
        literals_and_names[::2], literals_and_names[1::2], literals_and_names[2::2], strict=False
    ):
        if not uri.startswith(literal, at):
            return None
        at += len(literal)
        end = uri.find(after, at) if after else -1
        if end < 0:
            return UnfinishedTemplate(server, resource, name, unquote(uri[at:]), uri[:at], after, known)
        known[name], at = unquote(uri[at:end]), end
    return None


class MentionedResources:
    """Resources for mentions in prompts."""

    def __init__(self, servers: Callable[[], Sequence[Server]], output_directory: Path) -> None:
        """Set up the mentions; `output_directory` receives content other than text."""
        self._servers = servers
        self.output_directory = output_directory

    def find(self, names: Sequence[str]) -> MentionedResource | None:
        """Return the resource for a mention that can be read as each of these names, the most literal first, or None.

        A resource in the server's list is preferred; else the shortest name wins, as the shortest name lacks the end of
        the sentence.
        """
        candidates = [resource for name in names if (resource := self._read(name)) is not None]
        return next((server for server in candidates if server.is_offered), candidates[-1] if candidates else None)

    def offered(self) -> Iterator[tuple[str, OfferedResource]]:
        """Yield every resource with its name for mentions; templates are left out, as templates need values."""
        for server in self._servers():
            for resource in server.offered.resources:
                if not resource.is_template:
                    yield f"{server.name}:{resource.uri}", resource

    def templates(self, written: str) -> list[UnfinishedTemplate]:
        """Return the templates that begin as written, each with the variable that is being written."""
        found: list[UnfinishedTemplate] = []
        for server in self._servers():
            uri = written.removeprefix(f"{server.name}:")
            if uri != written:
                found += (
                    unfinished
                    for resource in server.offered.resources
                    if resource.is_template and (unfinished := unfinished_template(server, resource, uri)) is not None
                )
        return found

    def _read(self, name: str) -> MentionedResource | None:
        servers = sorted(self._servers(), key=lambda server: -len(server.name))
        for server in servers:
            uri = name.removeprefix(f"{server.name}:")
            if uri != name and _SCHEME.match(uri):
                return MentionedResource(server, uri)
        return None
