"""What a server's tools are called, and the rules that its settings make for them. Pure."""

import hashlib
import re
from collections.abc import Iterable, Mapping

from placet.permissions.rules import ALLOWED, ASKED, DENIED, EDITING, Rule
from placet.settings import McpServerSettings

LONGEST = 64
"""Of a tool's name, at the large providers."""
RESERVED = frozenset((*ALLOWED, *ASKED, *DENIED, *EDITING))
"""Permissions that mean something else: a tool of such a name would be granted what is not its own."""

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_-]")


def plain(name: str) -> str:
    """As names of tools may be written: every other character becomes `_`, as in OpenCode."""
    return _NOT_PLAIN.sub("_", name)


def prefix(server: str) -> str:
    return f"{plain(server)}_"


def tool_id(server: str, tool: str) -> str:
    """`server_tool`, which is its permission as well; one that is too long ends in a digest of it."""
    whole = prefix(server) + plain(tool)
    if len(whole) <= LONGEST:
        return whole
    return f"{whole[: LONGEST - 9]}_{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def why_unusable(id: str, server: str, servers: Iterable[str]) -> str:
    """Why a server must not have a tool of this name; empty when it may."""
    if id in RESERVED:
        return "it is the name of a permission"
    longer = (one for one in servers if len(prefix(one)) > len(prefix(server)) and id.startswith(prefix(one)))
    if (other := next(longer, None)) is not None:
        return f"it looks like one of the server {other}"
    return ""


def server_rules(servers: Mapping[str, McpServerSettings]) -> tuple[Rule, ...]:
    """What the servers' own settings say of their tools; of two whose names begin alike the longer decides."""
    return tuple(
        Rule(f"{prefix(name)}*", "*", server.permission, f"the setting mcp.{name}.permission")
        for name, server in sorted(servers.items(), key=lambda item: len(prefix(item[0])))
        if server.permission is not None
    )
