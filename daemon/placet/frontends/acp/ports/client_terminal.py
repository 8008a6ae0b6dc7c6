"""A terminal of the client with a begun command, and the client's answers about the command."""

import logging
import signal as signals
from typing import Any, cast

from placet.core.errors import ToolError
from placet.core.terminals import TerminalCommand
from placet.core.visible_text import one_line
from placet.frontends.acp.connection.client import Client, ClientGone, ClientRefused

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 5.0
"""Time after which the client is taken not to answer; a command's end alone is waited for without limit."""
OUTPUT_BYTES = 1024 * 1024
"""Size of the end of the output that the client keeps."""


class ClientTerminal:
    """Terminal of the client, from `terminal/create` until the release."""

    def __init__(self, client: Client, session_id: str, terminal_id: str) -> None:
        self.id = terminal_id
        self._client = client
        self._params = {"sessionId": session_id, "terminalId": terminal_id}

    async def exit(self) -> tuple[int | None, list[str]]:
        """Wait for the exit; return the exit code, negative for a signal, and sentences for the model.

        Raises ClientRefused and ClientGone.
        """
        return _exit(await self._client.request("terminal/wait_for_exit", self._params, None))

    async def kill(self) -> None:
        """Tell the client to end the command. A failure is logged: the release ends the command too."""
        await self._asked("terminal/kill")

    async def output(self) -> tuple[str, list[str]]:
        """Return the output that the client has kept, and sentences for the model about missing output."""
        result = await self._asked("terminal/output")
        fields = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
        if not isinstance(text := fields.get("output"), str):
            return "", ["The client gave no output of the command."]
        is_cut = fields.get("truncated") is True
        return text, ["The beginning of the output is missing: the client kept only the end."] if is_cut else []

    async def release(self) -> None:
        """Give the terminal back to the client, which ends whatever still runs there.

        A client whose input is closed may still read, so a lost connection gets the request as well.
        """
        try:
            await self._client.request("terminal/release", self._params, ANSWER_SECONDS)
        except ClientGone:
            self._client.post("terminal/release", self._params)
        except (ClientRefused, TimeoutError) as error:
            logger.warning("The client did not release the terminal %s: %s", self.id, error or "no answer")

    async def _asked(self, method: str) -> object:
        """Return the client's result; None without a result in time, for which the log has the reason."""
        try:
            return await self._client.request(method, self._params, ANSWER_SECONDS)
        except (ClientRefused, ClientGone, TimeoutError) as error:
            logger.warning("%s of the terminal %s failed: %s", method, self.id, error or "no answer")
            return None


async def created_terminal(client: Client, session_id: str, command: TerminalCommand) -> ClientTerminal:
    """Let the client open a terminal and begin the command. Raises ClientRefused, ClientGone and ToolError."""
    program, *arguments = command.arguments
    params = {
        "sessionId": session_id,
        "command": program,
        "args": arguments,
        "env": [{"name": name, "value": value} for name, value in command.environment.items()],
        "cwd": str(command.directory),
        "outputByteLimit": OUTPUT_BYTES,
    }
    result = await client.request("terminal/create", params, None)
    terminal_id = cast("dict[str, Any]", result).get("terminalId") if isinstance(result, dict) else None
    if not isinstance(terminal_id, str) or not terminal_id:
        raise ToolError(
            "The client has named no terminal. Nobody knows whether the command has run: look at its effects before "
            "you run it again."
        )
    return ClientTerminal(client, session_id, terminal_id)


def _exit(result: object) -> tuple[int | None, list[str]]:
    """Return the exit code of a client's answer, negative for a signal, and sentences for the model."""
    fields = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
    code, signal = fields.get("exitCode"), fields.get("signal")
    if isinstance(signal, str) and signal:
        number = _signal_number(signal)
        return (None, [f"Ended by the signal {one_line(signal)}."]) if number is None else (-number, [])
    if isinstance(code, int) and not isinstance(code, bool):
        return code, []
    return None, ["The client told no exit code."]


def _signal_number(name: str) -> int | None:
    known = signals.Signals.__members__.get(f"SIG{name.upper().removeprefix('SIG')}")
    return known.value if known is not None else None
