"""What comes through the pipe between daemon and host and is no frame."""

import asyncio
import io
import struct

import pytest

from corpus_support import corpus
from placet.core.length_frames import BrokenFrame
from placet.model import frames

BODIES = (b"", b"\xc1", b"\x92\xa7unknown\x01")
"""Nothing, no msgpack, and a message of an unknown kind."""


@corpus("data", [*(struct.pack("<I", len(body)) + body for body in BODIES), b"Content-Length: 12"])
async def test_what_is_no_frame_is_told_at_both_ends(data: bytes):
    stream = asyncio.StreamReader()
    stream.feed_data(data)

    with pytest.raises(BrokenFrame):
        frames.ORDERS.read(io.BytesIO(data))
    with pytest.raises(BrokenFrame):
        await frames.REPORTS.receive(stream)
