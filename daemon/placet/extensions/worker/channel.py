"""The pipe to the daemon: u32 little-endian length, then JSON. What anything prints goes to stderr."""

import json
import os
import struct
import sys
import threading
from typing import Any, BinaryIO, Self

LENGTH = struct.Struct("<I")


class Channel:
    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._sending = threading.Lock()

    @classmethod
    def claim_standard_streams(cls) -> Self:
        sys.stdout.flush()
        source = os.fdopen(os.dup(0), "rb")
        target = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        return cls(source, target)

    def send(self, message: dict[str, Any]) -> None:
        """From any thread. Raises TypeError or ValueError for what JSON cannot hold; nothing is sent then."""
        view = memoryview(packed(message))
        with self._sending:
            while view:
                view = view[self._target.write(view) :]

    def receive(self) -> dict[str, Any] | None:
        """The next message; None at the end. Blocks."""
        head = self._source.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack(head)
        body = self._source.read(length)
        return json.loads(body) if len(body) == length else None


def packed(message: dict[str, Any]) -> bytes:
    body = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(body)) + body
