"""A project, a home and a sandbox of a test's own, without the secrets and processes of the scene."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from placet.project.processes.child import Command
from placet.project.processes.commands import Ending, run_command
from placet.sandbox.contained import Contained
from placet.sandbox.containment import Containment, Host, Overlay, containment_of
from placet.sandbox.sandbox import Sandbox
from placet.settings.locations import Locations
from placet.settings.models import SandboxSettings
from time_support import wait_seconds


class Workshop:
    """Project with a sandbox; belongs to one test."""

    def __init__(self, base: Path, path: str = "/usr/local/bin:/usr/bin:/bin") -> None:
        self.home = base / "home"
        self.project = base / "project"
        for directory in (self.home, self.project):
            directory.mkdir()
        self.locations = Locations(
            config=self.home / "config", data=self.home / "data", cache=self.home / "cache", log=self.home / "log"
        )
        self.path = path
        programs = tuple(map(Path, path.split(os.pathsep)))
        self.host = Host(self.home, self.locations, programs, is_root=os.geteuid() == 0)
        self.sandbox = Sandbox(self.host, {"PATH": path})
        self.abort = asyncio.Event()
        self.contained: Contained | None = None
        """The last command."""

    def containment(self, *roots: Path, only_reads: bool = False, **settings: object) -> Containment:
        given = SandboxSettings.model_validate({"network": "off", **settings})
        containment, problems = containment_of(given, roots or (self.project,), self.host, only_reads=only_reads)
        assert not problems
        return containment

    async def run(
        self,
        line: str | Sequence[str],
        *,
        containment: Containment | None = None,
        directory: Path | None = None,
        grace_seconds: float = 3.0,
        session_id: str = "session",
        overlays: Sequence[Overlay] = (),
    ) -> tuple[Ending, str]:
        """Run a line, or a program with its arguments, in the sandbox; return the judged ending, and the output."""
        arguments = ("bash", "-c", line) if isinstance(line, str) else tuple(line)
        command = Command(arguments, directory or self.project, {"PATH": self.path, "HOME": str(self.home)})
        file = self.home / "output"
        limits = containment or self.containment()
        with file.open("wb", buffering=0) as output:
            async with self.sandbox.contained(command, limits, session_id=session_id, overlays=overlays) as contained:
                self.contained = contained
                ending = await run_command(
                    contained.command,
                    output,
                    timeout_seconds=wait_seconds(),
                    abort=self.abort,
                    max_output_bytes=1 << 24,
                    grace_seconds=grace_seconds,
                )
                text = file.read_text(errors="replace")
                return contained.judged(ending, text), text

    async def until(self, name: str) -> None:
        """Wait until the command has made the file in the project."""
        while not (self.project / name).exists():  # noqa: ASYNC110 (made by another process)
            await asyncio.sleep(0.01)


def processes_with(word: str) -> list[psutil.Process]:
    """Return the living processes of the host that have the word among their arguments, without the sandbox's own."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            is_alive = process.status() != psutil.STATUS_ZOMBIE
            if is_alive and process.name() != "bwrap" and word in process.cmdline():
                found.append(process)
    return found
