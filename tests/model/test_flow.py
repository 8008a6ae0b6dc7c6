"""How far an answer may run ahead of its reader."""

import asyncio

from corpus_support import corpus
from placet.model.frames import Text
from placet.model.host.backpressure import Flow


async def has_room(flow: Flow) -> bool:
    waiting = asyncio.ensure_future(flow.room())
    await asyncio.sleep(0)
    return waiting.done() or waiting.cancel() is False


@corpus(
    ("batches", "room"),
    [([1], True), ([1, 1, 1], False), ([99], True), ([100], False), ([60, 60], False)],
)
async def test_too_many_batches_or_too_much_text_has_to_wait(batches: list[int], room: bool):
    flow = Flow(3, characters=100)
    for size in batches:
        flow.sent([Text("x" * size)])

    assert await has_room(flow) is room


async def test_what_is_taken_makes_room():
    flow = Flow(3, characters=100)
    flow.sent([Text("x" * 80)])
    flow.sent([Text("x" * 30)])
    assert not await has_room(flow)

    flow.taken()

    assert await has_room(flow)
