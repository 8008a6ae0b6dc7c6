"""Programs of projects and plugins: their sources switch the sandbox on, and only the user's sources switch it off."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.settings import Locations, Settings, load_settings
from placet.settings.mcp import ProgramSandbox
from placet.settings.sources import ProjectFile

SERVER = {"command": "server"}


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    return Locations(tmp_path, tmp_path, tmp_path, tmp_path)


def load(locations: Locations, project: object, own: object = None, **sources: Any) -> Settings:
    locations.config.joinpath("placet.json").write_text(json.dumps(own or {}))
    path = locations.config / "project.json"
    path.write_text(json.dumps(project, indent=1))
    file = ProjectFile(path, hashlib.sha256(path.read_bytes()).hexdigest())
    return load_settings(locations, environment={}, project=[file], **sources)


def test_a_server_of_a_projects_file_is_contained_and_one_of_the_user_is_not(locations: Locations) -> None:
    settings = load(locations, {"mcp": {"theirs": SERVER}}, {"mcp": {"mine": SERVER}})
    sandboxes = {name: server.sandbox for name, server in settings.mcp.servers.items()}
    assert sandboxes == {"mine": None, "theirs": True}
    assert settings.problems == ()


@corpus("sandbox", [False, {"write": ["~/elsewhere"]}, {"domains": ["*"]}, None])
def test_a_projects_file_cannot_open_the_sandbox_of_its_server(locations: Locations, sandbox: object) -> None:
    settings = load(locations, {"mcp": {"theirs": {**SERVER, "sandbox": sandbox}}})
    assert settings.mcp.servers["theirs"].sandbox is True
    (problem,) = settings.problems
    place = f"{locations.config}/project.json:5: setting `mcp.theirs.sandbox`: "
    assert problem == place + "only your own settings can open the sandbox of a program"


@corpus("change", [{"command": "evil"}, {"args": ["evil"]}, {"env": {"PATH": "."}}, {"cwd": "."}])
def test_a_projects_file_that_changes_a_server_of_the_user_contains_the_server(
    locations: Locations, change: dict[str, Any]
) -> None:
    settings = load(locations, {"mcp": {"mine": change}}, {"mcp": {"mine": {**SERVER, "sandbox": False}}})
    assert settings.mcp.servers["mine"].sandbox is True


def test_a_projects_file_that_only_switches_a_server_of_the_user_off_leaves_the_sandbox(locations: Locations) -> None:
    settings = load(locations, {"mcp": {"mine": {"enabled": False}}}, {"mcp": {"mine": SERVER}})
    assert (settings.mcp.servers["mine"].enabled, settings.mcp.servers["mine"].sandbox) == (False, None)


@corpus("sandbox", [False, {"domains": ["example.com"]}])
def test_a_server_that_the_user_has_written_too_keeps_the_users_sandbox(locations: Locations, sandbox: object) -> None:
    server = {"command": ["server", "--all"], "env": {"A": "b"}}
    settings = load(locations, {"mcp": {"both": server}}, {"mcp": {"both": {**server, "sandbox": sandbox}}})
    expected = sandbox if sandbox is False else ProgramSandbox(domains=("example.com",))
    assert settings.mcp.servers["both"].sandbox == expected


def test_the_editors_options_open_the_sandbox_of_a_projects_server(locations: Locations) -> None:
    editor = {"mcp": {"theirs": {"sandbox": {"domains": ["example.com"]}}}}
    settings = load(locations, {"mcp": {"theirs": SERVER}}, editor=editor)
    assert settings.mcp.servers["theirs"].sandbox == ProgramSandbox(domains=("example.com",))


def test_a_server_of_a_plugin_is_contained(locations: Locations) -> None:
    settings = load(locations, {}, plugins=[("p", {"mcp": {"added": {**SERVER, "sandbox": False}}})])
    assert settings.mcp.servers["added"].sandbox is True
    assert settings.problems == (
        "the plugin p: setting `mcp.added.sandbox`: only your own settings can open the sandbox of a program",
    )


def test_the_address_of_a_remote_server_has_no_sandbox(locations: Locations) -> None:
    settings = load(locations, {"mcp": {"far": {"url": "https://example.com"}}})
    assert settings.mcp.servers["far"].sandbox is None


@corpus("section", ["languages", "plugins"])
def test_a_projects_file_switches_the_sandbox_of_language_servers_and_plugins_on_and_never_off(
    locations: Locations, section: str
) -> None:
    on = load(locations, {section: {"sandbox": True}})
    off = load(locations, {section: {"sandbox": False}}, {section: {"sandbox": True}})
    assert getattr(on, section).sandbox is True
    assert getattr(off, section).sandbox is True
    assert [f"setting `{section}.sandbox`" in problem for problem in off.problems] == [True]


@corpus("mcp", [1, [], {"theirs": 1}, {"theirs": None}])
def test_a_faulty_server_of_a_projects_file_stays_a_problem_of_its_own(locations: Locations, mcp: object) -> None:
    settings = load(locations, {"mcp": mcp})
    assert settings.mcp.servers == {}
    assert len(settings.problems) == 1
