"""Run hostile lines in real bash and look for one that runs what no rule allows although nobody would be asked.

By hand, from the folder tests: `python -m shell_support.fuzz --lines 100000 --seed N`, in bubblewrap where it is found.
"""

import argparse
import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from placet.permissions.rules import Rule, evaluate, from_config
from placet.permissions.shell import analyse
from placet.permissions.shell.programs.reading import proof_of_reading
from placet.project.paths import Workspace
from placet.tools.shell.permission import asked_patterns
from placet.tools.shell.places import find_places
from shell_support.hostile_lines import FILES, PROGRAMS, hostile_line

SHELL = "/bin/bash"
SECONDS = 2.0
READERS = ("cat", "ls", "head")
"""Stubs under the names of programs that only read."""
STUBS = (*READERS, "ok", "good", "evil", "time", "a", "b", "x", "-v", "unsetenv")
LINES_OF_A_WORKSPACE = 40
"""After so many lines the directory is made anew, as lines change it."""
_HELD = 200
"""A descriptor that every process of a line holds: once all are gone, its other end says so."""

Call = tuple[str, ...]


class Policy(NamedTuple):
    weight: int
    """How many lines are judged by it, beside the others."""
    rules: tuple[Rule, ...]
    allowed: Call
    """What a call must begin with, to be allowed by the rules."""


def _policy(weight: int, allowed: Call) -> Policy:
    rules = {"*": "ask", "echo *": "allow", " ".join((*allowed, "*")): "allow"}
    return Policy(weight, from_config({"bash": rules}, "the fuzz"), allowed)


POLICIES = (_policy(6, ("ok",)), _policy(3, ("ok", "good")), _policy(1, ("no program",)))


@dataclass(slots=True)
class Outcome:
    lines: int = 0
    allowed: int = 0
    """Lines that would run without anybody being asked."""
    ran: int = 0
    """Lines that were run: all that are allowed, and a share of those that are asked about."""
    forbidden: int = 0
    """Lines that ran what the rules do not allow."""
    bypasses: list[str] = field(default_factory=list[str])
    """Lines that are both."""


class Arena:
    """A directory of hostile files, and stubs as the only programs, in which one line after the other is run."""

    def __init__(self, base: Path) -> None:
        self.workspace = base / "workspace"
        self.home = base / "home"
        self._log = base / "log"
        programs = base / "programs"
        for directory in (self.home, programs):
            directory.mkdir(parents=True)
        for name in STUBS:
            self._stub(programs / name, name)
        prologue = base / "prologue"
        prologue.write_text(f"ulimit -t 1 -f 2048 -c 0; cd '{self.workspace}'; unset BASH_ENV OLDPWD\n")
        missing = "() { " + self._logging('"$@"') + "\n}"
        self._environment = {
            "PATH": str(programs),
            "HOME": str(self.home),
            "FUNCNEST": "5",
            "LC_ALL": "C.UTF-8",
            "BASH_ENV": str(prologue),
            "BASH_FUNC_command_not_found_handle%%": missing,
        }
        self.fill()

    def fill(self) -> None:
        """Make the workspace as it is before the first line."""
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.workspace.mkdir()
        for name in FILES:
            (self.workspace / name).touch()
        for name in PROGRAMS:
            program = self.workspace / name
            program.parent.mkdir(exist_ok=True)
            self._stub(program, f"./{name}")
        self._files = self._listing()

    def changed(self) -> bool:
        """Return whether a file of the workspace is new, gone or larger than before."""
        return self._listing() != self._files

    def run(self, line: str) -> list[Call]:
        """Return the calls that the line makes."""
        self._log.write_bytes(b"")
        ended, held = os.pipe()
        null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
        process = os.posix_spawn(
            SHELL,
            [SHELL, "-c", line],
            self._environment,
            file_actions=[*null, (os.POSIX_SPAWN_DUP2, held, _HELD)],
            setpgroup=0,
        )
        os.close(held)
        select.select([ended], [], [], SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
        # A killed process may still be within its last write, which would look like a call of the next line.
        select.select([ended], [], [], SECONDS)
        os.close(ended)
        return list(_calls(self._log.read_bytes()))

    def _listing(self) -> list[tuple[str, int]]:
        with os.scandir(self.workspace) as entries:
            return sorted((entry.name, entry.stat().st_size) for entry in entries)

    def _stub(self, program: Path, name: str) -> None:
        called = f"""'{name}' "$@\""""
        program.write_text(f"#!/bin/sh\n{self._logging(called)}\n[ '{name}' != good ]\n")
        program.chmod(0o755)

    def _logging(self, words: str) -> str:
        return f"set -- {words}; printf '%s\\0' \"$#\" \"$@\" >> '{self._log}'"


def fuzz(base: Path, *, lines: int, seed: int, asked: float) -> Outcome:
    """Return what became of so many lines, made up from the seed and run below the directory `base`.

    `asked` is the share of the lines that the user would be asked about that are run all the same: they show that the
    lines are hostile.
    """
    random, outcome, arena = Random(seed), Outcome(), Arena(base)
    for _ in range(lines):
        line = hostile_line(random).replace("\0", "")
        policy = random.choices(POLICIES, [policy.weight for policy in POLICIES])[0]
        is_allowed = passes(line, policy, arena)
        outcome.lines += 1
        outcome.allowed += is_allowed
        if not is_allowed and random.random() >= asked:
            continue
        if is_allowed and arena.changed():
            arena.fill()
        is_forbidden = any(call[: len(policy.allowed)] != policy.allowed for call in arena.run(line))
        is_bypass = is_allowed and (is_forbidden or arena.changed())
        outcome.ran += 1
        outcome.forbidden += is_forbidden
        outcome.bypasses += [line] if is_bypass else []
        if is_bypass or outcome.ran % LINES_OF_A_WORKSPACE == 0:
            arena.fill()
    return outcome


def fuzz_reading(base: Path, *, lines: int, seed: int, asked: float) -> Outcome:
    """Return what became of hostile lines of reading programs: one that only reads runs nothing else, and writes
    nothing.
    """
    random, outcome, arena = Random(seed), Outcome(), Arena(base)
    for _ in range(lines):
        line = _of_readers(hostile_line(random).replace("\0", ""), random)
        is_allowed = reads(line, arena)
        outcome.lines += 1
        outcome.allowed += is_allowed
        if not is_allowed and random.random() >= asked:
            continue
        if is_allowed and arena.changed():
            arena.fill()
        is_forbidden = any(call[0] not in READERS for call in arena.run(line))
        is_bypass = is_allowed and (is_forbidden or arena.changed())
        outcome.ran += 1
        outcome.forbidden += is_forbidden
        outcome.bypasses += [line] if is_bypass else []
        if is_bypass or outcome.ran % LINES_OF_A_WORKSPACE == 0:
            arena.fill()
    return outcome


def _of_readers(line: str, random: Random) -> str:
    return re.sub(r"\b(ok good|ok)\b", lambda _: random.choice(READERS), line)


def reads(line: str, arena: Arena) -> bool:
    """Return whether the line is proved to only read, with the names that wildcards find on disk."""
    findings = analyse(line, directory=arena.workspace, home=arena.home)
    places = find_places(Workspace((arena.workspace,)), findings, lambda permission, pattern: "allow")
    return proof_of_reading(line, places.findings) is not None


def passes(line: str, policy: Policy, arena: Arena) -> bool:
    """Return whether the line would run without anybody being asked."""
    findings = analyse(line, directory=arena.workspace, home=arena.home)
    patterns = asked_patterns(line, findings, lambda permission, pattern: "ask")
    return all(evaluate(policy.rules, "bash", pattern).action == "allow" for pattern in patterns)


def _calls(data: bytes) -> Iterator[Call]:
    fields = [field.decode("utf-8", "surrogateescape") for field in data.split(b"\0")]
    while len(fields) > 1:
        count = int(fields[0])
        yield tuple(fields[1 : 1 + count])
        del fields[: 1 + count]


def main() -> None:
    """Fuzz as the command line says."""
    parser = argparse.ArgumentParser(description="Look for a hostile line that is believed to be harmless.")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--asked", type=float, default=1.0, help="the share of the asked lines that are run too")
    parser.add_argument("--within", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.within is None:
        with tempfile.TemporaryDirectory() as base:
            command = (sys.executable, "-m", "shell_support.fuzz", *sys.argv[1:], "--within", base)
            sys.exit(subprocess.run(_walled(command, base), check=False).returncode)
    outcome = fuzz(Path(options.within), lines=options.lines, seed=options.seed, asked=options.asked)
    sys.stdout.write(f"{outcome.lines} lines, {outcome.allowed} allowed; {outcome.ran} were run, ")
    sys.stdout.write(f"{outcome.forbidden} ran what no rule allows, {len(outcome.bypasses)} of them were allowed\n")
    for line in outcome.bypasses:
        sys.stdout.write(f"{line!r}\n")
    sys.exit(1 if outcome.bypasses else 0)


def _walled(command: Call, base: str) -> Call:
    """Return the command as it runs where only `base` can be written to, if bubblewrap is there for that."""
    wall = shutil.which("bwrap")
    if wall is None:
        return command
    walls = ("--ro-bind", "/", "/", "--dev", "/dev", "--bind", base, base, "--unshare-all", "--die-with-parent")
    return (wall, *walls, "--", *command)


if __name__ == "__main__":
    main()
