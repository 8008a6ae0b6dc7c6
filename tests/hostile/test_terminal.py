"""A hostile repository in a terminal: nothing of it runs until it is trusted, whatever command looks at it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from fork_support.completed import run_forked
from hostile_support import ALIVE, BOLD, LANGUAGE_SERVER, SECRET, UNCONTAINED, WAITING, HostileRepository, commands
from hostile_support.traps import LINK, OBEYED
from placet.project.inventory import inventory

PLACET = str(Path(sys.executable).with_name("placet"))
LOOKING = [
    ["tools"],
    ["tools", "--json"],
    ["agents"],
    ["permissions", "list"],
    ["permissions", "explain", "bash", "make x"],
    ["permissions", "explain", "edit", "b.txt"],
    ["mcp", "list"],
    ["mcp", "status"],
    ["trust"],
    ["trust", "--list"],
    ["doctor"],
    ["sessions", "list"],
    ["pending"],
    ["usage"],
    ["setup", "neovim"],
    ["auth", "list"],
    ["schema", "settings"],
]
"""Every command that does not change anything."""
LOOKING_WHEN_TRUSTED = [
    ["tools", "--json"],
    ["tools"],
    ["agents"],
    ["mcp", "list"],
    ["permissions", "list"],
    ["permissions", "explain", "bash", "make x"],
    ["trust"],
]


class Shell:
    """A user's, in the repository."""

    def __init__(self, directory: Path, **settings: object) -> None:
        self.repository = HostileRepository(directory)
        home = directory / "home"
        self._environment = self.repository.environment(home) | {"PLACET_MODEL": self.repository.script()}
        config = home / "config" / "placet"
        config.mkdir(parents=True)
        # A server of the user's own, which is not installed, and of whose name the project has a program.
        own = {"mcp": {"own": {"command": "evil-server"}}, "agent": {"title": {"disable": True}}}
        (config / "placet.json").write_text(json.dumps({**own, **WAITING, "languages": {"own": True}, **settings}))

    def trust(self) -> None:
        done = run_forked("trust", "--yes", directory=self.repository.folder, environment=self._environment)
        assert done.returncode == 0, done.stderr

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.repository.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    def look(self, looking: Sequence[Sequence[str]] = LOOKING) -> dict[str, str]:
        """What each of the commands says on stdout."""
        # By its path and with -P: the working directory is nobody's module.
        done = self.run(sys.executable, "-P", str(commands.__file__), json.dumps(looking))
        assert done.returncode == 0, done.stderr
        said = (one.partition("\n") for one in done.stdout.split("=== ")[1:])
        return {command: text for command, _, text in said}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path, **UNCONTAINED)


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")
def test_a_trusted_project_is_held_by_the_sandbox(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.look()
    assert shell.repository.ran() == set()

    shell.trust()
    shell.look([["tools", "--json"], ["mcp", "status"]])
    assert shell.repository.ran() == set(), "tools, plugins and servers of the project run, and write no mark outside"


@dataclass(frozen=True)
class Looked:
    """What all commands have said of the repository, and what has run of it, before and after the user's trust."""

    repository: HostileRepository
    untrusted: dict[str, str]
    ran_untrusted: set[str]
    trusted: dict[str, str]
    ran_trusted: set[str]


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Looked:
    shell = Shell(tmp_path_factory.mktemp("looked"), **UNCONTAINED)
    repository = shell.repository
    untrusted, ran_untrusted = shell.look(), repository.ran()
    shell.trust()
    trusted = shell.look(LOOKING_WHEN_TRUSTED)
    ran_trusted = repository.ran()
    return Looked(repository, untrusted, ran_untrusted, trusted | shell.look([["doctor"]]), ran_trusted)


def test_no_command_that_looks_at_it_runs_anything_until_it_is_trusted(looked: Looked) -> None:
    said = looked.untrusted
    assert looked.ran_untrusted == set()
    assert not any(name in said["agents"] for name in BOLD)
    assert not any(tool["source"] == "EVIL" or tool["id"] == "evil" for tool in json.loads(said["tools --json"]))
    assert "own" in said["mcp list"]
    assert "evil" not in said["mcp list"].replace("evil-server", "")
    for call in ("bash make x", "edit b.txt"):
        assert "ask" in said[f"permissions explain {call}"].lower().split()[0], said
    assert "has extensions that await your decision" in said["doctor"]
    assert ".placet/tool/evil.py" in said["trust"]
    assert not any(SECRET in text for text in said.values())

    said = looked.trusted
    assert all(name in said["agents"] for name in BOLD)
    assert "evil" in [tool["id"] for tool in json.loads(said["tools --json"])]
    assert "allow" in said["permissions explain bash make x"]
    assert "evil " in said["mcp list"]
    # What is listed has been imported; no server is started to be listed.
    assert looked.ran_trusted == {"tool", "plugin"}


def test_a_run_uses_nothing_of_it_until_it_is_trusted(shell: Shell) -> None:
    run = (PLACET, "run", "--json", "--allow", "bash:true", "--ask", "deny", "Begin.")
    refused = shell.run(*run)
    assert "not used before you decide: run `placet trust`" in refused.stderr
    assert "There is no skill `evil`" in refused.stdout
    assert (shell.repository.folder / "b.txt").read_text() == "hello\nworld\n"
    assert "good day" not in (shell.repository.folder / "a.txt").read_text(), "an edit has to be asked for"
    assert shell.repository.ran() == set()

    shell.trust()
    trusted = shell.run(*run)
    assert "good day" in (shell.repository.folder / "a.txt").read_text(), trusted.stdout
    assert "WORDS-OF-evil" in trusted.stdout
    # No prompt called its command, and none waits for a server of MCP.
    assert shell.repository.ran() | {"mcp", "mcp-of-others"} == (ALIVE | {LANGUAGE_SERVER}) - {"command"}


def test_no_name_of_it_acts_on_the_terminal_or_hides_another(looked: Looked) -> None:
    for command, said in (*looked.untrusted.items(), *looked.trusted.items()):
        assert not set(said) & OBEYED, command
    lines = looked.untrusted["trust"].splitlines()
    shown = [line for line in lines if line.startswith("  ") and not line.startswith("  !")]
    listed = [line for line in shown if not line.startswith("      ")]  # The commands of a hook stand below its file.
    assert any("hook-of-claude" in line for line in set(shown) - set(listed)), "the commands of hooks are shown"
    brought = inventory(looked.repository.folder)
    assert len(listed) == len(brought.items), "one line for each, and none that is forged"
    assert ".placet/tool/evil.py" in listed[2], "what runs by itself comes first"
    assert any(f".placet/commands/{LINK}.md" in line for line in listed)
