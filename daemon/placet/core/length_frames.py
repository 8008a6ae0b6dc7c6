"""Frames on a private pipe between two processes of Placet: u32 little-endian length, then the body.

Both ends of a pipe share this module; the codec of the bodies is a parameter. LSP's frames, with header lines, are in
framing.py.
"""

import asyncio
import struct
from collections.abc import Callable
from typing import BinaryIO, Generic, TypeVar

from msgspec import Struct

_LENGTH = struct.Struct("<I")

Sent = TypeVar("Sent")
Received = TypeVar("Received")


class BrokenFrame(Exception):
    """Raised when the bytes are no frame of this codec."""


class FrameCodec(Struct, Generic[Sent, Received], frozen=True):
    """Codec of one direction of a pipe: the encoding of the messages, and the limit of a body."""

    encode: Callable[[Sent], bytes]
    decode: Callable[[bytes], Received]
    decode_error: type[Exception] = ValueError
    """Error of `decode` for a malformed body."""
    max_body_bytes: int = (1 << 32) - 1

    def pack(self, message: Sent) -> bytes:
        """Return the frame of the message. Raises the errors of `encode`."""
        body = self.encode(message)
        return _LENGTH.pack(len(body)) + body

    async def receive(self, stream: asyncio.StreamReader) -> Received:
        """Return the next message. Raises BrokenFrame, and asyncio.IncompleteReadError at the end of the stream."""
        length = self._length(await stream.readexactly(_LENGTH.size))
        return self._decoded(await stream.readexactly(length))

    def read(self, stream: BinaryIO) -> Received | None:
        """Return the next message, or None at the end of the stream, and read no byte more. Blocks.

        Raises BrokenFrame.
        """
        head = _exactly(stream, _LENGTH.size)
        body = None if head is None else _exactly(stream, self._length(head))
        return None if body is None else self._decoded(body)

    def _length(self, head: bytes) -> int:
        (length,) = _LENGTH.unpack(head)
        if length > self.max_body_bytes:
            raise BrokenFrame(f"a frame of {length} bytes")
        return length

    def _decoded(self, body: bytes) -> Received:
        try:
            return self.decode(body)
        except self.decode_error as error:
            raise BrokenFrame(str(error)) from error


def write_whole(stream: BinaryIO, data: bytes) -> None:
    """Write all bytes into an unbuffered stream, which may take fewer bytes at a time. Blocks."""
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


def _exactly(stream: BinaryIO, size: int) -> bytes | None:
    """Return so many bytes, or None if the stream ends before; an unbuffered stream returns fewer bytes at a time."""
    data = stream.read(size)
    while len(data) < size:
        more = stream.read(size - len(data))
        if not more:
            return None
        data += more
    return data
