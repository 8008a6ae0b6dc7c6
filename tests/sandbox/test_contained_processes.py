"""Processes in the sandbox end as without a sandbox, and none is left after its command."""

import asyncio
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from placet.core.errors import SandboxFailed
from placet.project.processes.commands import Ending
from placet.project.processes.process_tree import family_memory_bytes
from placet.sandbox import contained
from sandbox.workshop import Workshop, processes_with

needs_bubblewrap = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")

# Leaves its parent, its group, its session and its environment, and ignores requests to end.
DAEMON = """
import os, signal, time, sys
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("daemon", "w").close()
time.sleep(600)
"""
# Stands for the daemon of Placet: runs a command in the sandbox, and is killed.
PLACET = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from sandbox.workshop import Workshop

asyncio.run(Workshop(Path(sys.argv[1])).run("sleep 987654 & sleep 987654"))
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@needs_bubblewrap
async def test_a_command_cleans_up_in_its_grace(workshop: Workshop) -> None:
    line = "trap 'sleep 0.3; echo goodbye; touch cleaned; exit' TERM; touch ready; while true; do sleep 0.05; done"
    call = asyncio.create_task(workshop.run(line, grace_seconds=60))
    await workshop.until("ready")
    workshop.abort.set()
    ending, output = await call
    assert ending == Ending("abort", None)
    assert output.endswith("goodbye\n")
    assert (workshop.project / "cleaned").exists()


@needs_bubblewrap
async def test_a_command_that_ignores_the_request_is_ended_by_force(workshop: Workshop) -> None:
    line = "trap '' TERM; touch ready; while true; do sleep 0.05; done"
    call = asyncio.create_task(workshop.run(("bash", "-c", line, "stubborn-1"), grace_seconds=0.2))
    await workshop.until("ready")
    workshop.abort.set()
    await call
    assert processes_with("stubborn-1") == []


@needs_bubblewrap
async def test_a_daemon_without_a_mark_ends_with_the_command(workshop: Workshop) -> None:
    (workshop.project / "daemon.py").write_text(DAEMON)
    line = "env -i /usr/bin/python3 daemon.py unmarked-1; sleep 600"
    call = asyncio.create_task(workshop.run(line, grace_seconds=0.2))
    await workshop.until("daemon")
    assert len(processes_with("unmarked-1")) == 1
    workshop.abort.set()
    await call
    assert processes_with("unmarked-1") == []


@needs_bubblewrap
async def test_many_processes_end_together(workshop: Workshop) -> None:
    line = "for i in {1..200}; do sleep 876543 & done; touch ready; wait"
    call = asyncio.create_task(workshop.run(line, grace_seconds=0.2))
    await workshop.until("ready")
    workshop.abort.set()
    await call
    assert processes_with("876543") == []


@needs_bubblewrap
@pytest.mark.parametrize("answer", ["touch cleaned; exit", ""], ids=["cleans up", "ignores the request"])
async def test_a_child_left_behind_ends_before_anybody_looks_at_the_disk(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr(contained, "GRACE_SECONDS", 3.0 if answer else 0.1)
    child = f"trap '{answer}' TERM; touch ready; while :; do sleep 0.02; touch .envrc; done"
    left = f"setsid env -i bash -c {shlex.quote(child)} left-1"
    ending, output = await workshop.run(f"{left} & until test -e ready; do sleep 0.01; done; echo early")
    assert (ending, output) == (Ending("exit", 0), "early\n")
    assert processes_with("left-1") == []
    assert (workshop.project / "cleaned").exists() == bool(answer)
    assert not (workshop.project / ".envrc").exists()


@needs_bubblewrap
async def test_the_last_process_of_a_command_comes_to_its_own_end(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contained, "OWN_END_SECONDS", 60.0)
    await workshop.run("echo last > >(sleep 0.1; cat > late)")
    assert (workshop.project / "late").read_text() == "last\n"
    assert workshop.contained is not None
    assert workshop.contained.ended == ()


@needs_bubblewrap
async def test_processes_that_are_ended_with_the_command_are_named(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contained, "OWN_END_SECONDS", 0.0)
    await workshop.run("sleep 600 & sleep 600 & (exec -a other tail -f /dev/null) & true")
    assert workshop.contained is not None
    assert set(workshop.contained.ended) - {"bash"} == {"sleep", "tail"}


@needs_bubblewrap
async def test_the_watchdog_ends_a_contained_command_of_a_killed_daemon(workshop: Workshop, tmp_path: Path) -> None:
    base = tmp_path / "other"
    base.mkdir()
    tests = str(Path(__file__).parents[1])
    with subprocess.Popen((sys.executable, "-c", PLACET, base, tests)) as daemon:  # noqa: ASYNC220 (killed below)
        while len(processes_with("987654")) < 2:  # noqa: ASYNC110 (made by another process)
            await asyncio.sleep(0.02)
        daemon.kill()
    while processes_with("987654"):  # noqa: ASYNC110 (ended by another process)
        await asyncio.sleep(0.02)


@needs_bubblewrap
async def test_the_memory_of_a_contained_command_is_counted(workshop: Workshop) -> None:
    program = "held = bytearray(60 << 20); open('ready', 'w').close(); import time; time.sleep(600)"
    call = asyncio.create_task(workshop.run(("/usr/bin/python3", "-c", program, "memory-1"), grace_seconds=0.1))
    await workshop.until("ready")
    (process,) = processes_with("memory-1")
    monitor = process.parents()[1]
    assert monitor.name() == "bwrap"
    assert family_memory_bytes(monitor.pid, "PLACET_COMMAND=none") > 60 << 20
    workshop.abort.set()
    await call


@needs_bubblewrap
async def test_a_sandbox_that_cannot_be_set_up_is_told_from_a_command_that_fails(workshop: Workshop) -> None:
    outside = workshop.project.parent / "outside"
    outside.mkdir()
    assert (await workshop.run("exit 1"))[0] == Ending("exit", 1)
    with pytest.raises(SandboxFailed, match="did not run"):
        await workshop.run("touch /tmp/has-run", directory=outside)
    assert not (workshop.sandbox.temporary_directory("session") / "has-run").exists()


@needs_bubblewrap
async def test_a_program_that_is_not_there_has_not_run(workshop: Workshop) -> None:
    with pytest.raises(SandboxFailed):
        await workshop.run(("no-such-program",))


@needs_bubblewrap
@pytest.mark.parametrize(("line", "code"), [("exit 126", 126), ("exit 255", 255), ("kill -15 $$", -signal.SIGTERM)])
async def test_an_exit_code_is_told_as_without_a_sandbox(workshop: Workshop, line: str, code: int) -> None:
    assert (await workshop.run(line))[0] == Ending("exit", code)
