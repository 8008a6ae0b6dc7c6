"""Names of a server's tools, and the rules from the servers' settings. Pure."""

import hashlib
import re
from collections.abc import Iterable, Mapping

from placet.permissions.rules import ASKED, DENIED, Rule
from placet.permissions.tool_rules import ALLOWED, EDITING
from placet.settings import McpServerSettings
from placet.tools.framework.define import SEARCH

LONGEST = 64
"""Limit on a tool's name at the large providers."""
RESERVED = frozenset((*ALLOWED, *ASKED, *DENIED, *EDITING, SEARCH))
"""Permissions with another meaning: a tool with such a name would receive grants meant for another purpose."""

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_-]")


def plain(name: str) -> str:
    """Return the name as tools may be named: every other character becomes `_`, as in OpenCode."""
    return _NOT_PLAIN.sub("_", name)


def prefix(server: str) -> str:
    return f"{plain(server)}_"


def tool_id(server: str, tool: str) -> str:
    """Return `server_tool`, the tool's permission as well; a name above the limit ends in a digest of the full name."""
    whole = prefix(server) + plain(tool)
    if len(whole) <= LONGEST:
        return whole
    return f"{whole[: LONGEST - 9]}_{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def why_unusable(id: str, server: str, servers: Iterable[str]) -> str:
    """Return the reason why a server must not have a tool of this name, or an empty text when the name is allowed."""
    if id in RESERVED:
        return "it is the name of a permission"
    longer = (other for other in servers if len(prefix(other)) > len(prefix(server)) and id.startswith(prefix(other)))
    if (other := next(longer, None)) is not None:
        return f"it looks like one of the server {other}"
    return ""


def server_rules(servers: Mapping[str, McpServerSettings]) -> tuple[Rule, ...]:
    """Return the rules from the servers' own settings; of two names that begin alike the longer name decides."""
    return tuple(
        Rule(f"{prefix(name)}*", "*", server.permission, f"the setting mcp.{name}.permission")
        for name, server in sorted(servers.items(), key=lambda item: len(prefix(item[0])))
        if server.permission is not None
    )
