"""The server that forks `placet` for the tests goes on, whatever becomes of the programs that ask it."""

import json
import os
import socket
import sys
from pathlib import Path

import pytest

import fork_support
from fork_support.completed import run_forked

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
    }
    news, told_in = os.pipe()
    os.close(news)  # Killed before the answer.
    with asking() as client, open(os.devnull, "r+b") as null:
        streams = [null.fileno()] * 3
        socket.send_fds(client, [json.dumps(request).encode()], [*streams, told_in])
    os.close(told_in)
    for _ in range(2):
        done = run_forked("--version", directory=tmp_path, environment=dict(os.environ))
        assert done.returncode == 0
        assert done.stdout.startswith("placet ")
