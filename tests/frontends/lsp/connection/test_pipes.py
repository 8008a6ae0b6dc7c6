import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.core.framing import FrameDecoder, Malformed, frame
from placet.core.process_identity import is_running
from placet.core.stdio.inbound import Inbound
from placet.core.stdio.outbound import Outbound
from placet.frontends.lsp.server import until_ended
from time_support import limited, wait_seconds

"""For what comes at once on a machine that has time."""


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    for descriptor in (read, write):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def read_all(descriptor: int) -> bytes:
    whole = bytearray()
    while data := os.read(descriptor, 1 << 16):
        whole += data
    return bytes(whole)


async def test_what_is_queued_is_written_whole_and_in_order(pipe: tuple[int, int]) -> None:
    read, write = pipe
    messages = [bytes([number]) * size for number, size in enumerate([1, 70_000, 2, 1_500_000, 3, 0, 4])]
    outbound = Outbound(write, on_lost=lambda: None)
    outbound.start()
    reading = asyncio.get_running_loop().run_in_executor(None, read_all, read)

    for message in messages:
        outbound.write(message)
    await outbound.finish(wait_seconds())
    os.close(write)

    assert await reading == b"".join(messages)


async def test_there_is_no_room_while_the_editor_does_not_read(pipe: tuple[int, int]) -> None:
    read, write = pipe
    outbound = Outbound(write, on_lost=lambda: None)
    outbound.start()
    assert outbound.has_room
    outbound.write(b"x" * 3_000_000)
    assert not outbound.has_room

    reading = asyncio.get_running_loop().run_in_executor(None, read_all, read)
    await outbound.finish(wait_seconds())
    assert outbound.has_room
    os.close(write)
    await reading


async def test_an_editor_that_is_gone_is_noticed_on_writing(pipe: tuple[int, int]) -> None:
    read, write = pipe
    os.close(read)
    lost = asyncio.Event()
    outbound = Outbound(write, on_lost=lost.set)
    outbound.start()

    outbound.write(b"x")

    async with limited(lambda: "the loss of the pipe"):
        await lost.wait()
    outbound.write(b"y")
    await outbound.finish(wait_seconds())


async def test_messages_are_delivered_in_order_and_the_end_is_told(pipe: tuple[int, int]) -> None:
    read, write = pipe
    bodies = [str(number).encode() for number in range(500)]
    delivered: list[bytes | Malformed] = []
    ended = asyncio.Event()
    inbound = Inbound(read, FrameDecoder())
    inbound.start()
    inbound.deliver(asyncio.get_running_loop(), delivered.append, on_end=ended.set)

    os.write(write, b"".join(map(frame, bodies)))
    os.close(write)
    async with limited(lambda: "the end of the pipe"):
        await ended.wait()

    assert delivered == bodies


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


@given(bodies=st.lists(st.binary(max_size=50), max_size=100), early=st.integers(0, 5), cuts=st.lists(st.integers(0)))
def test_no_byte_is_lost_between_taking_the_first_messages_and_delivering_the_rest(
    bodies: list[bytes], early: int, cuts: list[int]
) -> None:
    """However the bytes are cut up, and whatever the thread has already read when the loop begins."""
    read, write = os.pipe()
    inbound = Inbound(read, FrameDecoder())
    inbound.start()
    pieces = cut(b"".join(map(frame, bodies)), cuts)

    def send() -> None:
        for piece in pieces:
            os.write(write, piece)
        os.close(write)

    async def rest() -> list[bytes | Malformed]:
        delivered: list[bytes | Malformed] = []
        ended = asyncio.Event()
        inbound.deliver(asyncio.get_running_loop(), delivered.append, on_end=ended.set)
        async with limited(lambda: f"the end of the pipe, which has delivered {delivered}"):
            await ended.wait()
        return delivered

    sending = threading.Thread(target=send)
    sending.start()
    taken = [inbound.take() for _ in range(min(early, len(bodies)))]
    delivered = asyncio.run(rest())
    sending.join()
    os.close(read)

    assert [*taken, *delivered] == bodies


def test_the_end_of_the_input_is_told_also_before_there_is_a_loop(pipe: tuple[int, int]) -> None:
    read, write = pipe
    inbound = Inbound(read, FrameDecoder())
    inbound.start()

    os.write(write, frame(b"last"))
    os.close(write)

    assert (inbound.take(), inbound.take()) == (b"last", None)


async def test_a_process_is_alive_until_it_has_ended() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    assert is_running(os.getpid())
    assert is_running(child.pid)
    waiting = asyncio.create_task(until_ended(child.pid, every_seconds=0.01))

    await child.communicate(b"\n")

    async with limited(lambda: "the end of the editor"):
        await waiting
    assert not is_running(child.pid)


@pytest.mark.parametrize("process_id", [2**22 + 1, 2**31, 2**70])
def test_an_id_that_no_process_can_have_is_of_no_process(process_id: int) -> None:
    assert not is_running(process_id)
