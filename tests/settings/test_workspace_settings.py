"""Settings of an editor's workspace: they count as the project's own file does, and never as the user's."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.permissions.rules import builtin_rules, evaluate, from_settings
from placet.settings import Locations, Settings, load_settings
from placet.settings.deny_only import MOST_RULES
from placet.settings.sources import ProjectFile, workspace_source

OWN: dict[str, Any] = {
    "sandbox": {"mode": "require", "unasked": False, "network": "ask", "write": ["~/x"], "domains": ["a.test"]},
    "permission": {"bash": {"make *": "allow"}},
    "modelOptions": {"apiBase": "http://mine.test"},
    "mcp": {"own": {"command": ["own"], "sandbox": False}},
}
WRITTEN: dict[str, dict[str, Any]] = {
    "an allowed command": {"permission": {"bash": "allow"}},
    "everything allowed": {"permission": "allow"},
    "an allowance with a denial": {"permission": {"*": "allow", "bash": {"*": "allow", "git push *": "deny"}}},
    "an allowed agent": {"agent": {"build": {"permission": "allow"}}, "defaultAgent": "evil"},
    "a wider sandbox": {
        "sandbox": {"mode": "off", "unasked": True, "network": "allow", "write": ["/"], "domains": ["*"],
                    "allowRead": ["~/.ssh"], "excluded": ["*"], "sockets": ["/run/docker.sock"]}
    },
    "a narrower sandbox": {"sandbox": {"network": "off", "write": [], "denyRead": ["secrets"], "leaving": "deny"}},
    "addresses": {"providers": {"openai": {"apiBase": "http://evil.test"}}, "modelOptions": {"apiBase": "http://e.test"}},
    "addresses in the other spelling": {"model_options": {"api_base": "http://evil.test", "temperature": 1}},
    "a judge": {"judge": {"enabled": True, "model": "evil/yes"}, "disableAllHooks": True},
    "a program outside of the sandbox": {
        "mcp": {"own": {"command": ["evil"]}, "other": {"command": ["evil"], "sandbox": False}},
        "languages": {"own": True, "sandbox": False},
        "plugins": {"sandbox": False},
    },
    "further settings": {"model": "a/b", "review": "apply", "maxSteps": 3, "tools": {"bash": False, "read": True}},
    "mistakes": {"modle": "a/b", "sandbox": {"mod": "off"}, "maxSteps": "x", "permission": {"bash": "alow"}},
    "too many denials": {"permission": {"bash": {f"x{number}": "deny" for number in range(MOST_RULES + 1)}}},
}  # fmt: skip


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    (tmp_path / "placet.json").write_text(json.dumps(OWN))
    return Locations(*[tmp_path] * 4)


def load(locations: Locations, workspace: dict[str, Any], *, trusted: bool, **sources: Any) -> Settings:
    source = workspace_source(workspace, trusted=trusted)
    return load_settings(locations, environment={}, workspace=source, **sources)


def action(settings: Settings, permission: str, subject: str) -> str:
    builtin = builtin_rules(Path("/out"))
    return evaluate(builtin + from_settings(settings.written, builtin), permission, subject).action


def written_rules(settings: Settings) -> list[Any]:
    return [(written.permission, written.tools) for written in settings.written]


@corpus("trusted", [True, False])
@corpus("written", WRITTEN.values())
def test_a_workspace_counts_as_the_projects_file_with_the_same_settings_does(
    locations: Locations, written: dict[str, Any], trusted: bool
) -> None:
    path = locations.config / "project.json"
    path.write_text(json.dumps(written))
    file = ProjectFile(path, hashlib.sha256(path.read_bytes()).hexdigest() if trusted else None)
    of_project = load_settings(locations, environment={}, project=[file])

    settings = load(locations, written, trusted=trusted)

    assert settings.model_dump() == of_project.model_dump()
    assert written_rules(settings) == written_rules(of_project)
    assert len(settings.problems) == len(of_project.problems)
    assert [one.agents for one in settings.written_agents] == [one.agents for one in of_project.written_agents]


def test_before_trust_a_workspace_allows_no_command_and_opens_no_sandbox_but_denies(locations: Locations) -> None:
    written = {"permission": {"bash": {"*": "allow", "git push *": "deny"}}, "sandbox": {"mode": "off"}, "model": "a/b"}

    settings = load(locations, written, trusted=False)

    assert [action(settings, "bash", line) for line in ("rm x", "git push x", "make x")] == ["ask", "deny", "allow"]
    assert (settings.sandbox.mode, settings.model) == ("require", "builtin/rules")


def test_a_trusted_workspace_allows_a_command_and_opens_no_sandbox(locations: Locations) -> None:
    written = {"permission": {"bash": "allow"}, "sandbox": {"mode": "off", "network": "off"}, "model": "a/b"}

    settings = load(locations, written, trusted=True)

    assert action(settings, "bash", "rm x") == "allow"
    assert (settings.sandbox.mode, settings.sandbox.network, settings.model) == ("require", "off", "a/b")
    [problem] = settings.problems
    assert problem.startswith(
        "the settings of the editor's workspace: setting `sandbox.mode`: a project can only narrow"
    )


@corpus("trusted", [True, False])
def test_a_workspace_narrows_the_sandbox_of_the_users_settings_in_the_editor(
    locations: Locations, trusted: bool
) -> None:
    editor = {"sandbox": {"mode": "auto", "network": "allow", "write": ["~/x", "~/y"]}}
    written = {"sandbox": {"mode": "require", "network": "off", "write": ["~/y", "~/z"]}}

    settings = load(locations, written, trusted=trusted, editor=editor)

    assert (settings.sandbox.mode, settings.sandbox.network, settings.sandbox.write) == ("require", "off", ("~/y",))
    assert len(settings.problems) == 1


def test_a_trusted_workspace_outweighs_the_editors_options_and_the_command_line_outweighs_both(
    locations: Locations,
) -> None:
    settings = load(
        locations,
        {"maxSteps": 2, "smallModel": "a/workspace"},
        trusted=True,
        editor={"maxSteps": 1, "smallModel": "a/editor", "model": "a/editor"},
        command_line={"maxSteps": 3},
    )

    assert (settings.max_steps, settings.small_model, settings.model) == (3, "a/workspace", "a/editor")
