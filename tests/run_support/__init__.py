"""`placet` in a process of its own, in a pipe or at a terminal, over a project of one file."""

import codecs
import fcntl
import json
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from fork_support import PLACET
from fork_support.completed import run_forked
from fork_support.started import StartedProcess, start_placet
from time_support import wait_seconds

WHERE = "\x1b[6n"
ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[@-Z\\^_])")
EDIT = {"filePath": "a.txt", "oldString": "old", "newString": "new"}


class Place:
    """A project of one file, and a home of its own for Placet."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        self.file = self.project / "a.txt"
        self.environment = {
            **os.environ,
            **{f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")},
            "PLACET_MODEL": self.begin(),
        }

    def begin(self) -> str:
        """Write the file and a script for its change; return the name of the model."""
        self.file.write_text("one\nold\nthree\n")
        return self.script(
            [{"call": "read", "arguments": {"filePath": "a.txt"}}],
            [{"call": "edit", "arguments": EDIT}],
            [{"text": "All done."}],
        )

    def choose_review(self, mode: str) -> None:
        """Write the setting into a file of its own, beside the settings of a test."""
        file = self.directory / "CONFIG" / "placet" / "placet.jsonc"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"review": mode}))

    def script(self, *turns: list[dict]) -> str:
        file = self.directory / "script.json"
        file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
        return f"scripted/{file}"

    def run(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """`stdin` comes through a pipe; without it there is nothing."""
        where = ("--cwd", str(self.project))
        return run_forked(*arguments, *where, directory=self.directory, environment=self.environment, stdin=stdin)

    def start(self, *arguments: str, **streams: Any) -> StartedProcess | subprocess.Popen[str]:
        """The process, for a test that does something to it; stdout and stderr are pipes."""
        return start_placet([*arguments, "--cwd", str(self.project)], self.directory, self.environment, **streams)

    def ended(self, *arguments: str, stdin: str | None = None) -> dict[str, Any]:
        """The last line of a run with --json, whose exit code is the process's."""
        result = self.run("run", "--json", *arguments, stdin=stdin)
        last = json.loads(result.stdout.splitlines()[-1])
        assert last["exitCode"] == result.returncode, result.stderr
        return last


class Terminal:
    """`placet` with a terminal of its own, which the test reads and types at."""

    def __init__(self, place: Place, *arguments: str, before: Sequence[str] = (), knows_cwd: bool = True) -> None:
        """`before` is a program that runs `placet`; `knows_cwd` says whether the command has the option --cwd.

        `placet` alone runs in the directory of the project.
        """
        self._controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        where = ("--cwd", str(place.project)) if arguments and knows_cwd else ()
        environment = {**place.environment, "TERM": "xterm-256color", "COLUMNS": "100"}
        streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
        self.process: StartedProcess | subprocess.Popen[Any]
        if before:
            command = [*before, *PLACET, *arguments, *where]
            self.process = subprocess.Popen(
                command, cwd=place.project, env=environment, start_new_session=True, **streams
            )
        else:
            self.process = start_placet([*arguments, *where], place.project, environment, leads_session=True, **streams)
        os.close(terminal)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._told_where = 0
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Read until the text has been shown."""
        deadline = time.monotonic() + wait_seconds()
        while text not in self.shown:
            try:
                self._read(deadline)
            except (OSError, TimeoutError) as error:  # Linux: the other end was closed.
                self._abandon(f"{text!r} was not shown", error)

    def type(self, line: str) -> None:
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Type the keys, and no Enter behind."""
        os.write(self._controller, keys.encode())

    def end(self) -> int:
        """Read until the process ends; return the exit code."""
        deadline = time.monotonic() + wait_seconds()
        try:
            while True:
                self._read(deadline)
        except TimeoutError as error:
            self._abandon("the process did not end", error)
        except OSError:  # Linux: the other end was closed.
            os.close(self._controller)
        return self.process.wait(timeout=wait_seconds())

    def _read(self, deadline: float) -> None:
        ready, _, _ = select.select([self._controller], [], [], max(0, deadline - time.monotonic()))
        if not ready or time.monotonic() > deadline:  # A line that tells the time shows something for ever.
            raise TimeoutError
        # A sign may come in two pieces.
        self.shown += self._decoder.decode(os.read(self._controller, 4096))
        for _ in range(self.shown.count(WHERE) - self._told_where):
            # As a terminal answers the question where its cursor is.
            self.press("\x1b[1;1R")
            self._told_where += 1

    def _abandon(self, what: str, error: Exception) -> NoReturn:
        """Kill the process, and fail with the last lines that were shown, without escape sequences."""
        self.process.kill()
        self.process.wait(timeout=wait_seconds())
        lines = [line.rstrip() for line in ESCAPE.sub("", self.shown).replace("\r", "\n").split("\n")]
        shown = "\n".join([line for line in lines if line][-40:])
        raise AssertionError(f"{what}; the last lines shown:\n{shown}") from error


def editor_that(place: Place, code: str) -> str:
    """Return an editor that runs the code on `text`, the text of the file."""
    script = place.directory / "editor.py"
    head = "import sys\nfrom pathlib import Path\nfile = Path(sys.argv[1])\ntext = file.read_text()\n"
    script.write_text(f"{head}{code}\nfile.write_text(text)\n")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
