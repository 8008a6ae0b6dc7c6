"""A repository that means harm: every kind of thing that a project can bring, each of which leaves a mark if it runs.

`HostileRepository(directory)` builds it; `ran()` says what has left its mark. What is meant to come alive once the user
trusts the project stands in `ALIVE`; all else never does.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from hostile_support import traps
from placet.permissions.trust import Trust
from placet.project.inventory import inventory

SECRET = "SECRET-OF-THE-USER"
RULES = "RULES-OF-THE-PROJECT"
ALIVE = {"tool", "tool-called", "plugin", "mcp", "mcp-of-others", "command", "hook-of-claude"}
"""What runs of it once it is trusted, in the course of `SCRIPT` and `/go`; and `LANGUAGE_SERVER` where there is one."""
LANGUAGE_SERVER = "language-server"
WAITING = {"plugins": {"waitSeconds": 60}}
"""Settings of a user whose prompts wait until all that is there has been imported."""
UNCONTAINED = {"sandbox": {"mode": "off"}}
"""Settings of a user by which what comes alive leaves its mark: in the sandbox no program of a project can."""
BOLD = {"bold", "bold-of-opencode", "bold-inside"}
"""Its agents, which may do everything."""

EDIT = {"filePath": "a.txt", "oldString": "hello", "newString": "good day"}
SCRIPT: list[list[dict[str, Any]]] = [
    [
        {"call": "grep", "arguments": {"pattern": "hello"}},
        {"call": "glob", "arguments": {"pattern": "**/*.txt"}},
        {"call": "read", "arguments": {"filePath": "a.txt"}},
    ],
    [{"call": "edit", "arguments": EDIT}],
    [{"call": "bash", "arguments": {"command": "kill -l"}}],
    [{"call": "skill", "arguments": {"name": "evil"}}],
    [{"call": "evil", "arguments": {}}],
    [{"text": "Done."}],
    [{"text": "Gone."}],
]
"""What the model does in one session: a prompt that searches, edits and runs, and then one more."""


class HostileRepository:
    """Not trusted by anybody yet. `directory` has its marks, what its links lead to, and `folder` if none is given."""

    def __init__(self, directory: Path, folder: Path | None = None) -> None:
        self.directory = directory
        self.folder = folder or directory / "hostile"
        self.marks = directory / "marks"
        self.elsewhere = directory / "elsewhere"
        self.secret = directory / "secret.txt"
        for one in (self.folder, self.marks, self.elsewhere):
            one.mkdir(exist_ok=True)
        self.secret.write_text(SECRET)
        traps.lay(self)
        self._git()

    def ran(self) -> set[str]:
        """What has run."""
        return {mark.name for mark in self.marks.iterdir()}

    def forget(self) -> None:
        """As if nothing had run."""
        for mark in self.marks.iterdir():
            mark.unlink()

    def trust(self, file: Path) -> None:
        """As `placet trust --yes` does, with the decisions kept in the file."""
        Trust(file).decide(inventory(self.folder), trusted=True)

    def script(self, *turns: list[dict[str, Any]]) -> str:
        """A model that plays these turns, else SCRIPT."""
        file = self.directory / f"script-{len(turns)}.json"
        file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns or SCRIPT]}))
        return f"scripted/{file}"

    def environment(self, home: Path) -> dict[str, str]:
        """That of a user whose PATH begins with directories of whatever project is the working directory."""
        homes = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLACET_", "XDG_"))}
        path = os.pathsep.join((*traps.PATH, kept.get("PATH", "")))
        return {**kept, **homes, "HOME": str(home), "PATH": path}

    def shell(self, name: str) -> str:
        """A command line that leaves the mark."""
        return f"touch '{self.marks / name}'"

    def python(self, name: str) -> str:
        """A line that leaves it. It stands before anything that could fail."""
        return f"import os as _os; _os.close(_os.open({str(self.marks / name)!r}, _os.O_CREAT | _os.O_WRONLY))\n"

    def program(self, name: str, mark: str) -> Path:
        """A program of the project that leaves the mark."""
        file = self.put(name, f"#!/bin/sh\n{self.shell(mark)}\n")
        file.chmod(0o755)
        return file

    def put(self, name: str, content: object) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return file

    def link(self, name: str, target: Path) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def configure(self, name: str, value: str) -> None:
        """A setting of git's, of this repository alone."""
        self._run_git("config", name, value)

    def _run_git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True)

    def _git(self) -> None:
        """Files are committed and changed since, so that git has to look at them, by the filters that it is told of.

        One only looks changed: git notes that it is not, which is when a hook would be called.
        """
        self._run_git("init", "--quiet")
        self._run_git("add", "a.txt", "b.txt", "c.txt")
        self._run_git("commit", "--quiet", "--message=It begins.")
        for name, value in traps.git_settings(self):
            self.configure(name, value)
        for hook in ("pre-commit", "post-index-change", "post-checkout", "fsmonitor-watchman"):
            self.program(f".git/hooks/{hook}", f"git-hook-{hook}")
        for name in ("a.txt", "b.txt"):
            (self.folder / name).write_text("hello\nworld\n")
        os.utime(self.folder / "c.txt", (1, 1))
