"""Command of the setting `worktree.setup`, which prepares a new worktree once the user has agreed to the command."""

import asyncio
import hashlib
import json
import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO, cast

from msgspec import Struct

from placet.core.errors import SettingsError
from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.project.files.private_file import PrivateFile
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending, run_command
from placet.project.processes.programs import with_users_path
from placet.sandbox.containment import CommandSandbox
from placet.sessions.services.machine_notices import MachineNotices
from placet.sessions.services.sandboxes import CommandSandboxes
from placet.sessions.worktrees.ports import port_variables
from placet.settings import Locations, Settings
from placet.tools.framework.command_sandbox import AskHost
from placet.tools.shell.program import shell_command, shell_environment
from placet.tools.shell.terminal_text import plain
from placet.worktrees.records import Worktree

ABOUT = "Commands to which you have agreed for new worktrees, by repository: SHA-256 of each command."
MOST_BYTES = 64 * 1024 * 1024
_SHOWN_BYTES = 16 * 1024


class SetupConsent:
    """The user's consent to commands for new worktrees, in a file that all processes share. All calls block."""

    def __init__(self, path: Path) -> None:
        self._file = PrivateFile(path)

    def is_given(self, repository: Path, command: str) -> bool:
        """Return whether the user has agreed to exactly this command for worktrees of the repository.

        An unreadable file holds no consent.
        """
        return _digest(command) in self._read().get(str(repository), [])

    def give(self, repository: Path, command: str) -> None:
        """Remember the consent. Raises SettingsError."""
        try:
            with self._file.locked():
                agreed = self._read()
                digests = dict.fromkeys((*agreed.get(str(repository), []), _digest(command)))
                content = {"about": ABOUT, "repositories": {**agreed, str(repository): list(digests)}}
                self._file.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise SettingsError(f"{self._file.path} cannot be written: {error.strerror or error}.") from error

    def _read(self) -> dict[str, list[str]]:
        try:
            content = json.loads(self._file.read() or "{}")["repositories"]
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return cast("dict[str, list[str]]", content) if isinstance(content, dict) else {}


class SetupOutcome(Struct, frozen=True):
    succeeded: bool
    output: str
    """End of the command's output."""
    reason: str = ""
    """Reason for a failure, in a clause."""


class WorktreeSetup:
    """Command for one worktree, ready to be asked about and run; lives as long as the front end's act."""

    def __init__(
        self, worktree: Worktree, settings: Settings, sandboxes: CommandSandboxes, sandbox: CommandSandbox | None
    ) -> None:
        self.worktree = worktree
        self.command = settings.worktree.setup
        self._seconds = settings.worktree.setup_seconds
        self._sandboxes = sandboxes
        self._sandbox = sandbox

    @property
    def is_contained(self) -> bool:
        """Return whether the command runs in the sandbox."""
        return self._sandbox is not None

    async def run(self, ask_host: AskHost) -> SetupOutcome:
        """Run the command in the worktree. Raises SandboxFailed or ToolError where the command cannot start."""
        environment = {**shell_environment(with_users_path(os.environ)), **port_variables(self.worktree)}
        command = Command(shell_command(self.command), self.worktree.path, environment)
        with tempfile.TemporaryFile() as file:
            try:
                ending = await self._run(command, file, ask_host)
            except OSError as error:
                return SetupOutcome(False, "", f"the command cannot start: {error.strerror or error}")
            output = await in_thread(_tail, file)
        match ending.reason:
            case "exit":
                return SetupOutcome(ending.code == 0, output, "" if ending.code == 0 else f"exit code {ending.code}")
            case "timeout":
                return SetupOutcome(False, output, f"ended after {self._seconds:g} s (`worktree.setupSeconds`)")
            case reason:
                return SetupOutcome(False, output, reason)

    async def _run(self, command: Command, file: BinaryIO, ask_host: AskHost) -> Ending:
        async def run(started: Command) -> Ending:
            return await run_command(
                started,
                file,
                timeout_seconds=self._seconds,
                abort=asyncio.Event(),
                max_output_bytes=MOST_BYTES,
            )

        if self._sandbox is None:
            return await run(command)
        async with self._sandboxes.contained(
            command, self._sandbox.containment, session_id=_session(self.worktree), overlays=(), ask_host=ask_host
        ) as contained:
            ending = await run(contained.command)
            return contained.judged(ending, await in_thread(_tail, file))


@asynccontextmanager
async def worktree_setup(
    worktree: Worktree, settings: Settings, locations: Locations
) -> AsyncGenerator[WorktreeSetup | None]:
    """Yield the command of the settings for the worktree, or None without such a command.

    Raises SandboxFailed where the settings require a sandbox, and none works.
    """
    if not settings.worktree.setup.strip():
        yield None
        return
    sandboxes = CommandSandboxes(locations, MachineNotices(locations.notices))
    session_id = _session(worktree)
    try:
        sandbox = await sandboxes.offer(
            settings.sandbox, (worktree.path,), only_reads=False, outputs=locations.outputs_of(session_id)
        )
        yield WorktreeSetup(worktree, settings, sandboxes, sandbox)
    finally:
        await to_the_end(_close(sandboxes, session_id))


async def _close(sandboxes: CommandSandboxes, session_id: str) -> None:
    await sandboxes.close_session(session_id)
    await sandboxes.close()


def _session(worktree: Worktree) -> str:
    """Return the name under which the sandbox keeps the command's temporary files."""
    return f"{worktree.path.parent.name}-{worktree.name}"


def _digest(command: str) -> str:
    return hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()


def _tail(file: BinaryIO) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _SHOWN_BYTES))
    text = plain(file.read().decode("utf-8", "replace"))
    file.seek(0, os.SEEK_END)
    return text
