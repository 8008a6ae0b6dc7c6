"""Sandbox of the commands of all sessions of a front end: one backend, and a network for each session."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from msgspec import Struct

from placet.core.errors import SandboxFailed
from placet.core.executor import in_thread
from placet.core.tasks import side_by_side
from placet.core.values import replace
from placet.core.visible_text import spelled_out
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending
from placet.sandbox.aftermath import intrusion_sentences
from placet.sandbox.contained import Contained
from placet.sandbox.containment import CommandSandbox, Containment, Overlay, containment_of
from placet.sandbox.diagnosis import advice, read_system
from placet.sandbox.domains import Domains
from placet.sandbox.listings import ALL_READABLE, ReadingRules
from placet.sandbox.network.connections import CommandConnections
from placet.sandbox.network.namespace import Networks, SessionNetwork
from placet.sandbox.offer import command_sandbox
from placet.sandbox.overlay.layers import reason_against
from placet.sandbox.preflight import Backend, Bubblewrap
from placet.sandbox.protections import Protections
from placet.sandbox.sandbox import BubblewrapPrograms, Sandbox
from placet.sandbox.this_host import this_host
from placet.sessions.services.machine_notices import MachineNotices
from placet.settings import Locations
from placet.settings.models import SandboxSettings
from placet.tools.framework.command_sandbox import AskHost

logger = logging.getLogger(__name__)

MOST_NAMES = 5
"""Number of ended processes that are named to the model."""


class _Looked(Struct, frozen=True):
    """Limits of commands, and the facts of the disk and of the machine about them."""

    backend: Backend
    containment: Containment
    problems: tuple[str, ...]
    """Problems of the settings, a sentence each."""
    found: Protections


class SessionRun(Struct):
    """Contained command of a session with the connections of the command; lives as long as the command."""

    contained: Contained
    connections: CommandConnections

    @property
    def command(self) -> Command:
        return self.contained.command

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the hosts to which the command was allowed to connect, with the ports."""
        return self.connections.hosts

    def judged(self, ending: Ending, output_tail: str) -> Ending:
        """Return the ending of the command itself. Raises SandboxFailed."""
        return self.contained.judged(ending, output_tail)

    def notes(self, output_tail: str) -> list[str]:
        """Return sentences for the model about refusals, and about processes and protected names of the command."""
        connections = self.connections.refusals
        hosts = {refusal.host for refusal in connections}
        refusals = [str(refusal) for refusal in connections]
        for refusal in self.contained.refusals(output_tail):
            if refusal.kind != "connect" or refusal.target.partition(":")[0] not in hosts:
                refusals.append(refusal.sentence)
        notes = [f"Refused by the sandbox: {'; '.join(refusals)}."] if refusals else []
        if advice := self.contained.advice(output_tail):
            notes.append(advice)
        if ended := self.contained.ended:
            names = ", ".join(map(spelled_out, ended[:MOST_NAMES])) + (", …" if len(ended) > MOST_NAMES else "")
            notes.append(
                f"The command left processes running, which were ended with the command: {names}. A program that is to "
                "go on is started with `background: true`."
            )
        return notes + intrusion_sentences(self.contained.intrusions)


class CommandSandboxes:
    """Sandbox of all sessions; the services own the object until the end of the front end."""

    def __init__(self, locations: Locations, notices: MachineNotices) -> None:
        """Make the sandboxes; `notices` shows the user why this machine has no whole sandbox."""
        self._notices = notices
        self._advice: tuple[Backend, str] | None = None
        """Last backend, and the advice about the backend."""
        self._host = this_host(locations, os.environ)
        self.sandbox = Sandbox(self._host, os.environ)
        self._networks: Networks | None = None
        self._overlay_reasons: dict[tuple[Bubblewrap | None, tuple[Path, ...]], str] = {}
        self._trying_overlays = asyncio.Lock()
        self._has_warned = False

    async def offer(
        self,
        settings: SandboxSettings,
        roots: Sequence[Path],
        *,
        only_reads: bool,
        outputs: Path,
        reading: ReadingRules | None = ALL_READABLE,
    ) -> CommandSandbox | None:
        """Return the sandbox for commands under the settings, or None without a sandbox. Raises SandboxFailed.

        `reading` says which files are hidden; None: the user is asked about every file.
        """
        if settings.mode == "off":
            return None
        looked = await self._looked(settings, roots, only_reads=only_reads, outputs=outputs, reading=reading)
        backend = looked.backend
        self._warn(looked.problems)
        if settings.mode == "auto":
            await self._advise(backend)
        if backend.level == "none":
            if settings.mode == "require":
                raise SandboxFailed(
                    f"The command did not run: the setting `sandbox.mode` requires a sandbox, and {backend.reason}. "
                    "`placet doctor` says more."
                )
            return None
        proposes = await self._proposes(settings, looked.containment, backend)
        return command_sandbox(
            settings,
            looked.containment,
            looked.found,
            backend,
            proposes=proposes,
            asks_about_all=reading is None,
        )

    async def prepare(
        self,
        settings: SandboxSettings,
        roots: Sequence[Path],
        *,
        session_id: str,
        only_reads: bool,
        outputs: Path,
        reading: ReadingRules | None = ALL_READABLE,
    ) -> None:
        """Do everything that the session's first command would wait for: the trials, the network, and the walk through
        the project.
        """
        looked = await self._looked(settings, roots, only_reads=only_reads, outputs=outputs, reading=reading)
        if looked.backend.level != "none":
            await side_by_side(
                self._proposes(settings, looked.containment, looked.backend),
                self._network(session_id, looked.containment),
            )

    async def _looked(
        self,
        settings: SandboxSettings,
        roots: Sequence[Path],
        *,
        only_reads: bool,
        outputs: Path,
        reading: ReadingRules | None,
    ) -> _Looked:
        """Return the limits of commands, and the sandbox that works for the limits."""

        def look() -> tuple[BubblewrapPrograms, Containment, tuple[str, ...], Protections]:
            limits, problems = containment_of(settings, roots, self._host, only_reads=only_reads, outputs=outputs)
            limits = replace(limits, reading=reading or ALL_READABLE)
            return self.sandbox.programs(limits), limits, problems, self.sandbox.look(limits)

        programs, limits, problems, found = await in_thread(look)
        return _Looked(await self.sandbox.backend_of(programs, limits), limits, problems, found)

    async def _proposes(self, settings: SandboxSettings, containment: Containment, backend: Backend) -> bool:
        """Return whether changes by commands are proposed."""
        if settings.overlay != "auto" or containment.only_reads:
            return False
        return not await self._reason_against_overlays(backend.overlay_bubblewrap, containment)

    async def _reason_against_overlays(self, program: Bubblewrap | None, containment: Containment) -> str:
        """Return why the program cannot lay overlays over the roots, in a clause, or "" where the program can."""
        key = program, containment.roots
        async with self._trying_overlays:
            if key not in self._overlay_reasons:

                async def trial(overlays: Sequence[Overlay]) -> str:
                    return await self.sandbox.reason_against_overlays(overlays, containment)

                roots = containment.roots
                self._overlay_reasons[key] = await reason_against(self._host.locations.layers, roots, trial)
            return self._overlay_reasons[key]

    @asynccontextmanager
    async def contained(
        self,
        command: Command,
        containment: Containment,
        *,
        session_id: str,
        overlays: Sequence[Overlay],
        ask_host: AskHost,
    ) -> AsyncGenerator[SessionRun]:
        """Return a context to hold while the command runs inside the sandbox. Raises SandboxFailed."""
        asking = ask_host if containment.network == "ask" else None
        async with AsyncExitStack() as stack:
            network = await self._network(session_id, containment)
            connections = (
                CommandConnections(Domains())
                if network is None
                else await stack.enter_async_context(network.command(containment, asking))
            )
            contained = await stack.enter_async_context(
                self.sandbox.contained(command, containment, session_id=session_id, network=network, overlays=overlays)
            )
            yield SessionRun(contained, connections)

    async def close_session(self, session_id: str) -> None:
        """End the network of the session, and remove the session's temporary files."""
        if self._networks is not None:
            await self._networks.close_session(session_id)
        await self.sandbox.close_session(session_id)

    async def close(self) -> None:
        if self._networks is not None:
            await self._networks.close()

    async def _network(self, session_id: str, containment: Containment) -> SessionNetwork | None:
        """Return the network of the session; None for a backend without namespaces, which has no proxy."""
        if self._networks is None:
            backend = await self.sandbox.backend(containment)
            if backend.bubblewrap is None:
                return None
            # Another command may have made the networks meanwhile.
            self._networks = self._networks or Networks(backend.bubblewrap.program)
        return await self._networks.of_session(session_id, containment)

    async def _advise(self, backend: Backend) -> None:
        """Tell the user once what the sandbox of this machine lacks, and what to do."""
        if self._advice is None or self._advice[0] != backend:
            self._advice = backend, await in_thread(lambda: advice(backend, read_system()))
        await self._notices.tell("sandbox", self._advice[1])

    def _warn(self, problems: Sequence[str]) -> None:
        if problems and not self._has_warned:
            self._has_warned = True
            for problem in problems:
                logger.warning("%s", problem)
