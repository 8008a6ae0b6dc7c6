"""Commands under an overlay in the real profile of the sandbox: protections hold, and git works."""

import os
import re
import socket
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Literal

import pytest

from changes_support.desk import Desk
from changes_support.shell import git
from corpus_support import corpus
from overlay_support.bubblewrap import can_overlay
from overlay_support.contained import asked_names
from overlay_support.manifest import manifest
from placet.changes.commands.contained_changes import ContainedChange
from placet.permissions.shell import analyse
from placet.project.processes.child import Command
from placet.project.processes.commands import run_command
from placet.sandbox.overlay.layers import OverlayMount, reason_against
from placet.sandbox.refusals import HOW_TO_RENAME
from sandbox.workshop import Workshop
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


class Place:
    """A project with a desk and the sandbox."""

    def __init__(self, base: Path, edit: Literal["ask", "allow"] = "ask") -> None:
        self.workshop = Workshop(base)
        self.desk = Desk(self.workshop.project, permission={"edit": edit})
        git(self.desk.root, "init", "-q")
        self.desk.write("a.py", "a\n")
        self.desk.write(".envrc", "old\n")
        self.advice = ""
        """Advice about the last command."""

    async def run(self, line: str) -> tuple[ContainedChange, str]:
        findings = analyse(line, directory=self.desk.root, home=Path.home())
        environment = {"PATH": self.workshop.path, "HOME": str(self.workshop.home)}
        command = Command(("bash", "-c", line), self.desk.root, environment)
        async with (
            self.desk.changes.around_contained(findings, line) as change,
            self.workshop.sandbox.contained(
                command, self.workshop.containment(), session_id="session", overlays=change.mounts
            ) as contained,
        ):
            output = await _output(contained.command, self.workshop)
            self.advice = contained.advice(output)
        return change, output


async def _output(command: Command, workshop: Workshop) -> str:
    file = workshop.home / "output"
    with file.open("wb", buffering=0) as output:
        await run_command(
            command, output, timeout_seconds=wait_seconds(), abort=workshop.abort, max_output_bytes=1 << 24
        )
    return file.read_text(errors="replace")


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    place = Place(tmp_path)
    yield place
    await place.desk.database.close()


async def test_changes_are_proposed_and_git_works(place: Place) -> None:
    identity = "-c user.name=Ada -c user.email=ada@example.org"
    _, output = await place.run(f"echo b >> a.py && git add a.py && git {identity} commit -qm first && echo done")
    assert output == "done\n"
    assert asked_names(place.desk) == ["a.py"]
    assert git(place.desk.root, "log", "--format=%s") == "first\n"
    assert git(place.desk.root, "status", "--porcelain", "a.py") == ""


async def test_protections_lie_over_the_overlay_and_nothing_of_them_is_proposed(place: Place) -> None:
    before = manifest(place.desk.root, with_times=True)
    _, output = await place.run("echo x >> .envrc; echo x >> .git/config; echo x > .git/hooks/pre-commit; rm -f .envrc")
    assert output.count("Read-only file system") >= 3
    assert place.desk.approver.requests == []
    assert manifest(place.desk.root, with_times=True) == before


@corpus("line", ["git mv old new", 'python3 -c \'import os; os.rename("old", "new")\''])
async def test_a_failed_rename_of_a_directory_says_how_to_rename(line: str, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.desk.write("old/file", "text\n")
    git(place.desk.root, "add", "old")
    _, output = await place.run(line)
    assert "cross-device link" in output
    assert place.advice == HOW_TO_RENAME
    way = re.findall(r"`(mv OLD NEW .*?)`", HOW_TO_RENAME)[0].replace("OLD", "old").replace("NEW", "new")
    _, output = await place.run(f"{way} && git status --short old new")
    assert (output, place.advice) == ("A  new/file\n", "")
    assert not (place.desk.root / "old/file").exists()
    await place.desk.database.close()


async def test_a_removed_pipe_or_socket_of_the_project_stays_and_the_model_is_told(place: Place) -> None:
    os.mkfifo(place.desk.root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place.desk.root / "socket"))
    change, output = await place.run("rm pipe socket && echo removed")
    assert output == "removed\n"
    assert sorted(os.listdir(place.desk.root)) == [".envrc", ".git", "a.py", "pipe", "socket"]
    (note,) = change.notes
    assert note.startswith("Changed by it, and not kept: ")
    assert note.count("only the user removes or replaces a pipe, a socket or a device of the project") == 2


async def test_a_missing_protected_file_is_asked_about_rather_than_made(place: Place) -> None:
    await place.run("mkdir .vscode; echo x > .vscode/tasks.json")
    assert asked_names(place.desk) == [".vscode/tasks.json"]


@pytest.mark.parametrize("edit", ["ask", "allow"])
async def test_an_installed_program_on_path_is_asked_about_although_git_ignores_it(
    edit: Literal["ask", "allow"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, edit)
    place.desk.write(".gitignore", ".venv/\n")
    place.desk.write(".venv/bin/old", "old\n")
    monkeypatch.setenv("PATH", str(place.desk.root / ".venv/bin"), prepend=os.pathsep)
    line = (
        "mkdir -p .venv/lib && echo code > .venv/lib/module.py && echo new > .venv/bin/git && ln -s git .venv/bin/g "
        "&& rm .venv/bin/old"
    )
    await place.run(line)
    assert asked_names(place.desk) == [".venv/bin/g", ".venv/bin/git", ".venv/bin/old"]
    assert (place.desk.root / ".venv/lib/module.py").read_text() == "code\n", "what git ignores goes through"
    assert (place.desk.root / ".venv/bin/git").read_text() == "new\n", "the user has accepted"
    assert not (place.desk.root / ".venv/bin/old").exists()
    await place.desk.database.close()


async def test_the_real_profile_is_the_trial_of_overlays(place: Place) -> None:
    containment = place.workshop.containment()
    base = place.workshop.locations.layers

    async def trial(mounts: Sequence[OverlayMount]) -> str:
        return await place.workshop.sandbox.reason_against_overlays(mounts, containment)

    assert await reason_against(base, [place.desk.root], trial) == ""
    assert list(base.iterdir()) == []
    assert os.listdir(place.desk.root).count(".envrc") == 1
