"""Pipe to the daemon: u32 little-endian length, then JSON. Printed output goes to stderr."""

import json
import struct
import threading
from typing import Any, BinaryIO

LENGTH = struct.Struct("<I")


class Channel:
    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._sending = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message from any thread. Raises TypeError or ValueError for values outside JSON, and sends nothing."""
        view = memoryview(packed(message))
        with self._sending:
            while view:
                view = view[self._target.write(view) :]

    def receive(self) -> dict[str, Any] | None:
        """Return the next message, or None at the end. Blocks."""
        head = self._source.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack(head)
        body = self._source.read(length)
        return json.loads(body) if len(body) == length else None


def packed(message: dict[str, Any]) -> bytes:
    body = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(body)) + body
