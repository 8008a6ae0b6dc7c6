"""`@server:uri` in a prompt: a resource that the user points at, read and shown to the model."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from placet.errors import ToolError
from placet.extensions.mcp.offered import OfferedResource
from placet.extensions.mcp.resources import READ
from placet.extensions.mcp.results import read_content
from placet.extensions.mcp.server import Server
from placet.messages import Part, TextPart
from placet.project.executor import in_thread

CONNECT_SECONDS = 5.0
"""What a server that is just being started has to be there, once the user points at something of it."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")
"""RFC 3986: what a URI begins with."""


@dataclass(frozen=True, slots=True)
class MentionedResource:
    server: Server
    uri: str

    @property
    def name(self) -> str:
        return f"{self.server.name}:{self.uri}"

    @property
    def permission(self) -> str:
        """Under which a model would read it; the pattern is its name."""
        return READ

    @property
    def is_offered(self) -> bool:
        return any(self.uri == one.uri for one in self.server.offered.resources)

    async def parts(self, output_directory: Path) -> tuple[Part, ...]:
        """As the model is shown it, or why it cannot be."""
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
        said = f"The user attached {self.name}, a resource of an MCP server:\n{content.text or '(no text)'}"
        return TextPart(text=said, synthetic=True), *content.attachments


class MentionedResources:
    """Those that prompts may point at."""

    def __init__(self, servers: Callable[[], Sequence[Server]], output_directory: Path) -> None:
        """`output_directory`: where what is no text is kept."""
        self._servers = servers
        self.output_directory = output_directory

    def find(self, names: Sequence[str]) -> MentionedResource | None:
        """What is meant by a mention that can be read as each of these names, the most literal first.

        One that the server lists is preferred; else the shortest, as it is without what ends the sentence.
        """
        found = [one for name in names if (one := self._read(name)) is not None]
        return next((one for one in found if one.is_offered), found[-1] if found else None)

    def offered(self) -> Iterator[tuple[str, OfferedResource]]:
        """What there is, each with the name it is mentioned by; templates are for who knows what to put into them."""
        for server in self._servers():
            for one in server.offered.resources:
                if not one.is_template:
                    yield f"{server.name}:{one.uri}", one

    def _read(self, name: str) -> MentionedResource | None:
        servers = sorted(self._servers(), key=lambda one: -len(one.name))
        for server in servers:
            uri = name.removeprefix(f"{server.name}:")
            if uri != name and _SCHEME.match(uri):
                return MentionedResource(server, uri)
        return None
