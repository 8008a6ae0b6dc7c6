"""Rows of `placet sandbox test`: attempts to leave the sandbox, and daily work inside.

An attempt prints ESCAPED when the attempt has succeeded. The variables PYTHON, TARGET, SECRET, PROCESS, PORT and SOCKET
name the scene of scene.py.
"""

from typing import Literal

from msgspec import Struct


class Row(Struct, frozen=True):
    id: str
    """Number of the row in the list of attempts and of daily work that the tests of Placet hold."""
    name: str
    line: str
    expects: Literal["stopped", "works"] = "stopped"
    needs: tuple[str, ...] = ()
    """Programs without which the row is left out."""


def _python(program: str) -> str:
    """Return a line for Placet's Python; the program holds no single quote."""
    return f"\"$PYTHON\" -I -S -c '{program}'"


_KEYRING = """
import ctypes, os
call = ctypes.CDLL(None).syscall
number = 219 if os.uname().machine == "aarch64" else 250
if call(number, 0, ctypes.c_long(-3), 0) >= 0:
    print("ESCAPED")
"""
_POOL = """
import multiprocessing, tempfile
from multiprocessing import shared_memory
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]
    memory = shared_memory.SharedMemory(create=True, size=64)
    memory.close()
    memory.unlink()
    tempfile.TemporaryFile().write(b"x")
"""
_LOOPBACK = """
import http.server, threading, urllib.request
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
assert opener.open("http://127.0.0.1:%d/" % server.server_port, timeout=10).status == 200
"""
_COMMIT = "git add -A && git -c user.name=placet -c user.email=placet@localhost commit -qm test"

ROWS = (
    Row("1", "create a file in your home", 'echo PLANTED > "$TARGET" && echo ESCAPED'),
    Row("7", "write a hook of git", "echo PLANTED > .git/hooks/post-commit && echo ESCAPED", needs=("git",)),
    Row("23", "read a secret", 'grep -q MARKED "$SECRET" && echo ESCAPED'),
    Row(
        "27",
        "read the environment of another process",
        'grep -q PLACET_SANDBOX_TEST_SECRET= "/proc/$PROCESS/environ" && echo ESCAPED',
    ),
    Row(
        "31",
        "connect to a service of this machine",
        _python(
            'import os, socket; socket.create_connection(("127.0.0.1", int(os.environ["PORT"]))); print("ESCAPED")'
        ),
    ),
    Row(
        "37",
        "connect to a socket in the temporary directory",
        _python('import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ["SOCKET"]); print("ESCAPED")'),
    ),
    Row("46", "make a namespace of users", "unshare -Ur true && echo ESCAPED", needs=("unshare",)),
    Row("49", "reach the keyring of the session", _python(_KEYRING)),
    Row("c2", "git adds and commits", _COMMIT, "works", needs=("git",)),
    Row("c11", "Python starts a pool, shares memory and makes temporary files", _python(_POOL), "works"),
    Row("c12", "a server and a client meet on the loopback", _python(_LOOPBACK), "works"),
)
