"""A command line of Placet for another program, such as an editor, that starts Placet itself."""

import atexit
import json
import os
import socket
import sys
import tempfile
from functools import cache
from pathlib import Path
from threading import Thread

from fork_support import PLACET, fork

STAND_IN = Path(__file__).with_name("stand_in.py")


def placet_command(*arguments: str) -> list[str]:
    """Return the command line that starts `placet ARGUMENTS`, forked as by `fork`; off Linux nothing is forked.

    The started process stands in for the fork: the streams are the fork's, and the exit codes are the same.
    """
    if sys.platform != "linux":
        return [*PLACET, *arguments]
    return [sys.executable, "-IS", str(STAND_IN), str(_meeting_place()), *arguments]


@cache
def _meeting_place() -> Path:
    """Listen, until this process ends, for the processes that stand in."""
    directory = tempfile.TemporaryDirectory(prefix="placet-forks-")
    atexit.register(directory.cleanup)
    place = Path(directory.name) / "socket"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(place))
    listener.listen()
    Thread(target=_serve, args=(listener,), daemon=True).start()
    return place


def _serve(listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        with connection:
            line, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
            if not line:  # The process was ended before it asked.
                continue
            request = json.loads(line)
            told = fork(
                request["arguments"], Path(request["directory"]), request["environment"], streams, leads_session=True
            )
            socket.send_fds(connection, [b"!"], [told])
            for descriptor in (*streams, told):
                os.close(descriptor)
