"""A project that would have its code run: none of it is imported until the user trusts it, each in its own process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from extension_support import DONE, Workshop, call, output
from placet.permissions.trust import Trust
from placet.project.inventory import inventory
from time_support import wait_seconds

OWN_TOOL = """
import json
from pydantic import BaseModel
from placet.tools import tool

@tool
def mine() -> str:
    return "mine was run"
"""
OWN_PLUGIN = """
import shared_name
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


NAMES = (
    ".placet/tool/evil.py",
    ".placet/tools/evil.py",
    ".placet/plugin/evil.py",
    ".placet/plugins/evil.py",
    ".opencode/tool/evil.py",
    "evil.pth",
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
    "placet/__init__.py",
    "placet.py",
    "placet_tools_1/__init__.py",
    "pydantic/__init__.py",
    "json.py",
    "shared_name.py",
    ".placet/tool/__init__.py",
)
"""Files that Python or Placet may import by their name or place."""


def test_nothing_of_an_untrusted_project_is_imported(tmp_path: Path) -> None:
    traces = tmp_path / "traces"
    traces.mkdir()
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    for name in NAMES:
        evil = project / name
        evil.parent.mkdir(parents=True, exist_ok=True)
        trace = traces / name.replace("/", " ")
        evil.write_text(f"import os; os.close(os.open({str(trace)!r}, os.O_CREAT | os.O_WRONLY))\n")
    config = tmp_path / "CONFIG" / "placet"
    (config / "tools").mkdir(parents=True)
    (config / "tools" / "mine.py").write_text(OWN_TOOL)
    (config / "plugin").mkdir()
    (config / "plugin" / "own.py").write_text(OWN_PLUGIN)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"turns": [{"events": call("mine")}, {"events": DONE}]}))
    (config / "placet.json").write_text(json.dumps({"model": f"scripted/{script}", "permission": {"mine": "allow"}}))
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CONFIG", "CACHE", "STATE")}
    done = subprocess.run(
        [Path(sys.executable).parent / "placet", "run", "--json", "Go."],
        cwd=project,
        env={**os.environ, **homes},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=wait_seconds(),
        check=False,
    )
    assert "mine was run" in done.stdout, done.stderr
    # The user's own plugin has not found the project's module either.
    assert "No module named 'shared_name'" in done.stderr
    assert [trace.name for trace in traces.iterdir()] == []


@pytest.mark.parametrize(("name", "section"), [(".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers")])
async def test_a_server_of_another_programs_file_is_started_once_the_project_is_trusted(
    workshop: Workshop, name: str, section: str
) -> None:
    trace = workshop.project / "trace"
    server = {"command": sys.executable, "args": ["-c", f"open({str(trace)!r}, 'w')"]}
    file = workshop.project / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({section: {"evil": server}}))
    async with workshop.work(DONE) as work:
        await work.prompt()
        assert work.sessions.extensions.mcp.servers == ()
    assert not trace.exists()
    workshop.trust()
    async with workshop.work(DONE) as work:
        started = await work.sessions.extensions.mcp.connect("evil")
        assert started.settings.sandbox is True
    file.write_text(json.dumps({section: {"other": server}}))
    async with workshop.work(DONE) as work:
        assert work.sessions.extensions.mcp.servers == (), "the file has changed since"


async def test_a_trusted_projects_tool_is_run_and_imports_what_lies_beside_it(workshop: Workshop) -> None:
    workshop.brought("tools/_shared.py", "WORD = 'shared'\n")
    workshop.brought("tools/deep/er.py", "WORD = 'deeper'\n")
    text = "from placet.tools import tool\nfrom ._shared import WORD\nfrom .deep import er\n"
    workshop.brought("tools/say.py", text + "@tool\ndef say() -> str:\n    return f'{WORD} {er.WORD}'\n")
    async with workshop.work() as work:
        assert await work.tools() == []
    workshop.trust()
    async with workshop.work(call("say"), DONE) as work:
        assert output((await work.prompt())[0]) == "shared deeper"


@pytest.mark.parametrize("changed", ["tools/say.py", "tools/_shared.py"])
async def test_a_file_that_changed_after_it_was_trusted_is_not_run(workshop: Workshop, changed: str) -> None:
    trace = workshop.directory / "trace"
    workshop.brought("tools/_shared.py", "WORD = 'shared'\n")
    text = "from placet.tools import tool\nfrom ._shared import WORD\n@tool\ndef say() -> str:\n    return WORD\n"
    workshop.brought("tools/say.py", text)
    workshop.trust()
    async with workshop.work(call("say"), DONE) as work:
        assert await work.tools() == ["say"]
        await work.sessions.config_watcher.close()  # The files are watched no more: nobody looks before we say so.
        workshop.brought(changed, f"open({str(trace)!r}, 'w')\n")
        # What runs is what was read and trusted, whatever the file has become.
        turn = await work.prompt()
        await work.sessions.config_watcher.reload()
        await work.custom.settled()
        assert await work.tools() == []
    assert output(turn[0]) == "shared"
    assert not trace.exists()


async def test_bytes_that_change_between_the_look_and_the_reading_are_not_run(workshop: Workshop) -> None:
    trace = workshop.directory / "trace"
    workshop.brought("tools/say.py", "from placet.tools import tool\n@tool\ndef say() -> str:\n    return ''\n")
    workshop.trust()
    async with workshop.work() as work:
        judged = work.sessions.config
        await work.sessions.config_watcher.close()  # The files are watched no more.
        workshop.brought("tools/say.py", f"open({str(trace)!r}, 'w')\n")
        (life,) = [candidate for candidate in work.custom._lives.values() if candidate.process is not None]
        assert life.process is not None
        life.process.kill()  # It is begun anew, by the setup of before.
        await life.process._listening
        await work.custom.settled()
        assert work.sessions.config is judged
    assert not trace.exists()


async def test_a_refused_project_is_not_imported(workshop: Workshop) -> None:
    trace = workshop.directory / "trace"
    workshop.brought("tools/evil.py", f"open({str(trace)!r}, 'w')\n")
    Trust(workshop.locations.trust).decide(inventory(workshop.project), trusted=False)
    async with workshop.work(DONE) as work:
        await work.prompt()
        assert await work.tools() == []
    assert not trace.exists()


async def test_a_projects_tool_does_not_take_the_name_of_the_users(workshop: Workshop) -> None:
    text = "from placet.tools import tool\n@tool\ndef same() -> str:\n    return {!r}\n"
    workshop.own("tools/same.py", text.format("yours"))
    workshop.brought("tools/same.py", text.format("the project's"))
    workshop.trust()
    async with workshop.work(call("same"), DONE) as work:
        assert output((await work.prompt())[0]) == "yours"
        assert "left out" in work.told[0]


async def test_untrusted_settings_name_no_plugin(workshop: Workshop) -> None:
    trace = workshop.directory / "trace"
    evil = workshop.own("../evil.py", f"open({str(trace)!r}, 'w')\n")
    workshop.brought("placet.json", json.dumps({"plugin": [str(evil)]}))
    async with workshop.work(DONE) as work:
        await work.prompt()
        assert work.sessions.settings.plugin == ()
    assert not trace.exists()
