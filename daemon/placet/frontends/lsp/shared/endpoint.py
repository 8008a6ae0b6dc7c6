"""The daemon's end of the meeting place: held by one daemon at a time, readable for the user alone, gone with the
daemon.

The lock is taken by hand: the daemon takes it on the way to `initialize`, where filelock would load for 30 ms, and
filelock locks the first byte of a file, which then nobody reads on Windows, and where no earlier daemon looks.
"""

import asyncio
import hmac
import os
import secrets
import socket
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Literal

from placet.frontends.lsp.shared import endpoint_address
from placet.project.files.private_file import PrivateFile

BACKLOG = 64
TAKING_SECONDS = 15.0
"""Time to wait for a daemon which is about to leave."""
TAKING_AGAIN_SECONDS = 0.05
TOKEN_BYTES = 32


class Endpoint:
    """Place where this daemon listens; the daemon owns the place from `held` to `leave`."""

    def __init__(self, directory: Path, way: Literal["socket", "loopback"]) -> None:
        self.directory = directory
        self.when_left: list[Callable[[], None]] = []
        """Functions called when the place is free for another daemon."""
        self._way = way
        self._token = secrets.token_urlsafe(TOKEN_BYTES) if way == "loopback" else ""
        self._server: asyncio.Server | None = None
        self._port = 0
        self._lock_file: IO[bytes] | None = None

    @property
    def address(self) -> str:
        """Address for people to read."""
        return str(self._socket) if self._way == "socket" else f"127.0.0.1:{self._port}"

    @property
    def _socket(self) -> Path:
        return self.directory / endpoint_address.SOCKET

    def lets_in(self, token: str | None) -> bool:
        """Return whether a client with this token may connect; a socket lets in every client able to open the
        socket.
        """
        return self._way == "socket" or hmac.compare_digest((token or "").encode(), self._token.encode())

    @contextmanager
    def held(self) -> Generator[bool]:
        """Hold the place for this process, within the block or until left; yield False if another daemon listens in the
        place.

        Raises Unsafe if the directory is not the user's alone, and TimeoutError if a daemon holds the place and does
        not listen.
        """
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        endpoint_address.check_directory(str(self.directory))
        with (self.directory / endpoint_address.LOCK).open("a+b") as file:
            deadline = time.monotonic() + TAKING_SECONDS
            while not _lock(file):
                if _listens(self.directory):
                    yield False
                    return
                if time.monotonic() > deadline:
                    raise TimeoutError(f"Another daemon holds {self.directory} and does not listen. End that daemon.")
                time.sleep(TAKING_AGAIN_SECONDS)
            self._lock_file = file
            file.truncate(0)
            file.write(b"%d\n" % os.getpid())  # For people.
            file.flush()
            yield True
            self._lock_file = None

    async def listen(self, make: Callable[[], asyncio.BaseProtocol]) -> None:
        """Begin to listen. As the lock is held, files found in the place are a dead daemon's. Raises OSError."""
        loop = asyncio.get_running_loop()
        self._clear()
        if sys.platform != "win32" and self._way == "socket":
            end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            # The socket has this mode from the first moment.
            mask = os.umask(0o177)
            try:
                endpoint_address.near(str(self._socket), end.bind)
            finally:
                os.umask(mask)
            end.setblocking(False)
            self._server = await loop.create_unix_server(make, sock=end, backlog=BACKLOG)
        else:
            self._server = await loop.create_server(make, "127.0.0.1", 0, backlog=BACKLOG)
            self._port = self._server.sockets[0].getsockname()[1]
            address = PrivateFile(self.directory / endpoint_address.ADDRESS)
            address.write(f"{self._port} {self._token}\n")

    async def leave(self) -> None:
        """Stop listening, and let the next daemon in."""
        if self._server is not None:
            self._server.close()
        self._clear()
        if self._lock_file is not None:
            _unlock(self._lock_file)
        for call in self.when_left:
            call()

    def _clear(self) -> None:
        for path in (self._socket, self.directory / endpoint_address.ADDRESS):
            with suppress(FileNotFoundError):
                path.unlink()


def _listens(directory: Path) -> bool:
    connection = endpoint_address.connected(str(directory))
    if connection is not None:
        connection[0].close()
    return connection is not None


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 20
    """Offset of the lock far behind the text, as locked bytes cannot be read."""

    def _lock(file: IO[bytes]) -> bool:
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
