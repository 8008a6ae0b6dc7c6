import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator

import pytest

from placet.core.framing import Malformed, frame
from placet.core.process_identity import is_running
from placet.frontends.lsp.connection.inbound import Inbound
from placet.frontends.lsp.connection.outbound import Outbound
from placet.frontends.lsp.server import until_ended

SECONDS = 60.0
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
    await outbound.finish(SECONDS)
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
    await outbound.finish(SECONDS)
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

    async with asyncio.timeout(SECONDS):
        await lost.wait()
    outbound.write(b"y")
    await outbound.finish(SECONDS)


async def test_messages_are_delivered_in_order_and_the_end_is_told(pipe: tuple[int, int]) -> None:
    read, write = pipe
    bodies = [str(number).encode() for number in range(500)]
    delivered: list[bytes | Malformed] = []
    ended = asyncio.Event()
    Inbound(read, deliver=delivered.append, on_end=ended.set).start()

    os.write(write, b"".join(map(frame, bodies)))
    os.close(write)
    async with asyncio.timeout(SECONDS):
        await ended.wait()

    assert delivered == bodies


async def test_a_process_is_alive_until_it_has_ended() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    assert is_running(os.getpid())
    assert is_running(child.pid)
    waiting = asyncio.create_task(until_ended(child.pid, every_seconds=0.01))

    await child.communicate(b"\n")

    async with asyncio.timeout(SECONDS):
        await waiting
    assert not is_running(child.pid)
