"""Sandbox for the commands of one agent in a session; the first command loads the backend."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from pathlib import Path

from placet.core.executor import in_thread
from placet.permissions.gate import Caller
from placet.permissions.rules import only_reads
from placet.project.paths import Workspace
from placet.project.processes.child import Command
from placet.sandbox.containment import CommandSandbox, Containment, Overlay
from placet.sandbox.listings import ReadingRules
from placet.sessions.services.services import Services
from placet.tools.framework.access import reading_rules
from placet.tools.framework.command_sandbox import AskHost, ContainedRun

_MODULES_OF_COMMANDS = (
    "placet.changes.pipeline",
    "placet.tools.bash",
    "placet.sessions.services.sandboxes",
    "placet.changes.commands.contained_changes",
    "filelock",
)
"""Modules that the first command would load, in the order of use."""


class AgentSandbox:
    """Implementation of tools.framework.command_sandbox.SessionSandbox, made for a tool call."""

    def __init__(
        self, services: Services, session_id: str, workspace: Workspace, caller: Caller, *, outputs: Path
    ) -> None:
        """Make the sandbox of the session for commands by the caller.

        `outputs` is the directory of the session's tool outputs.
        """
        self._services = services
        self._session_id = session_id
        self._workspace = workspace
        self._caller = caller
        self._only_reads = only_reads(caller.rules)
        self._outputs = outputs

    async def offer(self) -> CommandSandbox | None:
        """Return the sandbox for commands, or None without a sandbox. Raises SandboxFailed."""
        settings = self._services.settings.sandbox
        if settings.mode == "off":
            return None
        return await self._services.sandboxes.offer(
            settings,
            self._workspace.roots,
            only_reads=self._only_reads,
            outputs=self._outputs,
            reading=self._reading(),
        )

    def _reading(self) -> ReadingRules | None:
        gate = self._services.gate
        judge, key = gate.judge_for(self._caller), gate.granted_patterns("read", self._caller)
        return reading_rules(self._workspace, judge, self._caller.rules, key)

    async def prepare(self) -> None:
        """Make the trial of the sandbox and the session's network, so that the first command need not wait.

        A failure is told when a command asks for the sandbox.
        """
        settings = self._services.settings.sandbox
        if settings.mode == "off":
            return
        # In a thread: the event loop passes the answer of the model on meanwhile.
        await in_thread(_import_modules_of_commands)
        await self._services.sandboxes.prepare(
            settings,
            self._workspace.roots,
            session_id=self._session_id,
            only_reads=self._only_reads,
            outputs=self._outputs,
            reading=self._reading(),
        )

    def contained(
        self, command: Command, containment: Containment, *, overlays: Sequence[Overlay], ask_host: AskHost
    ) -> AbstractAsyncContextManager[ContainedRun]:
        """Return a context to hold while the command runs inside the sandbox. Raises SandboxFailed."""
        return self._services.sandboxes.contained(
            command, containment, session_id=self._session_id, overlays=overlays, ask_host=ask_host
        )


def _import_modules_of_commands() -> None:
    for module in _MODULES_OF_COMMANDS:
        import_module(module)
