"""The port to terminals of the client, in which commands run if the user's settings say so."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from msgspec import Struct


class TerminalCommand(Struct, frozen=True):
    """Permitted command of a tool call, for a terminal of the client."""

    session_id: str
    message_id: str
    call_id: str
    arguments: Sequence[str]
    """Program and arguments, as without the client's terminal."""
    directory: Path
    environment: Mapping[str, str]
    """Variables over the client's own environment; no secret is among the variables."""


class TerminalEnding(Struct, frozen=True):
    """Ending of a command in a terminal of the client."""

    reason: Literal["exit", "timeout", "abort"]
    code: int | None
    """Exit code if the reason is `exit`, negative for the number of a signal; None: the client told none."""
    notes: tuple[str, ...] = ()
    """Sentences for the model about the missing parts of output and ending."""


class Terminals(Protocol):
    """Port to the client's terminals. No sandbox holds a command there, and a stop ends what the client ends."""

    def offer(self, session_id: str) -> bool:
        """Return whether commands of the session can run in a terminal of the client; say in the log why not."""
        ...

    async def run(
        self, command: TerminalCommand, output: BinaryIO, *, timeout_seconds: float, abort: asyncio.Event
    ) -> TerminalEnding:
        """Run the command until exit with the output into the file, and release the terminal in every case.

        On the time limit, on `abort`, and when cancelled, the client is told to kill the command. Raises ToolError if
        the client does not run the command.
        """
        ...
