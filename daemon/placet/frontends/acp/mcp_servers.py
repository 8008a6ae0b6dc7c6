"""Settings of the MCP servers that a client hands over with a session."""

from collections.abc import Iterable

from pydantic import ValidationError

from placet.core.visible_text import one_line
from placet.frontends.acp.protocol.requests import McpServer, NamedValue
from placet.settings import McpServerSettings


def server_settings(servers: Iterable[McpServer]) -> tuple[dict[str, McpServerSettings], tuple[str, ...]]:
    """Return the settings of the usable servers by name, and the reasons why the other servers cannot be used.

    The user's own client gave the servers: a program runs as the user's own servers do, and no sign-in is stored.
    """
    usable: dict[str, McpServerSettings] = {}
    problems: list[str] = []
    for server in servers:
        try:
            usable[server.name] = _settings(server)
        except ValidationError as error:
            # The faulty input stays untold: it can hold a secret.
            why = "; ".join(dict.fromkeys(fault["msg"].removeprefix("Value error, ") for fault in error.errors()))
            problems.append(f"Placet cannot use the MCP server {one_line(server.name)} of this client: {why}.")
    return usable, tuple(problems)


def _settings(server: McpServer) -> McpServerSettings:
    """Return the settings of the server. Raises ValidationError."""
    if server.type in (None, "stdio"):
        program = {"command": server.command, "args": server.args or (), "env": _as_mapping(server.env)}
        return McpServerSettings.model_validate({"type": "local", **program})
    address = {"url": server.url, "headers": _as_mapping(server.headers), "oauth": False}
    return McpServerSettings.model_validate({"type": server.type, **address})


def _as_mapping(values: Iterable[NamedValue] | None) -> dict[str, str]:
    return {value.name: value.value for value in values or ()}
