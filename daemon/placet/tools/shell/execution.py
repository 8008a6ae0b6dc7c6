"""Run of a permitted command line, inside or outside of the sandbox."""

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Literal

from msgspec import Struct, field

from placet.core.errors import NobodyToAsk, PermissionDenied, Rejected
from placet.core.executor import in_thread
from placet.core.terminals import TerminalCommand, Terminals
from placet.core.values import replace
from placet.permissions.leaving import SANDBOX, connect_need
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending, nothing_to_show, run_command
from placet.project.undecodable_names import spelled
from placet.sandbox.containment import Overlay, opened
from placet.tools.framework.context import ToolContext
from placet.tools.shell.permission import CommandPermit, ask_for_host
from placet.tools.shell.program import terminal_environment
from placet.tools.shell.terminal_text import plain

ANY_HOST = "any host"
"""Name for the hosts of a command with the whole network of the machine."""
MOST_HIDDEN_NAMES = 5
"""Number of hidden files that are named to the model."""
TAIL_BYTES = 64 * 1024
"""Size of the end of the output in which refusals by the sandbox are looked for."""


class Execution(Struct, frozen=True):
    """Permitted command line of a tool call, ready to run."""

    context: ToolContext
    line: str
    command: Command
    permit: CommandPermit
    only_reads: bool = False
    """Whether the line is known to write nowhere."""
    is_job: bool = False
    """Whether the line runs in the background, beyond the end of the call."""
    hosts: list[str] = field(default_factory=list[str])
    """Hosts to which the line was allowed to connect; complete after the run."""

    @property
    def place(self) -> Literal["inside", "outside"] | None:
        """Return the command's place for the screen; None where no sandbox is."""
        if self.context.commands.sandbox is None:
            return None
        return "inside" if self.permit.is_contained else "outside"

    @property
    def unreadable(self) -> tuple[Path, ...]:
        """Return the places that the sandbox hides; none without a sandbox."""
        sandbox = self.context.commands.sandbox
        return () if sandbox is None else (*sandbox.containment.unreadable, *self._hidden)

    @property
    def _hidden(self) -> list[Path]:
        """Return the files that rules for `read` hide from the command."""
        sandbox = self.context.commands.sandbox
        return [] if sandbox is None else [file for file in sandbox.hidden if file not in self.permit.shown]

    def is_overlaid(self, staged: Sequence[Path]) -> bool:
        """Return whether the command runs under overlays: so that changes by the command are only proposed, or so that
        a reading command sees the staged files.
        """
        sandbox = self.context.commands.sandbox
        if sandbox is None or not sandbox.proposes or self.is_job or not self.permit.is_contained:
            return False
        return self.permit.proposes or (self.only_reads and bool(staged))

    async def run(
        self,
        output: Path,
        *,
        timeout_seconds: float,
        abort: asyncio.Event,
        max_output_bytes: int,
        on_output: Callable[[], None] = nothing_to_show,
        overlays: Sequence[Overlay] = (),
    ) -> tuple[Ending, list[str]]:
        """Run the command with the output into the file; return the ending and sentences about the sandbox.

        Raises OSError when the command cannot start, SandboxFailed when the sandbox cannot.
        """
        if self.context.commands.terminals is not None:
            return await self._run_in_terminal(self.context.commands.terminals, output, timeout_seconds, abort)

        async def run(command: Command, file: BinaryIO) -> Ending:
            return await run_command(
                command,
                file,
                timeout_seconds=timeout_seconds,
                abort=abort,
                max_output_bytes=max_output_bytes,
                on_output=on_output,
            )

        with output.open("ab", buffering=0) as file:
            sandbox = self.context.commands.sandbox
            if sandbox is None or not self.permit.is_contained:
                return await run(self.command, file), []
            containment = opened(sandbox.containment, self.permit.lifted)
            containment = replace(
                containment,
                writable=(*containment.writable, *self.permit.writable),
                readable=(*containment.readable, *self.permit.shown),
            )
            async with self.context.commands.session_sandbox.contained(
                self.command, containment, overlays=overlays, ask_host=self._ask_host
            ) as contained:
                try:
                    ending = await run(contained.command, file)
                finally:
                    self.hosts.extend([ANY_HOST] if containment.network == "allow" else contained.hosts)
                tail = await in_thread(_tail, output)
                ending = contained.judged(ending, tail)
            return ending, contained.notes(tail) + await in_thread(self._notes_on_hidden, ending, tail)

    def _notes_on_hidden(self, ending: Ending, tail: str) -> list[str]:
        """Return how the model asks for a hidden file, if the command may have failed for the lack of the file.

        Frameworks pass over a file that they cannot read, so a failure need not name the file. Looks at the disk.
        """
        workspace = self.context.workspace
        names = [spelled(workspace.relative_of_real(file)) for file in self._hidden]
        names = [name for name in names if self.context.judge("read", name) != "deny"]
        has_failed = ending.reason != "exit" or ending.code != 0
        if not names or not (has_failed or any(name.rpartition("/")[2] in tail for name in names)):
            return []
        named = ", ".join(names[:MOST_HIDDEN_NAMES]) + (", …" if len(names) > MOST_HIDDEN_NAMES else "")
        return [
            f"Hidden from the command, as the user is asked before such a file is read: {named}. Only if the command "
            f"needs one, run the same command with `files`, for example `files: {json.dumps(names[:1])}`."
        ]

    async def _run_in_terminal(
        self, terminals: Terminals, output: Path, timeout_seconds: float, abort: asyncio.Event
    ) -> tuple[Ending, list[str]]:
        """Run the command in a terminal of the client, as `run` does. Raises ToolError."""
        context, command = self.context, self.command
        begun = TerminalCommand(
            session_id=context.caller.session_id,
            message_id=context.caller.message_id,
            call_id=context.caller.call_id,
            arguments=command.arguments,
            directory=command.directory,
            environment=terminal_environment(command.environment),
        )
        with output.open("ab", buffering=0) as file:
            ending = await terminals.run(begun, file, timeout_seconds=timeout_seconds, abort=abort)
        return Ending(ending.reason, ending.code), list(ending.notes)

    async def _ask_host(self, host: str, port: int) -> bool:
        """Return whether the user allows the connection. Raises PermissionDenied and NobodyToAsk, with a reason for
        the result of the command.
        """
        try:
            await ask_for_host(self.context, host, port, self.line)
        except Rejected:
            return False
        except PermissionDenied as error:
            raise PermissionDenied(f"a rule for `{SANDBOX}` denies this connection") from error
        except NobodyToAsk as error:
            raise NobodyToAsk(
                "nobody could be asked about this connection; the user can allow the host with "
                f"`--allow '{SANDBOX}:{connect_need(host, port)}'`"
            ) from error
        return True


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - TAIL_BYTES))
        return plain(file.read().decode("utf-8", "replace"))
