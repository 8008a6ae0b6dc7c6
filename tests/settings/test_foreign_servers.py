"""MCP servers in a project's files of other programs: `.mcp.json` and `.vscode/mcp.json`."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.project.inventory import inventory
from placet.settings import Locations, Settings, load_settings
from placet.settings.sources import ProjectFile


class Project:
    """A project with files of settings, and the user's own settings."""

    def __init__(self, directory: Path) -> None:
        self.folder = directory / "project"
        self.folder.mkdir()
        self._config = directory / "config"
        self._config.mkdir()
        self._files: list[ProjectFile] = []

    def file(self, name: str, content: object, *, trusted: bool = True) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(json.dumps(content, indent=1))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self._files.append(ProjectFile(path, digest if trusted else None))
        return path

    def servers(self, servers: object, **environment: str) -> Settings:
        self.file(".mcp.json", {"mcpServers": servers})
        return self.load(environment=environment)

    def load(self, own: object = None, environment: dict[str, str] | None = None) -> Settings:
        (self._config / "placet.json").write_text(json.dumps(own or {}))
        locations = Locations(*[self._config] * 4)
        return load_settings(locations, environment=environment or {}, project=self._files)


def project_in(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_in(tmp_path)


def test_servers_of_both_shapes_are_set_up_in_the_sandbox_and_know_their_source(project: Project) -> None:
    files = {"command": "npx", "args": ["-y", "files"], "env": {"A": "b"}}
    claude = project.file(".mcp.json", {"mcpServers": {"files": files, "far": {"url": "http://a"}}})
    more = {"type": "stdio", "command": "uvx", "cwd": "sub", "env": {"N": 1, "X": None}}
    code = project.file(".vscode/mcp.json", {"inputs": [], "servers": {"more": more}})
    settings = project.load()
    assert settings.problems == ()
    servers = settings.mcp.servers
    assert list(servers) == ["files", "far", "more"]
    assert (servers["files"].command, servers["files"].env) == (("npx", "-y", "files"), {"A": "b"})
    assert (servers["files"].sandbox, servers["far"].url, servers["far"].sandbox) == (True, "http://a", None)
    assert (servers["more"].type, servers["more"].cwd, servers["more"].env) == ("local", "sub", {"N": "1"})
    sources = {name: settings.source_of_server(name) for name in servers}
    assert sources == {"files": str(claude), "far": str(claude), "more": str(code)}


def test_a_file_that_is_not_trusted_sets_nothing_up_and_is_not_complained_about(project: Project) -> None:
    project.file(".mcp.json", {"mcpServers": {"evil": {"command": "${NOWHERE}"}}}, trusted=False)
    settings = project.load()
    assert (settings.mcp.servers, settings.problems) == ({}, ())


def test_placets_own_settings_win_on_equal_names_and_nothing_is_mixed(project: Project) -> None:
    far = {"mine": {"command": "a", "env": {"A": "1"}}, "ours": {"command": "b"}, "near": {"command": "f"}}
    project.file(".mcp.json", {"mcpServers": far})
    project.file(".vscode/mcp.json", {"servers": {"mine": {"command": "c"}, "both": {"command": "d"}}})
    project.file("placet.json", {"mcp": {"ours": {"url": "http://ours"}}})
    project.file("deep/.mcp.json", {"mcpServers": {"both": {"command": "e"}, "near": {"command": "g"}}})
    settings = project.load({"mcp": {"mine": {"url": "http://mine"}}})
    assert settings.problems == ()
    servers = settings.mcp.servers
    assert {name: server.url or server.command for name, server in servers.items()} == {
        "mine": "http://mine",
        "ours": "http://ours",
        "both": ("e",),
        "near": ("g",),
    }
    assert servers["mine"].env == {}


def test_references_are_replaced_by_variables_defaults_and_the_folder(project: Project) -> None:
    arguments = ["${HERE}", "${GONE:-other one}", "${EMPTY:-full}", "${env:HERE}", "$HERE ${workspaceFolderBasename}"]
    local = {"command": "${workspaceFolder}/run", "args": arguments, "env": {"TOKEN": "Bearer ${HERE}"}}
    remote = {"url": "https://${HOST:-example.org}/mcp", "headers": {"X": "${HERE}"}}
    settings = project.servers({"a": local, "b": remote}, HERE="here", EMPTY="")
    assert settings.problems == ()
    a, b = settings.mcp.servers.values()
    assert a.command == (f"{project.folder}/run", "here", "other one", "full", "here", "$HERE project")
    assert a.env == {"TOKEN": "Bearer here"}
    assert (b.url, b.headers) == ("https://example.org/mcp", {"X": "here"})


@corpus(
    ("server", "why"),
    [
        ({"command": "${GONE}"}, "the environment variable GONE is not set"),
        ({"command": "a", "env": {"K": "${input:key}"}}, "the file defines no input `key`"),
        ({"command": "a", "args": ["${command:x}"]}, "Placet does not know `${command:x}`"),
        ({"command": "a", "args": "b"}, "expected `args` to be a list"),
        ({"command": "a", "envFile": ".env"}, "reads no `envFile`"),
        ({"type": "carrier-pigeon", "command": "a"}, "knows no type `carrier-pigeon`"),
        ("a", "expected an object"),
    ],
    project=project_in,
)
def test_a_server_that_cannot_be_set_up_is_left_out_with_its_line_and_reason(
    project: Project, server: Any, why: str
) -> None:
    settings = project.servers({"good": {"command": "a"}, "bad": server})
    assert list(settings.mcp.servers) == ["good"]
    [problem] = settings.problems
    assert problem.startswith(f"{project.folder / '.mcp.json'}:6: the MCP server bad is left out: ")
    assert why in problem


def test_a_file_sets_up_servers_and_nothing_else(project: Project) -> None:
    server = {"command": "{env:SECRET}", "permission": "allow", "sandbox": False, "timeoutSeconds": 1}
    project.file(
        ".mcp.json",
        {
            "permission": "allow",
            "model": "evil/model",
            "mcp": {"other": {"command": "b"}},
            "mcpServers": {"a": server, "waitSeconds": {"command": "b"}},
        },
    )
    settings = project.load(environment={"SECRET": "s"})
    assert list(settings.mcp.servers) == ["a"]
    read = settings.mcp.servers["a"]
    assert (read.command, read.permission, read.sandbox, read.timeout_seconds) == (("{env:SECRET}",), None, True, 30)
    assert (settings.mcp.wait_seconds, settings.model, settings.permission) == (5.0, Settings().model, {})


def test_the_files_and_the_programs_that_they_name_are_part_of_a_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "server.py").write_text("")
    (tmp_path / "other.py").write_text("")
    (tmp_path / ".vscode").mkdir()
    server = {"command": "python", "args": ["${workspaceFolder}/server.py"]}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"a": server}}))
    (tmp_path / ".vscode" / "mcp.json").write_text(json.dumps({"servers": {"b": {"command": "./other.py"}}}))
    assert {(item.kind, item.name) for item in inventory(tmp_path).items} == {
        ("settings", ".mcp.json"),
        ("settings", ".vscode/mcp.json"),
        ("program", "server.py"),
        ("program", "other.py"),
    }


TOKEN = {"type": "promptString", "id": "token", "description": "API token", "password": True}
REGION = {"type": "pickString", "id": "region", "options": ["eu", {"label": "America", "value": "us"}], "default": "eu"}


def with_inputs(project: Project, server: Any, *inputs: Any) -> Settings:
    project.file(".vscode/mcp.json", {"inputs": inputs, "servers": {"good": {"command": "a"}, "asking": server}})
    return project.load(environment={"HERE": "here"})


def test_a_reference_to_an_input_stays_with_the_definition_of_the_input(project: Project) -> None:
    env = {"TOKEN": "${env:HERE} ${input:token}"}
    server = {"command": "a", "args": ["--in", "${input:region}"], "env": env}
    settings = with_inputs(project, server, TOKEN, {**REGION, "extra": 1}, {"type": "command", "id": "other"})
    assert settings.problems == ()
    asking = settings.mcp.servers["asking"]
    assert (asking.command, asking.env) == (("a", "--in", "${input:region}"), {"TOKEN": "here ${input:token}"})
    region, token = asking.inputs
    assert (token.id, token.description, token.password) == ("token", "API token", True)
    assert [(choice.label, choice.value) for choice in region.choices] == [("eu", "eu"), ("America", "us")]
    assert (region.default, asking.used_inputs, asking.sandbox) == ("eu", asking.inputs, True)


@corpus(
    ("server", "inputs", "why"),
    [
        ({"command": "${input:x}"}, [], "the file defines no input `x`"),
        ({"command": "${input:x}"}, ["x", {"id": 1}], "the file defines no input `x`"),
        ({"command": "${input:x}"}, [{"type": "command", "id": "x"}], "`x` comes from a command of VS Code"),
        ({"command": "${input:x}"}, [{"type": "oracle", "id": "x"}], "no type `oracle` of the input `x`"),
        ({"command": "${input:x}"}, [{"type": "pickString", "id": "x"}], "expected `options` for a `pickString`"),
        ({"url": "https://a/${input:token}"}, [TOKEN], "a password cannot stand in `url`"),
    ],
    project=project_in,
)
def test_a_server_whose_input_cannot_be_asked_for_is_left_out_with_the_reason(
    project: Project, server: Any, inputs: list[Any], why: str
) -> None:
    settings = with_inputs(project, server, *inputs)
    assert list(settings.mcp.servers) == ["good"]
    assert why in settings.problems[0]
    assert str(project.folder / ".vscode" / "mcp.json") in settings.problems[0]


def test_a_server_of_your_own_defines_its_inputs_itself(project: Project) -> None:
    own = {"url": "https://${input:host}/mcp", "inputs": [{"id": "host"}, {"id": "unused"}]}
    undefined = {"command": "a", "args": ["${input:x}"]}
    settings = project.load({"mcp": {"own": own, "undefined": undefined}})
    assert [entry.id for entry in settings.mcp.servers["own"].used_inputs] == ["host"]
    assert list(settings.mcp.servers) == ["own"]
    assert "`inputs` has no input `x`" in settings.problems[0]
