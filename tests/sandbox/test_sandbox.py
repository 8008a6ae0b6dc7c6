"""Temporary files, caches and variables of contained commands."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from placet.core.executor import in_thread
from placet.sandbox import sandbox
from placet.sandbox.containment import opened
from placet.sandbox.environment import contained_environment
from placet.sandbox.protections import Protections, look_at
from sandbox.workshop import Workshop

OF_A_NAMESPACE = re.compile(
    r"/proc/sys/(fs/mqueue/\w+|kernel/(auto_msgmni|msgmax|msgmnb|msgmni|sem|shm\w+|pid_max|ns_last_pid))\Z"
)
"""Settings that each IPC and PID namespace has for itself: ipc_namespaces(7), pid_namespaces(7)."""
needs_bubblewrap = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


@needs_bubblewrap
@pytest.mark.parametrize("secret", ["home/.netrc", "home/.ssh/id", "home/.ssh", "project/keys/k", "project/keys"])
async def test_a_secret_that_the_user_opens_is_read_and_the_secrets_beside_stay_hidden(
    workshop: Workshop, secret: str
) -> None:
    base = workshop.home.parent
    secrets = [base / name for name in ("home/.netrc", "home/.ssh/id", "home/.aws/key", "project/keys/k")]
    for path in secrets:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"KEY {path.relative_to(base)}\n")
    limits = opened(workshop.containment(denyRead=[str(workshop.project / "keys")]), [base / secret])
    _, text = await workshop.run(f"cat {' '.join(map(str, secrets))}", containment=limits)
    assert [line for line in text.splitlines() if line.startswith("KEY ")] == [
        f"KEY {path.relative_to(base)}" for path in secrets if path.is_relative_to(base / secret)
    ]


async def test_temporary_files_stay_for_the_next_command_of_the_session_alone(workshop: Workshop) -> None:
    await workshop.run("echo kept > /tmp/x")
    assert (await workshop.run("cat /tmp/x"))[1] == "kept\n"
    assert (await workshop.run("cat /tmp/x", session_id="another"))[0].code == 1
    assert (workshop.sandbox.temporary_directory("session") / "x").read_text() == "kept\n"
    assert not Path("/tmp/x").exists()


@needs_bubblewrap
async def test_the_end_of_a_session_removes_its_temporary_files_and_nothing_else(workshop: Workshop) -> None:
    (workshop.home / "own").mkdir()
    (workshop.home / "own/file").touch()
    await workshop.run(
        f"mkdir -p /tmp/a/b && touch /tmp/a/b/c && ln -s {workshop.home}/own /tmp/a/b/own && chmod 0 /tmp/a"
    )
    await workshop.sandbox.close_session("session")
    assert not workshop.sandbox.temporary_directory("session").parent.exists()
    assert (workshop.home / "own/file").exists()
    await workshop.sandbox.close_session("never")


@needs_bubblewrap
async def test_caches_are_kept_for_each_project_apart(workshop: Workshop) -> None:
    other = workshop.project.parent / "other"
    other.mkdir()
    await workshop.run("echo cached > $XDG_CACHE_HOME/x && echo cached > $UV_CACHE_DIR/x")
    assert (await workshop.run("cat $XDG_CACHE_HOME/x $UV_CACHE_DIR/x"))[1] == "cached\ncached\n"
    limits = workshop.containment(other)
    assert (await workshop.run("cat $XDG_CACHE_HOME/x", containment=limits, directory=other))[0].code == 1


@needs_bubblewrap
async def test_shared_caches_are_the_users_own(workshop: Workshop) -> None:
    (workshop.home / ".cache").mkdir()
    limits = workshop.containment(caches="shared")
    await workshop.run("echo ${XDG_CACHE_HOME:-none} > $HOME/.cache/x", containment=limits)
    assert (workshop.home / ".cache/x").read_text() == "none\n"


@needs_bubblewrap
async def test_settings_of_the_kernel_cannot_be_written(workshop: Workshop) -> None:
    line = "find /proc/sys /proc/irq /proc/bus -type f -writable 2>/dev/null; ls /proc/sys/kernel/pid_max"
    _, output = await workshop.run(line)
    *writable, last = output.splitlines()
    assert last == "/proc/sys/kernel/pid_max"
    assert [path for path in writable if os.geteuid() == 0 or not OF_A_NAMESPACE.match(path)] == []


@needs_bubblewrap
@pytest.mark.skipif(os.geteuid() == 0, reason="for the user root no setting is writable")
async def test_settings_that_a_command_can_write_are_those_of_its_own_namespaces(workshop: Workshop) -> None:
    setting = Path("/proc/sys/kernel/msgmax")
    of_the_host = setting.read_text()
    assert (await workshop.run(f"echo 4242 > {setting}; cat {setting}"))[1] == "4242\n"
    assert setting.read_text() == of_the_host


@needs_bubblewrap
@pytest.mark.parametrize("only_reads", [False, True])
async def test_a_project_below_the_temporary_directory_of_the_host_is_there(
    workshop: Workshop, only_reads: bool
) -> None:
    (workshop.project / "file").write_text("text")
    limits = workshop.containment(only_reads=only_reads)
    assert (await workshop.run("cat file", containment=limits))[1] == "text"


def test_variables_that_lead_to_services_of_the_host_are_left_out() -> None:
    variables = {"SSH_AUTH_SOCK": "/a", "DISPLAY": ":0", "TMUX": "/t", "TMP": "/elsewhere", "LANG": "C"}
    place, home = Path("/tmp"), Path("/home/user")
    contained = contained_environment(variables, "bubblewrap", place, None, home, None)
    quiet = {"npm_config_update_notifier": "false", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    own = {"PLACET_SANDBOX": "bubblewrap", "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1", **quiet}
    assert contained == {**own, "TMPDIR": "/tmp", "TMP": "/tmp", "LANG": "C"}
    assert contained_environment(variables, "b", place, None, home, Path("/a"))["SSH_AUTH_SOCK"] == "/a"


def test_browsers_among_the_users_caches_are_found() -> None:
    contained = contained_environment({}, "b", Path("/tmp"), Path("/caches"), Path("/home/user"), None)
    assert contained["npm_config_update_notifier"] == "false"
    own = contained_environment(
        {"npm_config_update_notifier": "true"}, "b", Path("/tmp"), None, Path("/home/user"), None
    )
    assert own["npm_config_update_notifier"] == "true"
    assert contained["PLAYWRIGHT_BROWSERS_PATH"] == "/home/user/.cache/ms-playwright"
    assert contained["PIP_CACHE_DIR"] == "/caches/pip"


async def test_a_trial_that_is_cancelled_again_and_again_leaves_no_temporary_files(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, has_come, may_go = asyncio.get_running_loop(), asyncio.Event(), Event()

    def gated(*arguments: Any) -> Protections:
        loop.call_soon_threadsafe(has_come.set)
        may_go.wait()
        return look_at(*arguments)

    monkeypatch.setattr(sandbox, "look_at", gated)
    trying = asyncio.create_task(workshop.sandbox.backend(workshop.containment()))
    await has_come.wait()
    for _ in range(3):
        trying.cancel()
        await asyncio.sleep(0)
    may_go.set()
    while not trying.done():
        trying.cancel()
        await asyncio.sleep(0)
    await in_thread(lambda: None)
    assert [*workshop.sandbox.temporary_directory("session").parents[1].glob("*")] == []
