"""Serves the daemon's orders: every call is a task, and what it says leaves in coalesced frames."""

import asyncio
from contextlib import aclosing
from typing import assert_never

from placet.model import frames
from placet.model.host_process import completion, faults
from placet.model.host_process.channel import Channel
from placet.model.host_process.coalescing import Coalescer


async def serve(channel: Channel) -> None:
    """Serve until the process ends with its input (channel.py)."""
    orders: asyncio.Queue[frames.Order] = asyncio.Queue()
    channel.listen(asyncio.get_running_loop(), orders.put_nowait)
    calls: dict[int, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as group:
        while True:
            order = await orders.get()
            match order:
                case frames.Ask():
                    call = calls[order.number] = group.create_task(_answer(channel, order))
                    call.add_done_callback(lambda _, number=order.number: calls.pop(number))
                case frames.Cancel():
                    if call := calls.get(order.number):
                        call.cancel()
                case frames.Prepare():
                    group.create_task(_prepare(channel, order.model))
                case _:
                    assert_never(order)


async def _prepare(channel: Channel, model: str) -> None:
    channel.send(frames.Prepared(model, completion.context_size(model)))
    await completion.prepare(model)


async def _answer(channel: Channel, ask: frames.Ask) -> None:
    coalescer = Coalescer(lambda pieces: channel.send(frames.Batch(ask.number, pieces)))
    streaming = False
    try:
        stream = await completion.begin(ask)
        streaming = True
        async with aclosing(completion.read(ask, stream)) as pieces:
            async for piece in pieces:
                if coalescer.add(piece):
                    # litellm does not yield while it has bytes: let cancels and other calls have their turn.
                    await asyncio.sleep(0)
    except Exception as error:  # noqa: BLE001 - the edge: whatever fails in a call is that call's failure
        coalescer.flush()
        channel.send(_failed(ask, error, streaming=streaming))
    else:
        coalescer.flush()
        channel.send(frames.Ended(ask.number))


def _failed(ask: frames.Ask, error: Exception, *, streaming: bool) -> frames.Failed:
    fault = faults.describe(error, completion.asked(ask), streaming=streaming)
    return frames.Failed(ask.number, fault.code, fault.message, fault.hint, fault.status, fault.retry_after)
