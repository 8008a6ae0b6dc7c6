import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator

import pytest

from placet.core.process_identity import start_ticks
from placet.project.processes import watchdog_process
from placet.project.processes.watchdog import Watchdog
from placet.project.processes.watchdog_process import Watched, commands_left, end_commands
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no watchdog")


@pytest.fixture
def mark() -> str:
    return f"PLACET_COMMAND={uuid.uuid4().hex}"


@pytest.fixture
def sleeper(mark: str) -> Iterator[subprocess.Popen[bytes]]:
    name, _, value = mark.partition("=")
    process = subprocess.Popen(["sleep", "60"], start_new_session=True, env={**os.environ, name: value})
    yield process
    process.kill()
    process.wait()


def test_what_has_ended_is_not_left_and_half_a_line_is_nothing():
    pid = os.getpid()
    left = commands_left(["+ M=1\n", "+ M=2\n", f"= M=2 {pid}\n", "+ M=3\n", "- M=1\n", "- M="])

    assert left == [Watched("M=2", pid, start_ticks(pid)), Watched("M=3")]


def test_a_command_whose_start_was_announced_is_found_by_its_mark(sleeper, mark):
    end_commands([Watched(mark)])

    assert sleeper.wait(wait_seconds()) == -signal.SIGTERM


def test_a_command_that_gets_its_mark_after_the_first_look_is_found_all_the_same(mark, monkeypatch: pytest.MonkeyPatch):
    started: list[subprocess.Popen[bytes]] = []
    name, _, value = mark.partition("=")

    class Clock:
        monotonic = staticmethod(time.monotonic)

        def sleep(self, seconds: float) -> None:
            if not started:
                started.append(subprocess.Popen(["sleep", "60"], env={**os.environ, name: value}))
            time.sleep(seconds)

    monkeypatch.setattr(watchdog_process, "time", Clock())
    end_commands([Watched(mark)])

    [late] = started
    assert late.wait(wait_seconds()) == -signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="start times are read from /proc")
def test_a_process_that_got_the_id_of_a_command_is_let_be():
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        end_commands([Watched("PLACET_COMMAND=none", stranger.pid, started="1")])
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_one_that_ignores_the_request_is_forced(mark, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(watchdog_process, "GRACE_SECONDS", 0.1)
    name, _, value = mark.partition("=")
    line = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
    stubborn = subprocess.Popen(
        ["/bin/sh", "-c", line], start_new_session=True, env={**os.environ, name: value}, stdout=subprocess.PIPE
    )
    assert stubborn.stdout is not None
    assert stubborn.stdout.readline() == b"ready\n"

    end_commands([Watched(mark, stubborn.pid, start_ticks(stubborn.pid))])

    assert stubborn.wait(wait_seconds()) == -signal.SIGKILL
    stubborn.stdout.close()


def test_a_watchdog_that_was_killed_is_replaced_and_told_all_anew(sleeper, mark):
    watchdog = Watchdog()
    watchdog.tell(mark, None)
    watchdog.tell(mark, sleeper.pid)
    first = watchdog.pid
    assert first is not None
    assert watchdog._process is not None
    watchdog._process.kill()
    watchdog._process.wait()

    watchdog.tell("PLACET_COMMAND=another", None)
    watchdog.forget("PLACET_COMMAND=another")
    assert watchdog.pid != first
    assert watchdog._process.stdin is not None
    watchdog._process.stdin.close()  # As when this process were killed.

    assert sleeper.wait(wait_seconds()) == -signal.SIGTERM
    watchdog._process.wait(wait_seconds())


def test_a_process_that_has_started_the_watchdog_leaves_nothing_open_at_its_end(mark: str) -> None:
    program = "import sys; from placet.project.processes.watchdog import watched; watched(sys.argv[1]).__enter__()"
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", program, mark]

    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")
