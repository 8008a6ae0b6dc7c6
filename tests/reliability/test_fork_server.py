"""The server that forks `placet` for the tests goes on, whatever becomes of the programs that ask it."""

import marshal
import os
import select
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import fork_support
from fork_support.completed import run_forked
from placet.auth import secret_handoff
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked elsewhere")


def asking() -> socket.socket:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect(fork_support.address())
    return client


def test_a_program_that_is_killed_while_it_asks_ends_no_server(tmp_path: Path) -> None:
    asking().close()  # Killed before the request.
    request = {
        "module": "placet",
        "imports": [],
        "arguments": ["--version"],
        "directory": str(tmp_path),
        "environment": dict(os.environ),
        "leadsSession": False,
        "isKilledWithAsker": False,
    }
    news, told_in = os.pipe()
    os.close(news)  # Killed before the answer.
    with asking() as client, open(os.devnull, "r+b") as null:
        streams = [null.fileno()] * 3
        socket.send_fds(client, [marshal.dumps(request)], [*streams, told_in])
    os.close(told_in)
    for _ in range(2):
        done = run_forked("--version", directory=tmp_path, environment=dict(os.environ))
        assert done.returncode == 0
        assert done.stdout.startswith("placet ")


def test_a_process_of_placets_own_is_killed_with_the_program_that_stands_for_it(tmp_path: Path) -> None:
    command = [sys.executable, "-IS", str(fork_support.STAND_IN), fork_support.address(), "placet.model.host", "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as stand_in:
        assert stand_in.stdin is not None
        assert stand_in.stdout is not None
        stand_in.stdin.write(secret_handoff.packed({}))
        stand_in.stdin.flush()
        assert stand_in.stdout.read(1)  # The host greets.
        stand_in.kill()
        while select.select([stand_in.stdout], [], [], wait_seconds())[0]:
            if not os.read(stand_in.stdout.fileno(), 1 << 16):
                return
        pytest.fail("the host goes on, whose input is still open")


@pytest.mark.parametrize("arguments", [("--version",), ("run", "--unknown")])
def test_a_fork_ends_as_a_process_of_its_own_does(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    forked = run_forked(*arguments, directory=tmp_path)
    own = subprocess.run([*fork_support.PLACET, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (forked.returncode, forked.stdout, forked.stderr) == (own.returncode, own.stdout, own.stderr)
