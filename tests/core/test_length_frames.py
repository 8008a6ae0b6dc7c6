"""Frames behind their length: read from a stream that gives few bytes at a time, and not a byte too many."""

import asyncio
import io
import json
import os

import pytest

from corpus_support import corpus
from placet.core.length_frames import BrokenFrame, FrameCodec, write_whole

CODEC: FrameCodec[object, object] = FrameCodec(lambda value: json.dumps(value).encode(), json.loads, max_body_bytes=64)


class Trickle(io.RawIOBase):
    """Stream that takes and gives three bytes at a time, as a pipe may."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = data

    def read(self, size: int = -1) -> bytes:
        taken, self.data = self.data[: min(size, 3)], self.data[min(size, 3) :]
        return taken

    def write(self, data: object) -> int:
        part = bytes(data)[:3]  # type: ignore[call-overload]
        self.data += part
        return len(part)


def test_a_message_crosses_a_stream_that_gives_few_bytes_at_a_time():
    stream = Trickle()
    write_whole(stream, CODEC.pack({"a": 1}) + CODEC.pack([2]))

    assert CODEC.read(stream) == {"a": 1}
    assert CODEC.read(stream) == [2]
    assert CODEC.read(stream) is None


def test_what_follows_a_message_stays_in_the_pipe():
    read, write = os.pipe()
    os.write(write, CODEC.pack("secret") + b"rest")
    with os.fdopen(read, "rb", buffering=0) as source:
        assert CODEC.read(source) == "secret"
        assert source.read(4) == b"rest"
    os.close(write)


@corpus("length", range(len(CODEC.pack("secret"))))
async def test_a_pipe_that_ends_inside_a_message_is_an_end(length: int):
    data = CODEC.pack("secret")[:length]
    stream = asyncio.StreamReader()
    stream.feed_data(data)
    stream.feed_eof()

    assert CODEC.read(io.BytesIO(data)) is None
    with pytest.raises(asyncio.IncompleteReadError):
        await CODEC.receive(stream)


@corpus("frame", [b"\x02\0\0\0{,", b"\x41\0\0\0" + b"1" * 65])
async def test_what_is_no_message_is_told_at_both_ends(frame: bytes):
    stream = asyncio.StreamReader()
    stream.feed_data(frame)

    with pytest.raises(BrokenFrame):
        await CODEC.receive(stream)
    with pytest.raises(BrokenFrame):
        CODEC.read(io.BytesIO(frame))
