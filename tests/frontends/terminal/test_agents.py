import json
import os
import subprocess
from pathlib import Path

import pytest

from fork_support.completed import run_forked


@pytest.fixture
def config(tmp_path: Path) -> Path:
    directory = tmp_path / "CONFIG" / "placet"
    (directory / "agents").mkdir(parents=True)
    return directory


def placet(directory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    homes = {f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    return run_forked(*arguments, directory=directory, environment={**os.environ, **homes, **environment})


def test_every_agent_that_is_not_hidden_is_listed_with_where_it_is_defined(tmp_path: Path, config: Path) -> None:
    file = config / "agents" / "reviewer.md"
    file.write_text("---\ndescription: Reviews.\nmodel: a/b\n---\nYou review.\n")
    (config / "placet.json").write_text(json.dumps({"defaultAgent": "reviewer", "agent": {"plan": {"disable": True}}}))
    done = placet(tmp_path, "agents", "--json")

    assert (done.returncode, done.stderr) == (0, "")
    agents = {agent.pop("name"): agent for agent in json.loads(done.stdout)}
    assert list(agents) == ["build", "general", "explore", "reviewer"]
    assert agents["reviewer"] == {
        "mode": "all",
        "model": "a/b",
        "description": "Reviews.",
        "source": str(file),
        "default": True,
    }
    assert (agents["build"]["source"], agents["build"]["default"]) == ("built in", False)


def test_the_table_has_a_line_for_each_and_what_is_wrong_is_said_beside_it(tmp_path: Path, config: Path) -> None:
    (config / "agents" / "bad.md").write_text("---\nmode: boss\n---\n")
    done = placet(tmp_path, "agents")

    assert done.returncode == 0
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        ["name", "mode"],
        ["build", "primary"],
        ["plan", "primary"],
        ["general", "subagent"],
        ["explore", "subagent"],
    ]
    assert f"placet: {config / 'agents' / 'bad.md'}:2: the agent `bad`: `mode`" in done.stderr


def test_a_run_is_the_named_agents_and_a_model_on_the_command_line_outweighs_its_own(tmp_path, config) -> None:
    for name, said in (("own", "From its own."), ("named", "From the named one.")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"turns": [{"events": [{"text": said}]}]}))
    (config / "agents" / "x.md").write_text(f"---\nmodel: scripted/{tmp_path / 'own.json'}\n---\nYou are x.\n")

    assert "From its own." in placet(tmp_path, "run", "--agent", "x", "go").stdout
    named = f"scripted/{tmp_path / 'named.json'}"
    assert "From the named one." in placet(tmp_path, "run", "--agent", "x", "--model", named, "go").stdout
    assert "no agent `y` that takes prompts" in placet(tmp_path, "run", "--agent", "y", "go").stderr
