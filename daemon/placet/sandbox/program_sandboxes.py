"""Sandboxes of the programs that the daemon keeps running, made of the settings and of the needs of each program."""

import logging
import os
import uuid
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from placet.core.errors import SandboxFailed
from placet.core.executor import in_thread
from placet.core.values import replace
from placet.project.processes.child import Command
from placet.sandbox.containment import Containment, containment_of
from placet.sandbox.listings import ReadingRules
from placet.sandbox.network.namespace import Networks, SessionNetwork
from placet.sandbox.preflight import Backend
from placet.sandbox.programs import Program
from placet.sandbox.sandbox import Sandbox
from placet.sandbox.this_host import this_host
from placet.settings.locations import Locations
from placet.settings.models import SandboxSettings

logger = logging.getLogger(__name__)


class ProgramSandboxes:
    """Sandboxes of a front end's programs; each lives as long as the program."""

    def __init__(self, locations: Locations) -> None:
        self._host = this_host(locations, os.environ)
        self._sandbox = Sandbox(self._host, os.environ)

    @asynccontextmanager
    async def contained(
        self, program: Program, command: Command, settings: SandboxSettings, reading: ReadingRules
    ) -> AsyncGenerator[Command]:
        """Yield the command in its contained form, or the command itself where no sandbox works and none is required.

        `reading` says which files are hidden from the program.

        Raises SandboxFailed where the settings require a sandbox, or the sandbox cannot be laid around the program.
        """
        containment, problems = await in_thread(
            lambda: containment_of(_limits(settings, program), program.roots, self._host)
        )
        for problem in problems:
            logger.warning("%s: %s", program.name, problem)
        containment = replace(containment, reading=reading)
        backend = await self._sandbox.backend(containment)
        reason = _reason_against(backend)
        if reason:
            if settings.mode == "require":
                raise SandboxFailed(
                    f"The setting `sandbox.mode` requires a sandbox, and {reason}; `placet doctor` says more"
                )
            logger.info("%s runs without a sandbox: %s", program.name, reason)
            yield command
            return
        start_id = f"program-{uuid.uuid4().hex}"
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._sandbox.close_session, start_id)
            network: SessionNetwork | None = None
            if program.domains:
                bubblewrap = None if backend.bubblewrap is None else backend.bubblewrap.program
                network = await _network(stack, bubblewrap, start_id, containment)
                if network.lacks:
                    logger.warning("%s: %s", program.name, network.lacks)
            contained = await stack.enter_async_context(
                self._sandbox.contained(command, containment, session_id=start_id, network=network, is_server=True)
            )
            yield contained.command


def _reason_against(backend: Backend) -> str:
    """Return why the backend cannot hold a program, in a clause, or ""."""
    if backend.name == "landlock":
        return f"{backend.reason}; Landlock hides the files of a program that the system has not installed"
    return backend.reason if backend.level == "none" else ""


def _limits(settings: SandboxSettings, program: Program) -> SandboxSettings:
    """Return the settings with the needs of the program in place of the needs of commands."""
    needs = {
        "write": program.write,
        "domains": program.domains,
        "network": "ask" if program.domains else "off",
        "sockets": (),
        "caches": "private",
    }
    return settings.model_copy(update=needs)


async def _network(
    stack: AsyncExitStack, bubblewrap: str | None, start_id: str, containment: Containment
) -> SessionNetwork:
    """Return a network of the program alone, in which nobody is asked about further hosts; the stack closes all."""
    networks = Networks(bubblewrap)
    stack.push_async_callback(networks.close)
    network = await networks.of_session(start_id, containment)
    await stack.enter_async_context(network.command(containment, None))
    return network
