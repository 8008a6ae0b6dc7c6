"""Program inside a session's network namespace: open listeners on the loopback, and pass the listeners to the daemon.

The program runs as a file by `python -I -S`, without the rest of Placet. Arguments: the number of the inherited socket
to the daemon, the path of `cat` or an empty text, and the ports, 0 for a free port. With a path, the program becomes
`cat` on the daemon's pipe, which holds the namespace in little memory and ends with the pipe.
"""

import os
import socket
import sys

BACKLOG = 128


def main() -> None:
    assert sys.platform != "win32"
    channel = socket.socket(fileno=int(sys.argv[1]))
    listeners: dict[int, socket.socket] = {}
    for port in map(int, sys.argv[3:]):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            continue  # A server of the session has the port, and serves the session.
        listener.listen(BACKLOG)
        listeners[port] = listener
    words = " ".join(map(str, (os.getpid(), *listeners)))
    socket.send_fds(channel, [words.encode()], [listener.fileno() for listener in listeners.values()])
    if sys.argv[2]:
        os.execv(sys.argv[2], [sys.argv[2]])  # noqa: S606 - an absolute path, found by the daemon


if __name__ == "__main__":
    main()
