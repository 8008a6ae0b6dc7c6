import json
import os
import subprocess
from pathlib import Path

import pytest

from fork_support.completed import run_forked
from placet.tools.framework.builtin import BUILTIN


def placet(directory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    homes = {f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    kept = {name: value for name, value in os.environ.items() if name != "EXA_API_KEY"}
    return run_forked("tools", *arguments, environment={**kept, **homes, **environment})


def listed(directory: Path, *arguments: str, **environment: str) -> dict[str, dict]:
    done = placet(directory, "--json", *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return {tool["id"]: tool for tool in json.loads(done.stdout)}


@pytest.fixture
def settings(tmp_path: Path):
    def write(**values: object) -> None:
        file = tmp_path / "CONFIG" / "placet" / "placet.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))

    return write


def test_every_tool_is_listed_with_its_schema_and_why_it_is_not_there(tmp_path: Path) -> None:
    tools = listed(tmp_path)
    assert list(tools) == [tool.id for tool in BUILTIN]
    for tool in tools.values():
        assert set(tool) == {"id", "description", "schema", "source", "enabled", "reason"}
        assert tool["schema"]["type"] == "object"
        assert tool["source"] == "built in"
        assert tool["enabled"] == (tool["reason"] is None)
    off = {name for name, tool in tools.items() if not tool["enabled"]}
    assert off == {"batch", "codesearch", "plan_enter", "plan_exit", "websearch"}


def test_a_key_in_the_environment_brings_the_searches(tmp_path: Path) -> None:
    tools = listed(tmp_path, EXA_API_KEY="key")
    assert tools["websearch"]["enabled"]
    assert tools["codesearch"]["enabled"]


def test_flags_rules_and_switches_of_the_settings_are_followed(tmp_path: Path, settings) -> None:
    settings(
        experimental={"batch_tool": True, "planMode": True},
        permission={"bash": "deny"},
        tools={"lsp": True, "todo*": False},
    )
    tools = listed(tmp_path)
    assert tools["batch"]["enabled"]
    assert tools["lsp"]["enabled"]
    assert tools["plan_enter"]["enabled"]
    assert "deny `plan_exit`" in tools["plan_exit"]["reason"]
    assert "deny `bash`" in tools["bash"]["reason"]
    assert tools["todoread"]["reason"] == "The setting `tools.todo*` is false."


def test_tools_are_listed_as_an_agent_and_a_model_have_them(tmp_path: Path, settings) -> None:
    settings(experimental={"planMode": True})
    plan = listed(tmp_path, "--agent", "plan")
    assert plan["plan_exit"]["enabled"]
    assert not plan["edit"]["enabled"]
    assert not listed(tmp_path, "--model", "openai/gpt-5.1")["edit"]["enabled"]


def test_the_table_names_each_tool_and_what_it_needs(tmp_path: Path) -> None:
    lines = placet(tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [tool.id for tool in BUILTIN]
    assert any("experimental.batchTool" in line for line in lines)


def test_a_wrong_agent_or_setting_is_said(tmp_path: Path, settings) -> None:
    done = placet(tmp_path, "--agent", "nobody")
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no agent `nobody`. Agents: build, " in done.stderr
    settings(experimental={"warp": True})
    assert "experimental.warp" in placet(tmp_path).stderr


def test_tools_of_files_are_listed_with_their_file_and_those_left_out_with_the_reason(tmp_path):
    tools = tmp_path / "CONFIG" / "placet" / "tools"
    tools.mkdir(parents=True)
    (tools / "hello.py").write_text(
        "from placet.tools import tool\n@tool\ndef hello(name: str) -> str:\n    '''Greet.'''\n    return name\n"
    )
    (tools / "broken.py").write_text("def (:\n")
    tools_by_id = listed(tmp_path)
    hello, broken = tools_by_id["hello"], tools_by_id["broken"]
    assert hello["enabled"]
    assert hello["source"] == str(tools / "hello.py")
    assert hello["description"] == "Greet."
    assert hello["schema"]["properties"] == {"name": {"type": "string"}}
    assert not broken["enabled"]
    assert broken["source"] == str(tools / "broken.py")
    assert "SyntaxError" in broken["reason"]
    table = placet(tmp_path).stdout
    assert "(not available) Its file is left out: SyntaxError" in table


def test_the_tools_of_another_directory_are_listed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "placet.json").write_text('{"permission": {"webfetch": "deny"}}')
    assert listed(tmp_path)["webfetch"]["enabled"]
    assert not listed(tmp_path, "--cwd", str(project))["webfetch"]["enabled"]
    assert placet(tmp_path, "--cwd", str(tmp_path / "nowhere")).returncode == 2
