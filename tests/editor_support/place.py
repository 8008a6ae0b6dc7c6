"""What an editor needs around it: a project, a home, a model that plays a script, and Placet's command on PATH."""

import json
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fork_support import placet_command
from time_support import wait_seconds

Json = dict[str, Any]
WAITS = 10
"""Of a journey: the editor itself gives up after `WAIT_SECONDS` in each, so this is for an editor that hangs."""


@dataclass(frozen=True)
class Place:
    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def home(self) -> Path:
        return self.root / "home"

    def run(self, command: list[str]) -> str:
        """The editor to its end; what it printed. Its output is in the failure."""
        with self.start(command) as started:
            try:
                output, _ = started.communicate(timeout=WAITS * wait_seconds())
            except subprocess.TimeoutExpired as error:
                started.kill()
                raise AssertionError(f"{command} hangs; it said {started.communicate()[0][-6000:]}") from error
        assert started.returncode == 0, output[-6000:]
        return output

    def start(self, command: list[str]) -> "subprocess.Popen[str]":
        """The editor; what it prints comes through one pipe. `WAIT_SECONDS` says how long it may wait for an event."""
        path = os.pathsep.join([str(self.root / "bin"), os.environ["PATH"]])
        kept = {name: one for name, one in os.environ.items() if not name.startswith(("PLACET_", "XDG_"))}
        return subprocess.Popen(
            command,
            cwd=self.project,
            env={
                **kept,
                "HOME": str(self.home),
                "PATH": path,
                "LC_ALL": "C.UTF-8",
                "WAIT_SECONDS": str(wait_seconds()),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )


def make_place(root: Path, *turns: list[Json]) -> Place:
    """The model answers each request by the next list of events."""
    place = Place(root)
    place.project.mkdir()
    command = root / "bin" / "placet"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(placet_command())} "$@"\n')
    command.chmod(0o755)
    script = root / "script.json"
    script.write_text(json.dumps({"turns": [{"events": events} for events in turns]}))
    config = place.home / ".config" / "placet"
    config.mkdir(parents=True)
    (config / "placet.json").write_text(json.dumps({"model": f"scripted/{script}"}))
    return place
