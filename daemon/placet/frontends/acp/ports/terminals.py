"""The Terminals port through the client: `terminal/create` to `terminal/release`.

Every terminal that the client opens is released, also when the call is cancelled before the client has answered.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, BinaryIO, TypeVar

from placet.core.errors import ToolError
from placet.core.terminals import TerminalCommand, TerminalEnding
from placet.frontends.acp.client_session import ClientSession
from placet.frontends.acp.connection.client import Client, ClientGone, ClientRefused
from placet.frontends.acp.ports.client_terminal import ClientTerminal, created_terminal
from placet.frontends.acp.updates.tool_calls import call_id

logger = logging.getLogger(__name__)

CREATE_SECONDS = 10.0
"""Time after which the client is taken not to open the terminal; a terminal opened later is released."""
END_SECONDS = 3.0
"""Time for the exit of a killed command."""

T = TypeVar("T")


class AcpTerminals:
    """placet.core.terminals.Terminals of one workspace."""

    def __init__(
        self, client: Client, session_of: Callable[[str], ClientSession | None], *, has_terminals: bool
    ) -> None:
        """Make the terminals; `session_of` returns the client's session for a session or a subagent of that session."""
        self._client = client
        self._session_of = session_of
        self._has_terminals = has_terminals
        self._is_reported = False
        self._tasks: set[asyncio.Task[Any]] = set()
        """Requests and releases that may outlive their call."""

    def offer(self, session_id: str) -> bool:
        """Return whether the client has terminals for the session; a client without terminals is logged once."""
        if not self._has_terminals and not self._is_reported:
            self._is_reported = True
            logger.warning(
                "The setting acp.commandsInTerminal has no effect: the client has no terminals, and commands run in "
                "Placet's own runner"
            )
        return self._has_terminals and self._session_of(session_id) is not None

    async def run(
        self, command: TerminalCommand, output: BinaryIO, *, timeout_seconds: float, abort: asyncio.Event
    ) -> TerminalEnding:
        """Run the command, as the port says. Cancelling waits for the end of the command, at most for a few seconds."""
        stop = asyncio.create_task(abort.wait())
        running = self._own(self._run(command, output, timeout_seconds, stop))
        try:
            return await asyncio.shield(running)
        except ClientGone as error:
            raise ToolError("The client is gone, and nobody knows how the command has ended.") from error
        finally:
            stop.cancel()  # For `running` an end like an abort.
            await asyncio.wait({running})

    async def close(self) -> None:
        """Wait for all releases; the connection is lost, so that nothing waits for the client."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(
        self, command: TerminalCommand, output: BinaryIO, timeout_seconds: float, stop: asyncio.Task[Any]
    ) -> TerminalEnding:
        session = self._session_of(command.session_id)
        if session is None:
            raise ToolError("The client has closed the session, and the command did not run.")
        creating = self._own(created_terminal(self._client, session.id, command))
        await asyncio.wait({creating, stop}, timeout=CREATE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if stop.done() or not creating.done():
            self._own(_release_when_created(creating))
            if stop.done():
                return TerminalEnding("abort", None)
            raise ToolError(
                f"The client has not opened a terminal within {CREATE_SECONDS:.0f} seconds. Nobody knows whether the "
                "command has run: look at its effects before you run it again."
            )
        try:
            terminal = creating.result()
        except ClientRefused as error:
            raise ToolError(
                f"The client did not run the command in its terminal: {error}. The user can let Placet run commands: "
                "the setting `acp.commandsInTerminal`."
            ) from error
        try:
            key = call_id(command.message_id, command.call_id)
            for update in session.conversation.in_terminal(key, terminal.id):
                session.show(update)
            return await self._ended(terminal, output, timeout_seconds, stop)
        finally:
            await terminal.release()

    async def _ended(
        self, terminal: ClientTerminal, output: BinaryIO, timeout_seconds: float, stop: asyncio.Task[Any]
    ) -> TerminalEnding:
        """Wait for the exit, or kill the command; write the output, and return the ending."""
        exiting = self._own(terminal.exit())
        try:
            await asyncio.wait({exiting, stop}, timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED)
            reason = "exit" if exiting.done() else "abort" if stop.done() else "timeout"
            code, notes = None, list[str]()
            if reason != "exit":
                await terminal.kill()
                await asyncio.wait({exiting}, timeout=END_SECONDS)
            else:
                try:
                    code, notes = exiting.result()
                except ClientRefused as error:
                    notes = [f"The client could not tell the end of the command ({error}), and was told to kill it."]
                    await terminal.kill()
            text, missing = await terminal.output()
            output.write(text.encode("utf-8", "replace"))
            return TerminalEnding(reason, code, (*notes, *missing))
        finally:
            exiting.cancel()

    def _own(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # The call that waited has taken the error, or has ended before.


async def _release_when_created(creating: asyncio.Task[ClientTerminal]) -> None:
    """Release the terminal of a call that has ended, whenever the client answers."""
    with suppress(ClientRefused, ClientGone, ToolError):
        terminal = await creating
        logger.info("The client has opened the terminal %s too late: it is released", terminal.id)
        await terminal.kill()
        await terminal.release()
