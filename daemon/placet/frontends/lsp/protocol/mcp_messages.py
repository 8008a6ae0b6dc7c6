"""Messages of `agent/mcp`: the configured MCP servers, their states, and the user's actions."""

from typing import Literal

from placet.core.messages import Value
from placet.extensions.mcp.server import State


class ManageMcp(Value):
    """Run an action on an MCP server, and list the configured servers.

    `connect` starts a server (again) and answers after the server has connected or failed; `disconnect` ends a server.
    `auth` signs the user in: the address is opened by `window/showDocument`, or shown by `window/showMessage`, and the
    answer comes after the end of the sign-in. `logout` forgets the sign-in, and the user's values. `input` asks for the
    user's values by `editor/question` without a session, and connects the server; a declined question changes nothing.
    """

    action: Literal["list", "connect", "disconnect", "auth", "input", "logout"] = "list"
    server: str | None = None
    """Name of the server, for every action but `list`."""


class McpServerInfo(Value):
    name: str
    state: State
    """`waiting`: starts with the first session. `needs_input`: starts when the user has given values.
    `disconnected`: ended by the user.
    """
    kind: Literal["local", "remote"]
    problems: tuple[str, ...] = ()
    """Reasons for a missing connection, and problems with parts of the server."""
    tools: tuple[str, ...] = ()
    """Ids of the tools for the model; each id is a permission of its own."""
    prompts: tuple[str, ...] = ()
    """Prompts of the server as command names."""
    resources: int = 0
    """Number of listed resources, templates included."""
    signed_in: bool = False
    takes_input: bool = False
    """The settings of the server refer to values that the user gives."""


class McpList(Value):
    servers: tuple[McpServerInfo, ...]
