"""A fleet of scripted tasks over a git repository, with a home of its own for Placet."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from fork_support.completed import run_forked
from fork_support.started import StartedProcess, start_placet
from placet.fleet.results import Result

GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")


class Fleet:
    """Tasks, and the results in the directory `output`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.output = directory / "out"
        self.file = directory / "tasks.jsonl"
        self.repository = directory / "project"
        self.repository.mkdir()
        (self.repository / "a.txt").write_text("one\nold\nthree\n")
        self.git("init", "-q", "-b", "main")
        self.commit = self.committed("first")
        self.environment = {
            **os.environ,
            **{f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")},
        }

    def git(self, *arguments: str) -> str:
        done = subprocess.run([*GIT, *arguments], cwd=self.repository, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def committed(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def script(self, name: str, *turns: list[dict[str, Any]]) -> str:
        """The name of a model that plays the turns."""
        file = self.directory / f"{name}.json"
        file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
        return f"scripted/{file}"

    def edits(self, name: str, new: str, *before: dict[str, Any], cost: float = 0.01) -> str:
        """The name of a model that puts `new` in the place of the line `old`."""
        edit = {"filePath": "a.txt", "oldString": "old", "newString": new}
        read = {"call": "read", "arguments": {"filePath": "a.txt"}}
        usage = {"usage": {"input": 10, "output": 5}, "cost": cost}
        return self.script(name, [*before, read], [usage, {"call": "edit", "arguments": edit}], [{"text": "Done."}])

    def task(self, task_id: str, **fields: Any) -> dict[str, Any]:
        """A task that puts its id into the file."""
        model = fields.pop("model", None) or self.edits(task_id, task_id)
        return {"id": task_id, "prompt": "Change the line.", "path": str(self.repository), "model": model, **fields}

    def write(self, *tasks: dict[str, Any]) -> None:
        self.file.write_text("".join(json.dumps(task) + "\n" for task in tasks))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.placet("fleet", "run", str(self.file), "-o", str(self.output), *arguments)

    def placet(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run_forked(*arguments, directory=self.directory, environment=self.environment)

    def start(self, *arguments: str) -> StartedProcess | subprocess.Popen[str]:
        command = ["fleet", "run", str(self.file), "-o", str(self.output), *arguments]
        return start_placet(command, self.directory, self.environment)

    def result(self, task_id: str) -> Result:
        return Result.model_validate_json((self.output / "results" / f"{task_id}.json").read_text())

    def results(self) -> list[Result]:
        """The lines of results.jsonl."""
        return [Result.model_validate_json(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def patch(self, task_id: str) -> str:
        return (self.output / "patches" / f"{task_id}.patch").read_text()
