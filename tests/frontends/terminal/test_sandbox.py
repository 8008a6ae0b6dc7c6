"""`placet sandbox`: what a command line may touch and whether it is asked, and a test of the sandbox here."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fork_support.completed import run_forked
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.sandbox import trial
from placet.frontends.terminal.sandbox.rows import ROWS
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending
from placet.sandbox.preflight import Backend
from placet.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")


class Place:
    def __init__(self, directory: Path) -> None:
        self.project = directory / "project"
        self.home = directory / "home"
        self.settings = self.home / ".config" / "placet" / "placet.json"
        for made in (self.project, self.settings.parent, self.home / ".ssh"):
            made.mkdir(parents=True)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        self.environment["HOME"] = str(self.home)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run_forked("sandbox", *arguments, "--cwd", str(self.project), environment=self.environment)

    def explained(self, line: str, *more: str, **sandbox: Any) -> dict[str, Any]:
        settings: dict[str, Any] = {"sandbox": sandbox} if sandbox else {}
        if not self.settings.exists():
            self.settings.write_text(json.dumps(settings))
        done = self.run("explain", line, "--json", *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_command_is_explained_with_the_limits_of_the_sandbox(place: Place) -> None:
    told = place.explained("make test", domains=["example.com"])
    assert (told["place"], told["reason"], told["decision"]["outcome"]) == ("inside", "", "allow")
    assert told["sandbox"]["name"] == "bubblewrap"
    limits = told["containment"]
    assert (limits["writable"], limits["network"], limits["domains"]) == ([str(place.project)], "ask", ["example.com"])
    assert str(place.home / ".ssh") in limits["unreadable"]


def test_the_words_name_the_place_the_decision_and_the_limits(place: Place) -> None:
    done = place.run("explain", "make test")
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line)
    assert lines["runs"] == "inside the sandbox"
    assert lines["decision"] == "allowed"
    assert lines["writes"] == f"in  {place.project}"
    assert str(place.home / ".ssh") in lines["hidden"]
    assert lines["network"] == "Placet asks about each host"


@pytest.mark.parametrize(
    ("line", "sandbox", "where", "reason", "outcome"),
    [
        ("docker ps", {}, "outside", "docker", "ask"),
        ("docker ps", {"leaving": "deny"}, "refused", "docker", "deny"),
        ("make test", {"excluded": ["make *"]}, "outside", "the setting `sandbox.excluded` names the command", "ask"),
        ("make test", {"mode": "off"}, "outside", "the setting `sandbox.mode` is off", "ask"),
        ("make test", {"unasked": False}, "inside", "", "ask"),
    ],
)
def test_a_command_that_leaves_is_explained_with_the_reason(
    place: Place, line: str, sandbox: dict[str, Any], where: str, reason: str, outcome: str
) -> None:
    told = place.explained(line, **sandbox)
    assert (told["place"], told["decision"]["outcome"]) == (where, outcome)
    assert reason in told["reason"]
    assert bool(reason) == bool(told["reason"])


def test_a_rule_of_the_user_is_asked_inside_of_the_sandbox_too(place: Place) -> None:
    place.settings.write_text(json.dumps({"permission": {"bash": {"make *": "ask"}}}))
    told = place.explained("make test")
    assert (told["place"], told["decision"]["outcome"]) == ("inside", "ask")


def test_an_agent_that_changes_nothing_writes_nowhere(place: Place) -> None:
    limits = place.explained("make test", "--agent", "plan")["containment"]
    assert (limits["writable"], limits["network"]) == ([], "off")


def test_a_setting_that_opens_too_much_is_a_problem_of_the_explanation(place: Place) -> None:
    (problem,) = place.explained("make test", write=["/"])["problems"]
    assert problem == "sandbox.write: / is the whole file system"


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_every_row_holds_in_the_sandbox_and_nothing_is_left(place: Place) -> None:
    done = place.run("test")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("Every row is as it must be.\n")
    assert all(f"\n{row.id:3}  {row.name}" in done.stdout for row in ROWS)
    assert not list(place.home.glob(".placet-*"))
    assert list((place.home / ".cache" / "placet" / "sandbox").iterdir()) == []


class _Bare:
    """The command as it is, in place of the contained command."""

    def __init__(self, command: Command) -> None:
        self.command = command

    def judged(self, ending: Ending, _text: str) -> Ending:
        return ending


async def test_the_attempts_succeed_without_the_sandbox_and_the_test_says_so(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @asynccontextmanager
    async def bare(_: Sandbox, command: Command, *_limits: object, **_more: object) -> AsyncGenerator[_Bare]:
        yield _Bare(command)

    monkeypatch.setattr(Sandbox, "contained", bare)
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    assert await trial.trial(cwd=place.project, as_json=True) == ExitCode.FAILED
    told = json.loads(capsys.readouterr().out)
    failed = {row["id"] for row in told["rows"] if row["state"] == "failed"}
    assert failed >= {"1", "7", "23", "27", "31", "37"}
    assert failed.isdisjoint({"c2", "c11", "c12"})
    assert not list(place.home.glob(".placet-*")), "the trace of the attempt is removed"


async def test_without_a_sandbox_the_test_fails_and_names_the_next_step(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def none(_: Sandbox, _limits: object = None) -> Backend:
        await asyncio.sleep(0)
        return Backend("none", "none", "bubblewrap (bwrap) is not installed")

    monkeypatch.setattr(Sandbox, "backend", none)
    monkeypatch.setenv("HOME", str(place.home))
    assert await trial.trial(cwd=place.project, as_json=False) == ExitCode.FAILED
    first, last = capsys.readouterr().out.splitlines()
    assert first == "Sandbox: none: bubblewrap (bwrap) is not installed"
    assert "bubblewrap" in last or "sysctl" in last


@pytest.mark.parametrize("words", [("test",), ("explain", "ls")])
def test_a_folder_of_the_sandbox_that_cannot_be_made_is_told_in_a_line(place: Place, words: tuple[str, ...]) -> None:
    folder = place.home / ".cache" / "placet" / "sandbox"
    folder.parent.mkdir(parents=True)
    folder.write_text("a file\n")
    done = place.run(*words)
    assert (done.returncode != 0, "Traceback" in done.stderr) == (True, False), done.stderr
    assert str(folder) in done.stderr
