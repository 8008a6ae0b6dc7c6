"""Hooks run in the sandbox, except where the user's own settings say otherwise."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from extension_support import DONE, Workshop, call, error
from placet.extensions.command_hooks.hooks import CommandHooks
from placet.extensions.command_hooks.outcome import HookEnding, outcome_of
from placet.extensions.command_hooks.table import CommandHook, HookOwner, read_hooks
from placet.sandbox.programs import Program
from sandbox_support import FakeSandbox


@pytest.mark.parametrize(
    ("sandbox", "contained"),
    [(None, ["mine", "theirs"]), (True, ["mine", "leaving", "theirs"]), (False, [])],
)
async def test_the_settings_say_which_hooks_are_contained(
    tmp_path: Path, sandbox: bool | None, contained: list[str]
) -> None:
    fake = FakeSandbox()
    theirs, second = tmp_path / "theirs", tmp_path / "second"
    for folder in (theirs, second):
        folder.mkdir()
    hooks = CommandHooks(fake.contain, lambda: (tmp_path, second))
    said = "test -z $INSIDE_THE_FAKE_SANDBOX || echo {} >&2; exit 2"
    own = CommandHook("Stop", said.format("mine"), "here")
    leaving = CommandHook("Stop", said.format("leaving"), "here", leaves_sandbox=True)
    brought = CommandHook("Stop", said.format("theirs"), "there", owner=HookOwner(folder=theirs))
    hooks.follow((own, leaving, brought), sandbox=sandbox)
    outcome = await hooks.run("Stop", (), {}, tmp_path)
    ran = outcome.block.replace("The hook gave no reason.", "").split()
    assert ran == contained
    programs = {
        "mine": Program("your hooks", (tmp_path, second)),
        "leaving": Program("your hooks", (tmp_path, second)),
        "theirs": Program(f"the hooks of {theirs}", (theirs,)),
    }
    assert sorted(fake.programs, key=str) == sorted((programs[name] for name in contained), key=str)
    assert fake.running == [], "each sandbox ends with its hook"


def test_only_a_hook_of_the_user_leaves_the_sandbox() -> None:
    entry = {"type": "command", "command": "true", "sandbox": False}
    values = {"Stop": [{"hooks": [entry]}]}
    problems: list[str] = []
    (own,) = read_hooks(values, "your settings", HookOwner(), problems)
    assert own.leaves_sandbox
    assert problems == []
    for owner in (HookOwner(folder=Path("/project")), HookOwner(bundle="brought")):
        assert read_hooks(values, "a file", owner, problems) == ()
    assert [problem.count("your own settings") for problem in problems] == [1, 1]
    (usual,) = read_hooks({"Stop": [{"hooks": [{**entry, "sandbox": True}]}]}, "x", HookOwner(folder=Path("/p")), [])
    assert not usual.leaves_sandbox


async def test_a_hook_that_cannot_be_contained_does_not_run_and_the_user_is_told(tmp_path: Path) -> None:
    hooks = CommandHooks(FakeSandbox("There is no sandbox here.").contain)
    trace = tmp_path / "ran"
    hooks.follow((CommandHook("Stop", f"touch '{trace}'", "there", owner=HookOwner(folder=tmp_path)),), sandbox=None)
    outcome = await hooks.run("Stop", (), {}, tmp_path)
    assert "could not run: There is no sandbox here." in outcome.messages[0]
    assert not trace.exists()


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")
async def test_a_hook_of_a_trusted_project_writes_in_the_project_alone(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    outside, inside = workshop.directory / "outside", workshop.project / "inside"
    file = workshop.project / ".claude" / "settings.json"
    file.parent.mkdir()
    command = f"touch '{outside}' '{inside}' 2>/dev/null; cat >/dev/null; echo answered >&2; exit 2"
    entries = [{"hooks": [{"type": "command", "command": command}]}]
    file.write_text(json.dumps({"hooks": {"PreToolUse": entries}}))
    workshop.trust()
    async with workshop.work(call("glob", pattern="*"), DONE) as work:
        assert "answered" in error((await work.prompt())[0])
    assert inside.exists()
    assert not outside.exists()


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")
async def test_a_hook_of_the_user_runs_a_formatter_of_the_project_inside_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop = Workshop(tmp_path)
    outside, file = workshop.directory / "outside", workshop.project / "a.txt"
    formatter = workshop.project / ".venv" / "bin" / "formatter-of-a-test"
    formatter.parent.mkdir(parents=True)
    formatter.write_text(f"#!/bin/sh\ncat > /dev/null\necho formatted > '{file}'\ntouch '{outside}'\n")
    formatter.chmod(0o755)
    monkeypatch.setenv("PATH", str(formatter.parent), prepend=os.pathsep)
    entries = [{"matcher": "Write", "hooks": [{"type": "command", "command": formatter.name}]}]
    writes = call("write", filePath="a.txt", content="new\n")
    async with workshop.work(writes, DONE, hooks={"PostToolUse": entries}, permission={"edit": "allow"}) as work:
        await work.prompt()
    assert file.read_text() == "formatted\n"
    assert not outside.exists()


@pytest.mark.parametrize(("code", "is_blocked"), [(1, False), (2, True)])
def test_a_hook_that_the_sandbox_refused_a_file_tells_the_user_the_way_out(code: int, is_blocked: bool) -> None:
    ending = HookEnding(code, errors="sh: 1: cannot create /x: Read-only file system", is_contained=True)
    own = outcome_of(CommandHook("PreToolUse", "log", "here"), ending)
    assert bool(own.block) is is_blocked
    assert '`"sandbox": false` beside `command` runs the hook outside' in own.messages[0]
    brought = outcome_of(CommandHook("PreToolUse", "log", "there", owner=HookOwner(folder=Path("/project"))), ending)
    assert not any("runs the hook outside" in message for message in brought.messages), "only the user can leave"
