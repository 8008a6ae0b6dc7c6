"""Pipe between the daemon and the process for extensions: frames of JSON. Printed output goes to stderr."""

import json
import threading
from typing import Any, BinaryIO

from placet.core.length_frames import FrameCodec, write_whole

Message = dict[str, Any]


def encoded(message: Message) -> bytes:
    """Return the message as JSON. Raises TypeError or ValueError for values outside JSON."""
    return json.dumps(message).encode("ascii")


_MESSAGES: FrameCodec[Message, Message] = FrameCodec(encoded, json.loads)


class Channel:
    """The extension process's end of the pipe."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._sending = threading.Lock()

    def send(self, message: Message) -> None:
        """Send a message from any thread. Raises TypeError or ValueError for values outside JSON, and sends nothing."""
        frame = _MESSAGES.pack(message)
        with self._sending:
            write_whole(self._target, frame)

    def receive(self) -> Message | None:
        """Return the next message, or None at the end. Blocks."""
        return _MESSAGES.read(self._source)
