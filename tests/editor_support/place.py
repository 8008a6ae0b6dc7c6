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

    def run(self, command: list[str], **variables: str) -> str:
        """The editor to its end; what it printed. Its output is in the failure."""
        with self.start(command, **variables) as started:
            try:
                output, _ = started.communicate(timeout=WAITS * wait_seconds())
            except subprocess.TimeoutExpired as error:
                started.kill()
                raise AssertionError(f"{command} hangs; it said {started.communicate()[0][-6000:]}") from error
        assert started.returncode == 0, output[-6000:]
        return output

    def start(self, command: list[str], **variables: str) -> "subprocess.Popen[str]":
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
                **variables,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )


BASE = "alpha old\n" + "".join(f"line {number}\n" for number in range(9)) + "omega old\n"
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {
    "call": "edit",
    "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new", "replaceAll": True},
}
"""An edit of two hunks of a file with the text `BASE`."""


@dataclass(frozen=True)
class ReviewActions:
    """Code actions of a review mode about one hunk, and what is said of each."""

    yes: str
    was_written: str
    no: str
    was_not_written: str
    before: str
    """Text of the file before the first decision."""

    @property
    def environment(self) -> dict[str, str]:
        """The words, for the journey of an editor."""
        return {
            "YES": self.yes,
            "WAS_WRITTEN": self.was_written,
            "NO": self.no,
            "WAS_NOT_WRITTEN": self.was_not_written,
        }


REVIEWS = {
    "stage": ReviewActions(
        "Placet: Accept this proposed change",
        "a.txt: accepted and written",
        "Placet: Reject this proposed change",
        "a.txt: rejected",
        BASE,
    ),
    "apply": ReviewActions(
        "Placet: Keep this unreviewed change",
        "a.txt: kept",
        "Placet: Undo this unreviewed change",
        "a.txt: undone",
        BASE.replace("old", "new"),
    ),
}


def make_place(root: Path, *turns: list[Json], **settings: Any) -> Place:
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
    (config / "placet.json").write_text(json.dumps({"model": f"scripted/{script}", **settings}))
    return place
