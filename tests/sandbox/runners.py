"""Run the rows of rows.py: a runner starts a line in the scene, and the judges here look at the outcome."""

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from corpus_support import rows
from sandbox.rows import BackendName, Escape, Work
from sandbox.scene import Scene
from time_support import wait_seconds

IS_ROOT = os.name != "nt" and os.geteuid() == 0
AS_US, AS_PLAIN_USER = pytest.param(False, id="as us"), pytest.param(True, id="as a plain user")
USERS = (AS_US, AS_PLAIN_USER) if IS_ROOT else (AS_US,)
ONE_USER = (pytest.param(False, id="as us", marks=pytest.mark.long), AS_PLAIN_USER) if IS_ROOT else (AS_US,)
"""The users for what takes long: `make test` has one of them."""


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
        timeout=wait_seconds(),
        check=False,
    )
    return Outcome(process.returncode, process.stdout.decode("utf-8", "replace"))


def has_escaped(row: Escape, scene: Scene, outcome: Outcome) -> bool:
    return "ESCAPED" in outcome.output or any(scene.has_planted(plant) for plant in row.plants)


def lacks(row: Escape | Work, scene: Scene) -> str:
    """Return which program of the row is not there for the scene's user, or that the row is about root alone."""
    for program in row.needs:
        is_module = program == "pytest"
        if is_module and scene.prefix:
            return "the system's Python has no pytest"
        if not is_module and shutil.which(program, path=scene.environment["PATH"]) is None:
            return f"{program} is not installed"
    return "the attempt needs root" if isinstance(row, Escape) and row.root_only and scene.prefix else ""


async def judge_escapes(escapes: Iterable[Escape], runner: Runner, scene: Scene) -> None:
    """Run the attempts by the runner and hold each outcome against the row's verdict.

    The attempts share the scene, as an attempt that the backend stops may leave no trace.
    """
    with rows() as failures:
        for row in escapes:
            if not lacks(row, scene):
                with failures.row(f"{row.id}: {row.attempt}"):
                    outcome = await runner.run(
                        scene, row.line, scene.directory(row.directory), only_reads=row.only_reads
                    )
                    if row.verdict(runner.backend) in ("no", "undone"):
                        assert not has_escaped(row, scene, outcome), outcome
                    else:
                        scene.lay_anew()


async def judge_works(works: Iterable[Work], runner: Runner, scene: Scene) -> None:
    """Do each work by the runner, in a scene that is as new, and hold the outcome against the row."""
    with rows() as failures:
        for row in works:
            if not lacks(row, scene):
                with failures.row(f"{row.id}: {row.name}"):
                    scene.lay_anew()
                    outcome = await runner.run(scene, row.line, scene.directory(row.directory))
                    if row.verdict(runner.backend) == "ok":
                        assert (outcome.code, row.says in outcome.output) == (row.code, True), outcome
