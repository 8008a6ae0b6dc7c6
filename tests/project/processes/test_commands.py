import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from placet.project.processes import commands, process_tree
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending, nothing_to_show, run_command
from placet.project.processes.process_tree import ProcessEntry, family
from process_support import has_ended, has_written, written_pid
from time_support import HeldClock

PYTHON = shlex.quote(sys.executable)

# Leaves its parent, its group and its session, as daemons do, and ignores requests to end.
DAEMON = """
import os, signal, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open("daemon.part", "w") as file:
    print(os.getpid(), file=file)
os.rename("daemon.part", "daemon")
time.sleep(60)
"""


class Shell:
    """Runs shell lines in a directory and keeps what they print."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.abort = asyncio.Event()

    async def run(
        self,
        line: str,
        *,
        timeout_seconds: float = 30,
        max_output_bytes: int = 10**9,
        grace_seconds: float = 3.0,
        on_output: Callable[[], None] = nothing_to_show,
    ) -> Ending:
        command = Command(("/bin/sh", "-c", line), self.directory, dict(os.environ))
        with (self.directory / "output").open("ab", buffering=0) as output:
            return await run_command(
                command,
                output,
                timeout_seconds=timeout_seconds,
                abort=self.abort,
                max_output_bytes=max_output_bytes,
                on_output=on_output,
                grace_seconds=grace_seconds,
            )

    @property
    def output(self) -> str:
        return (self.directory / "output").read_text()

    async def pid(self, name: str) -> int:
        """What the command writes into the file, once it has."""
        return await written_pid(self.directory / name)

    async def until(self, name: str) -> None:
        """Wait until the command has made the file."""
        while not (self.directory / name).exists():  # noqa: ASYNC110 (made by another process)
            await asyncio.sleep(0.01)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


async def test_a_command_runs_to_its_exit(shell: Shell) -> None:
    assert await shell.run("echo out; echo err >&2; exit 7") == Ending("exit", 7)
    assert shell.output == "out\nerr\n"


async def test_a_command_that_a_signal_ended_says_which(shell: Shell) -> None:
    assert await shell.run("kill -9 $$") == Ending("exit", -9)


async def test_a_command_that_cannot_start_is_an_error_of_the_system(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.directory = tmp_path
    command = Command(("/no/such/program",), tmp_path, {})
    with (tmp_path / "output").open("ab", buffering=0) as output, pytest.raises(FileNotFoundError):
        await run_command(command, output, timeout_seconds=1, abort=asyncio.Event(), max_output_bytes=1)


async def test_a_background_child_does_not_delay_the_end_and_lives_on(shell: Shell) -> None:
    assert await shell.run("sleep 600 & echo $! > child; echo done") == Ending("exit", 0)
    child = psutil.Process(await shell.pid("child"))
    assert child.is_running()
    child.kill()


async def test_a_background_child_may_go_on_writing(shell: Shell) -> None:
    await shell.run("(until test -e go; do sleep 0.02; done; echo late; touch written) & echo early")
    assert shell.output == "early\n"
    (shell.directory / "go").touch()
    await shell.until("written")
    assert shell.output == "early\nlate\n"


async def test_the_time_limit_ends_the_whole_family(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [shell.directory / name for name in "ab"]
    monkeypatch.setattr(commands, "time", HeldClock(lambda: has_written(*files)))
    ending = await shell.run("sleep 60 & echo $! > a; (sleep 60 & echo $! > b; wait) & wait", timeout_seconds=0.5)
    assert ending == Ending("timeout", None)
    assert has_ended(await shell.pid("a"))
    assert has_ended(await shell.pid("b"))


async def test_an_abort_ends_what_ignores_requests_and_what_has_left_the_family(shell: Shell) -> None:
    (shell.directory / "daemon.py").write_text(DAEMON)
    stubborn = "trap '' TERM; echo $$ > stubborn; while true; do sleep 0.1; done"
    (shell.directory / "stubborn.sh").write_text(stubborn)
    call = asyncio.create_task(shell.run(f"{PYTHON} daemon.py; sh stubborn.sh & wait", grace_seconds=0.3))
    daemon, stubborn = await shell.pid("daemon"), await shell.pid("stubborn")
    assert os.getpgid(daemon) != os.getpgid(stubborn)
    shell.abort.set()
    assert await call == Ending("abort", None)
    assert has_ended(daemon)
    assert has_ended(stubborn)


async def test_cancelling_ends_the_family_before_it_returns(shell: Shell) -> None:
    call = asyncio.create_task(shell.run("sleep 60 & echo $! > child; touch ready; wait"))
    await shell.until("ready")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert has_ended(await shell.pid("child"))


@pytest.mark.parametrize("grace_seconds", [3.0, 0.0], ids=["asked", "forced"])
async def test_a_line_that_is_ended_does_not_begin_its_next_command(shell: Shell, grace_seconds: float) -> None:
    lines = "".join(f"(echo > begun.{number}; sleep 600; echo > next.{number}) & " for number in range(20))
    running = asyncio.create_task(shell.run(f"{lines} wait; echo > next", grace_seconds=grace_seconds))
    for number in range(20):
        await shell.until(f"begun.{number}")
    shell.abort.set()
    assert (await running).reason == "abort"
    assert list(shell.directory.glob("next*")) == []


async def test_cancelling_in_the_start_ends_what_has_left_the_group_already(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = asyncio.create_subprocess_exec

    async def slow_start(*arguments: Any, **options: Any) -> asyncio.subprocess.Process:
        process = await start(*arguments, **options)
        await shell.until("daemon")
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slow_start)
    running = asyncio.create_task(shell.run(f"{PYTHON} -c {shlex.quote(DAEMON)}; sleep 600"))
    daemon = await shell.pid("daemon")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert has_ended(daemon)


async def test_a_second_cancel_does_not_wait_for_the_grace(shell: Shell) -> None:
    line = "trap 'touch asked' TERM; echo $$ > me; echo ready; while true; do sleep 0.05; done"
    is_heard = asyncio.Event()
    call = asyncio.create_task(shell.run(line, grace_seconds=3600, on_output=is_heard.set))
    await is_heard.wait()  # A command that is cancelled within its start is not asked.
    me = await shell.pid("me")
    call.cancel()
    await shell.until("asked")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert has_ended(me)


async def test_a_command_is_asked_to_end_before_it_is_forced(shell: Shell) -> None:
    line = "trap 'echo goodbye; exit' TERM; touch ready; while true; do sleep 0.05; done"
    call = asyncio.create_task(shell.run(line))
    await shell.until("ready")
    shell.abort.set()
    await call
    assert shell.output.endswith("goodbye\n")


async def test_too_much_output_ends_the_command(shell: Shell) -> None:
    assert await shell.run("yes", max_output_bytes=100_000) == Ending("flood", None)


async def test_output_is_announced_once_for_each_tick_of_a_tenth_second(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert commands.TICK_SECONDS == 0.1
    seen = shell.directory / "seen"
    await shell.run(f"echo one; while [ ! -e {seen} ]; do sleep 0.02; done", on_output=seen.touch)
    monkeypatch.setattr(commands, "TICK_SECONDS", 60.0)
    calls: list[int] = []
    await shell.run("for i in 1 2 3 4 5; do echo $i; sleep 0.03; done", on_output=lambda: calls.append(1))
    assert calls == [], "the command ends before the next tick"


async def test_silence_announces_nothing(shell: Shell) -> None:
    calls: list[int] = []
    await shell.run("sleep 0.35", on_output=lambda: calls.append(1))
    assert calls == []


def test_all_members_are_stopped_before_any_is_ended_also_those_just_being_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shell, child, late = (ProcessEntry(pid, parent, 7, 7) for pid, parent in ((7, 1), (8, 7), (9, 8)))
    looks = iter([[shell, child], [shell, child, late], [shell, child, late]])
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(process_tree, "_processes", lambda mark: next(looks))
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((number, pid)))
    assert process_tree.signal_family(7, "mark", "TERM") == 3
    assert [number for number, _ in sent] == [signal.SIGSTOP] * 3 + [signal.SIGTERM] * 3 + [signal.SIGCONT] * 3
    assert {pid for number, pid in sent if number == signal.SIGTERM} == {7, 8, 9}


def test_the_family_is_the_group_the_session_the_marked_and_their_descendants() -> None:
    entries = [
        ProcessEntry(1, 0, 1, 1),
        ProcessEntry(10, 1, 10, 10),
        ProcessEntry(11, 10, 10, 10),
        ProcessEntry(12, 1, 12, 10),
        ProcessEntry(13, 1, 13, 13, marked=True),
        ProcessEntry(14, 13, 14, 14),
        ProcessEntry(15, 14, 15, 15),
        ProcessEntry(20, 1, 20, 20),
    ]
    assert family(10, entries) == {10, 11, 12, 13, 14, 15}
