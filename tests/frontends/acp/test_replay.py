"""The replay of a long session: in batches, with other work between, and before all that happens meanwhile."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from placet.core.events import AgentMessageChunk, SessionEvent, UserMessageAdded
from placet.core.messages import TextPart, UserMessage
from placet.frontends.acp.client_session import ClientSession
from placet.frontends.acp.connection.client import Client
from placet.frontends.acp.connection.update_queue import BATCH_BYTES, UpdateQueue
from placet.frontends.acp.updates.conversation import Conversation

PIECE = "x" * 1000
COUNT = 10 * BATCH_BYTES // len(PIECE)


class Reader:
    """The client's end: takes the lines, and reads or does not."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.reads = True
        self.updates = UpdateQueue(Client(self.lines.append), lambda: self.reads)
        self.session = ClientSession("ses_1", Conversation(Path("/project"), mode="build"), self.updates)

    @property
    def texts(self) -> list[str]:
        messages = [msgspec.json.decode(line) for line in self.lines]
        return [message["params"]["update"]["content"]["text"] for message in messages]


def chunk(number: int, text: str = PIECE) -> SessionEvent:
    update = AgentMessageChunk(message_id="msg_1", part_id=f"prt_{number}", offset=0, text=text)
    return SessionEvent(session_id="ses_1", seq=number, update=update)


STORED = [chunk(number) for number in range(COUNT)]


async def test_other_work_goes_on_between_the_batches_of_a_replay() -> None:
    reader = Reader()
    replaying = asyncio.create_task(reader.session.replay(STORED))
    sizes: list[int] = []
    while not replaying.done():
        await asyncio.sleep(0)
        sizes.append(sum(map(len, reader.lines)))
    steps = [later - earlier for earlier, later in zip([0, *sizes], sizes, strict=False)]
    assert max(steps) < 1.1 * BATCH_BYTES
    assert reader.texts == [PIECE] * COUNT


async def test_a_replay_waits_for_a_client_that_does_not_read() -> None:
    reader = Reader()
    reader.reads = False
    replaying = asyncio.create_task(reader.session.replay(STORED))
    for _ in range(20):
        await asyncio.sleep(0)
    assert sum(map(len, reader.lines)) < 2 * BATCH_BYTES
    reader.reads = True
    await replaying
    assert len(reader.lines) == COUNT


async def test_what_happens_during_a_replay_is_shown_behind_the_answer() -> None:
    reader = Reader()
    replaying = asyncio.create_task(reader.session.replay(STORED))
    await asyncio.sleep(0)
    reader.session.emit(chunk(COUNT, "meanwhile"), "")
    await replaying
    reader.session.emit(chunk(COUNT + 1, " and then"), "")
    assert reader.texts == [PIECE] * COUNT
    reader.session.announce()
    reader.updates.flush()
    assert "".join(reader.texts[COUNT:]) == "meanwhile and then"


@pytest.mark.parametrize("was_announced", [True, False])
async def test_a_session_whose_replay_was_broken_off_is_as_before(was_announced: bool) -> None:
    reader = Reader()
    if was_announced:
        reader.session.announce()
    replaying = asyncio.create_task(reader.session.replay(STORED))
    await asyncio.sleep(0)
    replaying.cancel()
    await asyncio.gather(replaying, return_exceptions=True)
    sent = len(reader.lines)
    reader.session.emit(chunk(COUNT, "later"), "")
    reader.updates.flush()
    assert reader.texts[sent:] == (["later"] if was_announced else [])


async def test_the_first_update_of_a_replay_is_the_first_of_the_conversation() -> None:
    reader = Reader()
    prompt = UserMessage(parts=(TextPart(text="Go."),))
    await reader.session.replay([SessionEvent(session_id="ses_1", seq=1, update=UserMessageAdded(message=prompt))])
    assert reader.texts == ["Go."]
