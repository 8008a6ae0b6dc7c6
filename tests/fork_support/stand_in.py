"""Stands for a process that the fork server forks: asks for the process, passes signals on, and ends as it ends.

The arguments are the path of the server's socket, the module, and the module's own arguments. Many programs start this
one, so it does without `json`, `signal` and `socket`, which take longer to import than the interpreter takes to start.
"""

import _signal
import _socket
import marshal
import os
import sys

RIGHTS_BYTES = 4


def main() -> None:
    path, module, *arguments = sys.argv[1:]
    request = {
        "module": module,
        "imports": [],
        "arguments": arguments,
        "directory": os.getcwd(),
        "environment": dict(os.environ),
        "leadsSession": os.getsid(0) == os.getpid(),
        # Whoever has started the process kills it by its number, which is the number of this program.
        "isKilledWithAsker": True,
    }
    news, told_in = os.pipe()
    streams = (0, 1, 2, told_in)
    rights = b"".join(number.to_bytes(RIGHTS_BYTES, sys.byteorder) for number in streams)
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    server.connect(path)
    server.sendmsg([marshal.dumps(request)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    server.close()
    for descriptor in streams:
        os.close(descriptor)
    with open(news) as lines:
        pid = int(lines.readline())
        for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
            _signal.signal(number, lambda number, _: os.kill(pid, number))
        code = int(lines.readline())
    if code < 0:
        _signal.signal(-code, _signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
