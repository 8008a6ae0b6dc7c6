"""The language between daemon and host."""

import asyncio
import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.length_frames import BrokenFrame
from placet.model import frames

REPORTS = [
    frames.Hello(frames.VERSION),
    frames.Ready(3.2),
    frames.Unusable("no litellm"),
    frames.Prepared(frames.ModelFacts("openai/x", 128_000, tools=True)),
    frames.Models(8, [frames.ModelFacts("openai/x", input_price=2.5)], 3),
    frames.Batch(
        7, [frames.Text("ä"), frames.Thought("", "seal"), frames.Call("c", "read"), frames.Arguments("c", "{")]
    ),
    frames.Batch(7, [frames.Usage(input=3, cost=0.1), frames.Finish("stop")]),
    frames.Ended(7),
    frames.Failed(7, "rate_limit", "slow down", "wait", 429, 2.5),
]
ORDERS = [
    frames.Prepare("openai/x"),
    frames.Ask(1, "openai/x", [{"role": "user", "content": "hi"}], api_base="http://127.0.0.1:1"),
    frames.Cancel(1),
    frames.ListModels(8, "gpt", 10, ["openai/x"]),
]


async def reports_in(data: bytes) -> list[frames.Report]:
    stream = asyncio.StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    reports: list[frames.Report] = []
    try:
        while True:
            reports.append(await frames.REPORTS.receive(stream))
    except asyncio.IncompleteReadError:
        return reports


async def test_reports_survive_the_pipe():
    assert await reports_in(b"".join(map(frames.REPORTS.pack, REPORTS))) == REPORTS


def test_orders_survive_the_pipe():
    pipe = io.BytesIO(b"".join(map(frames.ORDERS.pack, ORDERS)))

    assert [frames.ORDERS.read(pipe) for _ in ORDERS] == ORDERS
    assert frames.ORDERS.read(pipe) is None


@given(st.integers(min_value=0, max_value=80))
def test_a_pipe_that_ends_inside_a_frame_is_an_end(length: int):
    data = frames.ORDERS.pack(ORDERS[1])[:length]

    assert frames.ORDERS.read(io.BytesIO(data)) in (None, ORDERS[1])


@corpus("body", [b"", b"\xc1", b"\x92\xa7unknown\x01"])
async def test_what_is_no_frame_is_told(body: bytes):
    data = struct.pack("<I", len(body)) + body

    with pytest.raises(BrokenFrame):
        frames.ORDERS.read(io.BytesIO(data))
    with pytest.raises(BrokenFrame):
        await reports_in(data)


def test_an_absurd_length_is_not_waited_for():
    with pytest.raises(BrokenFrame, match="bytes"):
        frames.ORDERS.read(io.BytesIO(b"Content-Length: 12"))
