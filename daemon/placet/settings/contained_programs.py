"""Containment of programs that a project or a plugin sets up: such a source can switch the sandbox on alone. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from placet.core.values import replace
from placet.settings.sources import Source

_NO_PROGRAM = frozenset({"enabled", "permission", "timeoutSeconds", "callTimeoutSeconds"})
"""Settings of an MCP server that change nothing about the program of the server."""


def with_contained_programs(source: Source, below: Mapping[str, Any]) -> tuple[Source, list[str]]:
    """Return the source of a project or a plugin with all its MCP servers in the sandbox, and the problems.

    The source cannot take programs out of the sandbox: such a setting is left out, and is a problem. A server that the
    weaker sources in `below` have with the same program keeps the sandbox of these sources.
    """
    values, problems = dict(source.values), list[str]()
    for name in ("languages", "plugins"):
        section = values.get(name)
        if isinstance(section, Mapping) and cast("Mapping[str, Any]", section).get("sandbox", True) is not True:
            values[name] = {key: value for key, value in cast("Mapping[str, Any]", section).items() if key != "sandbox"}
            problems.append(_problem(source, (name, "sandbox")))
    servers = values.get("mcp")
    if isinstance(servers, Mapping):
        known = below.get("mcp")
        known = cast("Mapping[str, Any]", known) if isinstance(known, Mapping) else {}
        values["mcp"] = dict(_contained(source, cast("Mapping[str, Any]", servers), known, problems))
    return replace(source, values=values), problems


def _contained(
    source: Source, servers: Mapping[str, Any], known: Mapping[str, Any], problems: list[str]
) -> Iterator[tuple[str, Any]]:
    for name, server in servers.items():
        written = cast("Mapping[str, Any]", server) if isinstance(server, Mapping) else {}
        if "url" in written or _NO_PROGRAM.issuperset(written):
            yield name, server
            continue
        if written.get("sandbox", True) is not True:
            problems.append(_problem(source, ("mcp", name, "sandbox")))
        if _has_program(known.get(name), written):
            yield name, {key: value for key, value in written.items() if key != "sandbox"}
        else:
            yield name, {**written, "sandbox": True}


def _has_program(known: object, written: Mapping[str, Any]) -> bool:
    """Return whether the server changes nothing about the program of a known server."""
    if not isinstance(known, Mapping):
        return False
    server = cast("Mapping[str, Any]", known)
    return all(server.get(key) == value for key, value in written.items() if key not in (*_NO_PROGRAM, "sandbox"))


def _problem(source: Source, path: tuple[str, ...]) -> str:
    setting = ".".join(path)
    return f"{source.place(path)}: setting `{setting}`: only your own settings can open the sandbox of a program"
