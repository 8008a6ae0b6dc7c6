"""Containment of programs that the daemon keeps running: MCP servers, language servers, tools and plugins in Python.

The owner of a program says what the program needs, and a front end says how programs are contained.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from msgspec import Struct

from placet.project.processes.child import Command

Contain = Callable[[Command], AbstractAsyncContextManager[Command]]
"""Function that yields a command in its contained form. The context stays open until the program has ended.

Entering the context raises PlacetError if the program must not run without a sandbox and no sandbox can be had.
"""


class Program(Struct, frozen=True):
    """Program that is to run in a sandbox, with the needs of the program beside reading."""

    name: str
    """Name of the program for messages, such as `the MCP server notes`."""
    roots: tuple[Path, ...]
    """Folders in which the program may write."""
    write: tuple[str, ...] = ()
    """Further directories in which the program may write, in the grammar of the setting `sandbox.write`."""
    domains: tuple[str, ...] = ()
    """Hosts that the program reaches, in the grammar of the setting `sandbox.domains`."""


ContainProgram = Callable[[Program], Contain]
"""Function that returns the containment of a program by the present settings."""


@asynccontextmanager
async def uncontained(command: Command) -> AsyncGenerator[Command]:
    """Yield the command itself."""
    yield command


def without_sandbox(program: Program) -> Contain:
    """Return no containment: a front end without a sandbox."""
    return uncontained
