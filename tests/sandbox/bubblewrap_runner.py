"""Runner of the rows in bubblewrap, by the sandbox's own way of wrapping a command."""

import asyncio
import os
import tempfile
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.values import replace
from placet.project.processes.child import Command
from placet.project.processes.commands import run_command
from placet.sandbox.containment import Containment, Host, containment_of
from placet.sandbox.sandbox import Sandbox
from placet.settings.models import SandboxSettings
from sandbox.rows import BackendName
from sandbox.runners import Outcome
from sandbox.scene import Scene
from time_support import wait_seconds


def host_of(scene: Scene) -> Host:
    programs = tuple(map(Path, scene.environment["PATH"].split(os.pathsep)))
    return Host(scene.home, scene.locations, programs, is_root=not scene.prefix and os.geteuid() == 0)


def containment_for(scene: Scene, *, only_reads: bool = False, network: str = "off") -> Containment:
    settings = SandboxSettings.model_validate({"network": network})
    containment, problems = containment_of(settings, scene.roots, host_of(scene), only_reads=only_reads)
    assert not problems
    return containment


class BubblewrapRunner:
    """Runner whose sandbox lives as long as the scene."""

    backend: BackendName = "bubblewrap"

    def __init__(self, scene: Scene) -> None:
        self.sandbox = Sandbox(host_of(scene), scene.environment)

    async def run(self, scene: Scene, line: str, directory: Path, *, only_reads: bool = False) -> Outcome:
        command = Command(("bash", "-c", line), directory, scene.environment)
        containment = containment_for(scene, only_reads=only_reads)
        assert (await self.sandbox.backend(containment)).level == "full"
        with tempfile.TemporaryFile(buffering=0) as output:
            async with self.sandbox.contained(command, containment, session_id="session") as contained:
                ours = replace(contained.command, arguments=(*scene.prefix, *contained.command.arguments))
                if scene.prefix:  # The daemon of a plain user would have made the directories as this user.
                    await in_thread(scene.give, scene.locations.cache)
                ending = await run_command(
                    ours, output, timeout_seconds=wait_seconds(), abort=asyncio.Event(), max_output_bytes=1 << 24
                )
                output.seek(0)
                text = output.read().decode("utf-8", "replace")
                ending = contained.judged(ending, text)
        assert ending.code is not None, text
        return Outcome(ending.code, text)
