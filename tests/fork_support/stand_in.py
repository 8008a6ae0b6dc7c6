"""The process that another program starts for `placet ARGUMENTS`: `stand_in.py SOCKET ARGUMENTS`.

A fork of the prepared interpreter has the process's stdio, directory and environment. The process itself only waits,
and ends as the fork has ended. It imports nothing that takes long.
"""

import json
import os
import signal
import socket
import sys


def main() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(sys.argv[1])
        request = {"arguments": sys.argv[2:], "directory": os.getcwd(), "environment": dict(os.environ)}
        socket.send_fds(connection, [json.dumps(request).encode()], [0, 1, 2])
        _, [told], _, _ = socket.recv_fds(connection, 1, 1)
    for descriptor in (0, 1, 2):  # The other ends must see when the fork closes its own.
        os.close(descriptor)
    with os.fdopen(told) as news:
        process_id = int(news.readline())
        signal.signal(signal.SIGTERM, lambda *_: os.kill(process_id, signal.SIGTERM))
        code = int(news.readline())
    if code < 0:
        if -code == signal.SIGTERM:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
