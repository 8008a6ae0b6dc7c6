"""Asks to leave the sandbox: the permission `sandbox`, whose patterns are commands and needs. Pure.

A need is `write PATH`, `connect HOST:PORT` or `read FILE: COMMAND`. A grant names the need, and holds in a session or a
project, never for good; a grant of a command holds in the session alone.
"""

from collections.abc import Sequence
from pathlib import Path

from placet.permissions.ask import Ask

SANDBOX = "sandbox"
_WRITE = "write "
_CONNECT = "connect "
_READ = "read "


def write_need(path: Path) -> str:
    """Return the pattern for writing at and below the path."""
    return f"{_WRITE}{path.as_posix()}"


def connect_need(host: str, port: int) -> str:
    return f"{_CONNECT}{host}:{port}"


def read_need(name: str, line: str) -> str:
    """Return the pattern for a command line that reads the hidden file with the name."""
    return f"{_READ}{name}: {line}"


def is_need(pattern: str) -> bool:
    """Return whether the pattern names a need, so that a grant may hold for a project."""
    return pattern.startswith((_WRITE, _CONNECT, _READ))


def is_reading(permission: str, patterns: Sequence[str]) -> bool:
    """Return whether the ask is about hidden files alone: the answer says nothing about writing."""
    return permission == SANDBOX and all(pattern.startswith(_READ) for pattern in patterns)


def is_connection(permission: str, patterns: Sequence[str]) -> bool:
    """Return whether the ask is one of `host_ask`, whose rejection ends no turn."""
    return permission == SANDBOX and all(pattern.startswith(_CONNECT) for pattern in patterns)


def host_ask(host: str, port: int, command: str) -> Ask:
    """Return the ask of a contained command that waits for a connection to a host that no list names."""
    need = connect_need(host, port)
    always = () if set("*?") & set(need) else (need,)
    return Ask(SANDBOX, (need,), always, f"Connect to {host}:{port}", command=command)
