"""`agent/mcp`: the MCP servers that are set up, how each is, and what the user does with them."""

from typing import Literal

from placet.core.messages import Value
from placet.extensions.mcp.server import State


class ManageMcp(Value):
    """The MCP servers that are set up, after doing something with one of them.

    `connect` starts a server (again) and answers once it is there or has failed, `disconnect` ends it. `auth` has the
    user sign in: the address is opened by `window/showDocument`, or told by `window/showMessage`, and the answer comes
    when that is over. `logout` forgets the sign-in.
    """

    action: Literal["list", "connect", "disconnect", "auth", "logout"] = "list"
    server: str | None = None
    """Its name, for all but `list`."""


class McpServerInfo(Value):
    name: str
    state: State
    """`waiting`: it starts with the first session. `disconnected`: by the user."""
    kind: Literal["local", "remote"]
    problems: tuple[str, ...] = ()
    """Why it is not connected, and what of it cannot be used."""
    tools: tuple[str, ...] = ()
    """As the model has them; each is its own permission."""
    prompts: tuple[str, ...] = ()
    """As commands."""
    resources: int = 0
    """How many it lists, templates included."""
    signed_in: bool = False


class McpList(Value):
    servers: tuple[McpServerInfo, ...]
