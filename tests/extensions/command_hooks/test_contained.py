"""Hooks run in the sandbox by the setting `plugins.sandbox`: a project's do, the user's own do not."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from extension_support import DONE, Workshop, call, error
from placet.extensions.command_hooks.hooks import CommandHooks
from placet.extensions.command_hooks.table import CommandHook, HookOwner
from placet.sandbox.programs import Program
from sandbox_support import FakeSandbox


@pytest.mark.parametrize(("sandbox", "contained"), [(None, ["theirs"]), (True, ["mine", "theirs"]), (False, [])])
async def test_the_setting_says_whose_hooks_are_contained(
    tmp_path: Path, sandbox: bool | None, contained: list[str]
) -> None:
    fake = FakeSandbox()
    folders = {"mine": tmp_path, "theirs": tmp_path / "theirs"}
    folders["theirs"].mkdir()
    hooks = CommandHooks(fake.contain)
    own = CommandHook("Stop", "echo mine >&2; exit 2", "here")
    brought = CommandHook("Stop", "echo theirs >&2; exit 2", "there", owner=HookOwner(folder=folders["theirs"]))
    hooks.follow((own, brought), sandbox=sandbox)
    outcome = await hooks.run("Stop", (), {}, tmp_path)
    assert outcome.block == "mine\ntheirs"
    expected = [Program(f"the hooks of {folders[name]}", (folders[name],)) for name in contained]
    assert sorted(fake.programs, key=str) == sorted(expected, key=str)
    assert fake.running == [], "each sandbox ends with its hook"


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
