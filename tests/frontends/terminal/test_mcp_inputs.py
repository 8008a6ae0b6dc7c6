"""Values for `${input:ID}` of a project's `.vscode/mcp.json`, at a terminal and without a terminal."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from fork_support.completed import run_forked
from mcp_support import odd
from run_support import Place, Terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")

PASSWORD = "hush-5e7c"
TOKEN = {"type": "promptString", "id": "token", "description": "API token", "password": True}
REGION = {"type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu"}


class Project(Place):
    """A trusted project whose MCP server gets a password and a region."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        self.config = directory / "CONFIG" / "placet"
        self.config.mkdir(parents=True)
        rules = {"sandbox": {"mode": "off"}, "mcp": {"waitSeconds": 100}, "permission": {"odd_*": "allow"}}
        (self.config / "placet.json").write_text(json.dumps({**rules, "agent": {"title": {"disable": True}}}))
        (self.project / ".vscode").mkdir()
        program, *arguments = odd("environment")["command"]
        server = {"command": program, "args": arguments, "env": {"GIVEN": "${input:region} ${input:token}"}}
        file = {"inputs": [REGION, TOKEN], "servers": {"odd": server}}
        (self.project / ".vscode" / "mcp.json").write_text(json.dumps(file))
        self.script([{"call": "odd_do"}], [{"text": "All done."}])

    def placet(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        done = run_forked(*arguments, directory=self.project, environment=self.environment, stdin=typed)
        assert PASSWORD not in done.stdout + done.stderr
        return done

    def holding(self) -> list[Path]:
        """The files that hold the password."""
        files = (file for file in self.directory.rglob("*") if file.is_file())
        return [file for file in files if PASSWORD.encode() in file.read_bytes()]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_first_prompt_at_a_terminal_asks_and_hides_the_password(project: Project) -> None:
    assert project.placet("trust", "--yes").returncode == 0
    terminal = Terminal(project, "run", "go")
    terminal.wait_for("MCP servers that need values from you: odd.")
    terminal.wait_for("The MCP server odd asks for: region")
    terminal.wait_for("Number (q to decline): ")
    terminal.type("2")
    terminal.wait_for("The MCP server odd asks for: API token")
    terminal.wait_for("Hidden while you type (empty to decline): ")
    terminal.type(PASSWORD)
    terminal.wait_for("All done.")
    assert terminal.end() == 0
    assert "hush" not in terminal.shown
    assert project.holding() == [project.config / "mcp-auth.json"]
    done = project.ended("go")
    assert done["exitCode"] == 0, "the values are kept"


def test_the_interactive_session_asks_too_and_hides_the_password(project: Project) -> None:
    assert project.placet("trust", "--yes").returncode == 0
    terminal = Terminal(project)
    terminal.wait_for("/help")
    terminal.press("go\r")
    terminal.wait_for("Number (q to decline):")
    terminal.press("2\r")
    terminal.wait_for("Hidden while you type (empty to decline):")
    terminal.press(f"{PASSWORD}\r")
    terminal.wait_for("All done.")
    terminal.press("\x04")
    assert terminal.end() == 0
    assert "hush" not in terminal.shown
    assert project.holding() == [project.config / "mcp-auth.json"]


def test_without_a_user_the_server_is_left_out_and_a_command_takes_the_values(project: Project) -> None:
    assert "odd" not in project.placet("mcp", "list").stdout, "an untrusted project asks for nothing"
    assert project.placet("trust", "--yes").returncode == 0
    alone = project.run("run", "go")
    needed = "The MCP server odd needs values from you: region, token. Give values with `placet mcp input odd`."
    assert needed in alone.stdout
    assert alone.returncode == 0
    listed = project.placet("mcp", "list").stdout
    assert "odd  needs_input" in listed
    assert needed in listed
    [finding] = findings(project)
    assert (finding["state"], finding["advice"]) == ("note", "`placet mcp input odd`")
    assert finding["told"].startswith("needs values from you: region, token; set up by ")

    given = project.placet("mcp", "input", "odd", typed=f"us\n{PASSWORD}\n")
    assert (given.returncode, given.stdout) == (0, "odd: connected\n"), given.stderr
    assert "odd  waiting" in project.placet("mcp", "list").stdout
    [finding] = findings(project)
    assert finding["state"] == "fine"
    ran = project.run("run", "--json", "go")
    assert ran.returncode == 0
    assert "us ${input:token}" in ran.stdout
    assert PASSWORD not in ran.stdout + ran.stderr
    assert project.holding() == [project.config / "mcp-auth.json"]

    assert "your values are deleted" in project.placet("mcp", "logout", "odd").stdout
    assert project.holding() == []
    declined = project.placet("mcp", "input", "odd", typed="q\n")
    assert (declined.returncode, declined.stdout) == (1, "odd: nothing was changed.\n")


def findings(project: Project) -> list[dict[str, str]]:
    done = project.placet("doctor", "--json")
    return [finding for finding in json.loads(done.stdout)["findings"] if finding["about"] == "MCP odd"]
