"""Neovim's own API over its stdio: requests one at a time, notifications kept until they are taken.

In place of pynvim's client, whose event loop leaves transports behind that a strict test run reports.
"""

import contextlib
import queue
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

import msgpack

from time_support import wait_seconds

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2
LEAVING_SECONDS = 5.0


class NvimError(Exception):
    """Neovim answered with an error."""


class Nvim:
    """A Neovim process. Handles of buffers, windows and tab pages are plain numbers."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._responses: queue.Queue[tuple[int, Any, Any] | None] = queue.Queue()
        self._notifications: queue.Queue[tuple[str, list[Any]]] = queue.Queue()
        self._number = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.channel: int = self.request("nvim_get_chan_info", 0)["id"]

    def request(self, method: str, *arguments: Any) -> Any:
        """Call an API function and wait for what it returns."""
        number = self.send(method, *arguments)
        while True:
            try:
                response = self._responses.get(timeout=wait_seconds())
            except queue.Empty:
                raise AssertionError(f"Neovim never answered {method} {arguments}") from None
            if response is None:
                raise NvimError("Neovim has ended")
            answered, error, result = response
            if answered == number:
                break
        if error is not None:
            raise NvimError(error[1])
        return result

    def send(self, method: str, *arguments: Any) -> int:
        """Call an API function and go on; its answer is dropped."""
        self._number += 1
        assert self._process.stdin is not None
        self._process.stdin.write(msgpack.packb([REQUEST, self._number, method, list(arguments)]))
        self._process.stdin.flush()
        return self._number

    def next_notification(self) -> tuple[str, list[Any]]:
        try:
            return self._notifications.get(timeout=wait_seconds())
        except queue.Empty:
            raise AssertionError("Neovim never sent a notification") from None

    def wait_for_end(self) -> None:
        """Wait until Neovim has left by itself."""
        self._process.wait(wait_seconds())

    def close(self) -> None:
        """End the process, by its own command while it listens."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # Neovim may have left before.
            self.send("nvim_command", "qall!")
        self._reader.join(LEAVING_SECONDS)  # Nothing more can be read of a process that has left.
        if self._reader.is_alive():
            self._process.kill()
            self._reader.join()
        self._process.wait()
        with contextlib.suppress(OSError):  # Neovim may have left before.
            self._process.stdin.close()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        unpacker = msgpack.Unpacker(ext_hook=_handle, strict_map_key=False)
        while data := self._process.stdout.read1(65536):  # type: ignore[attr-defined]
            unpacker.feed(data)
            for message in unpacker:
                if message[0] == RESPONSE:
                    self._responses.put((message[1], message[2], message[3]))
                elif message[0] == NOTIFICATION:
                    self._notifications.put((message[1], message[2]))
        self._responses.put(None)


def _handle(_code: int, data: bytes) -> Any:
    return msgpack.unpackb(data)
