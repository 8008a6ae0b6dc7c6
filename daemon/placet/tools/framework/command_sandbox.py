"""Sandbox of a session's commands, as tools see the sandbox; sessions/services/sandboxes.py has the real sandbox."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from placet.core.errors import SandboxFailed
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending
from placet.sandbox.containment import CommandSandbox, Containment, Overlay

AskHost = Callable[[str, int], Awaitable[bool]]
"""Function that asks the user whether a command may connect to (host, port)."""


class ContainedRun(Protocol):
    """Command inside the sandbox."""

    @property
    def command(self) -> Command:
        """Return the program to run in place of the command."""
        ...

    @property
    def hosts(self) -> Sequence[str]:
        """Return the hosts to which the command was allowed to connect so far, with the ports."""
        ...

    def judged(self, ending: Ending, output_tail: str) -> Ending:
        """Return the ending of the command itself. Raises SandboxFailed if the command did not run."""
        ...

    def notes(self, output_tail: str) -> list[str]:
        """Return sentences for the model about the refusals of the sandbox; known after the block."""
        ...


class SessionSandbox(Protocol):
    """Sandbox for the commands of one agent in a session."""

    async def offer(self) -> CommandSandbox | None:
        """Return the sandbox of commands, or None where commands run with the user's rights.

        Raises SandboxFailed if the settings require a sandbox, and none works here.
        """
        ...

    def contained(
        self, command: Command, containment: Containment, *, overlays: Sequence[Overlay], ask_host: AskHost
    ) -> AbstractAsyncContextManager[ContainedRun]:
        """Return a context to hold while the command runs. Raises SandboxFailed."""
        ...


class NoSandbox:
    """Absence of a sandbox, for contexts without a session."""

    async def offer(self) -> CommandSandbox | None:
        return None

    def contained(
        self, command: Command, containment: Containment, *, overlays: Sequence[Overlay], ask_host: AskHost
    ) -> AbstractAsyncContextManager[ContainedRun]:
        raise SandboxFailed("No sandbox is here, and the command did not run.")
