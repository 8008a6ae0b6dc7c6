"""Run the rows of rows.py: a runner starts a line in the scene, and the judges here look at the outcome."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from sandbox.rows import BackendName, Escape, Work
from sandbox.scene import Scene

LIMIT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    """Exit code, negative for the number of a signal."""
    output: str


class Runner(Protocol):
    """Backend under test; the runner also makes the checks that follow a command."""

    @property
    def backend(self) -> BackendName: ...

    async def run(self, scene: Scene, line: str, directory: Path, *, only_reads: bool = False) -> Outcome:
        """Run the line in the sandbox, as the scene's user."""
        ...


def run_outside(scene: Scene, line: str, directory: Path) -> Outcome:
    """Run the line as the scene's user, without a sandbox."""
    caches = {"XDG_CACHE_HOME": str(scene.home / ".cache"), "npm_config_cache": str(scene.home / ".cache")}
    process = subprocess.run(
        (*scene.prefix, "bash", "-c", line),
        cwd=directory,
        env={**scene.environment, **caches, "TMPDIR": "/tmp"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    return Outcome(process.returncode, process.stdout.decode("utf-8", "replace"))


def has_escaped(row: Escape, scene: Scene, outcome: Outcome) -> bool:
    return "ESCAPED" in outcome.output or any(scene.has_planted(plant) for plant in row.plants)


def skip_without(row: Escape | Work, scene: Scene) -> None:
    """Skip the test if a program of the row is missing, or if the row is about the user root alone."""
    for program in row.needs:
        is_module = program == "pytest"
        if is_module and scene.prefix:
            pytest.skip("the system's Python has no pytest")
        if not is_module and shutil.which(program, path=scene.environment["PATH"]) is None:
            pytest.skip(f"{program} is not installed")
    if isinstance(row, Escape) and row.root_only and scene.prefix:
        pytest.skip("the attempt needs the user root")


async def judge_escape(row: Escape, runner: Runner, scene: Scene) -> None:
    """Run the attempt by the runner and hold the outcome against the row's verdict."""
    skip_without(row, scene)
    outcome = await runner.run(scene, row.line, scene.directory(row.directory), only_reads=row.only_reads)
    if row.verdict(runner.backend) in ("no", "undone"):
        assert not has_escaped(row, scene, outcome), outcome


async def judge_work(row: Work, runner: Runner, scene: Scene) -> None:
    """Do the work by the runner and hold the outcome against the row."""
    skip_without(row, scene)
    outcome = await runner.run(scene, row.line, scene.directory(row.directory))
    if row.verdict(runner.backend) == "ok":
        assert outcome.code == row.code, outcome
        assert row.says in outcome.output
