"""A contained command puts programs where PATH looks first: none of them ever runs outside of the sandbox."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_support import ALLOW, AcpClient
from fake_editor.client import daemon
from fake_editor.profiles import HELIX, VSCODE, EditorProfile
from fork_support.completed import run_forked
from run_support import Place

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("bwrap") is None, reason="the sandbox needs bubblewrap"
)

NAMES = (
    *("git", "rg", "bash", "sh", "true", "bwrap", "nsenter", "cat", "ps", "less", "nano", "python", "python3", "env"),
    *("placet", "node", "ssh", "git-remote-https", "pyright-langserver", "code", "nvim", "uname", "taskkill"),
)
PLACES = (".venv/bin", "node_modules/.bin")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    (made.project / ".gitignore").write_text("".join(f"{name.partition('/')[0]}/\n" for name in PLACES))
    git = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message=It begins.")):
        subprocess.run([*git, *words], cwd=made.project, check=True, capture_output=True)
    entries = (*(str(made.project / name) for name in PLACES), os.environ["PATH"])
    made.environment["PATH"] = os.pathsep.join(entries)
    return made


def planting(place: Place) -> str:
    """Return a command line that writes the programs, each of which would leave a mark beside the project."""
    text = f'#!/bin/sh\\n: > "{place.directory}/RAN-${{0##*/}}"\\nexit 1\\n'
    return (
        f"for d in {' '.join(PLACES)}; do mkdir -p $d; for n in {' '.join(NAMES)}; do printf '{text}' > $d/$n; "
        "chmod +x $d/$n; done; done"
    )


def script(place: Place) -> str:
    """Return the name of a model that plants the programs, and then acts by every tool that starts a program."""
    return place.script(
        [{"call": "bash", "arguments": {"command": planting(place), "description": "Plant"}}],
        [{"call": "bash", "arguments": {"command": "git status", "description": "Look"}}],
        [{"call": "grep", "arguments": {"pattern": "old"}}],
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}],
        [{"call": "bash", "arguments": {"command": "git log --oneline", "description": "Look again"}}],
        [{"text": "Done."}],
    )


def planted(place: Place) -> list[Path]:
    return [place.project / name / "git" for name in PLACES]


def marks(place: Place) -> list[str]:
    """Return the marks that planted programs have left outside of the project."""
    return [mark.name for mark in place.directory.glob("RAN-*")]


def test_what_a_contained_command_plants_on_path_never_runs_outside_of_the_sandbox(place: Place) -> None:
    place.environment["PLACET_MODEL"] = script(place)
    done = place.run("run", "--ask", "deny", "--allow", "edit", "Go.")
    assert place.file.read_text() == "one\nnew\nthree\n", done.stdout + done.stderr
    assert not any(map(os.path.lexists, planted(place))), "programs on PATH are asked about, although git ignores them"
    place.run("run", "--ask", "deny", "--allow", "edit", "--allow", "edit_sensitive", "Go.")
    assert all(os.access(program, os.X_OK) for program in planted(place)), "the user has allowed them"
    below = place.project / "below"
    below.mkdir()
    for words in (("undo",), ("doctor",), ("worktree", "list"), ("setup", "--json")):
        # A directory below the project is no folder of a session, and PATH leads to the same programs.
        run_forked(*words, directory=below, environment=place.environment)
    assert marks(place) == []


async def test_a_client_of_the_agent_client_protocol_runs_nothing_planted(place: Place) -> None:
    place.environment["PLACET_MODEL"] = script(place)
    for _ in range(2):  # The second process finds the programs there.
        place.file.write_text("one\nold\nthree\n")
        async with AcpClient(place) as client:
            client.permission = lambda params: ALLOW
            assert await client.prompt(await client.opened()) == "end_turn"
        assert place.file.read_text() == "one\nnew\nthree\n"
        assert all(os.access(program, os.X_OK) for program in planted(place)), "the user has allowed them"
    assert marks(place) == []


@pytest.mark.parametrize("profile", [VSCODE, HELIX], ids=["plugin", "generic"])
async def test_an_editor_runs_nothing_planted(place: Place, profile: EditorProfile) -> None:
    environment = {
        **place.environment,
        "HOME": str(place.directory),
        "PLACET_MODEL": script(place),
        "PLACET_PERMISSION": json.dumps({"edit": "allow", "edit_sensitive": "allow"}),
    }
    for _ in range(2):
        place.file.write_text("one\nold\nthree\n")
        settings: dict[str, Any] = {"review": "apply", "languages": {"own": True}}
        async with daemon(profile, place.project, place.directory, environment=environment, **settings) as desk:
            assert (await desk.prompt(await desk.new_session(), "Go."))["stopReason"] == "end_turn"
        assert all(os.access(program, os.X_OK) for program in planted(place)), "the user has allowed them"
    assert marks(place) == []
