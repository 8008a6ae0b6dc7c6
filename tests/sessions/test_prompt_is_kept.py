"""What the user wrote is stored before anything else is done about it."""

import asyncio
from pathlib import Path

from placet.core.messages import TextPart, UserMessage
from placet.core.ports import Document
from placet.project.files.disk import DiskDocuments
from placet.sessions.store.session_store import SessionStore
from placet.storage.database import Database
from services_support import TempServices


class Slow(DiskDocuments):
    """Says when it is asked for a document, and gives none."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def read(self, path: Path) -> Document:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_prompt_is_stored_while_what_it_points_at_is_still_read(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("text\n", "utf-8")
    services.documents = slow = Slow()
    async with services.open(services.script([{"text": "Done."}])) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt([TextPart(text="Look at @a.txt")]))
        await slow.asked.wait()
        await session.catch_up()
        database = Database(services.locations.store)
        stored = await SessionStore(database).read(session.info.id, at_work_elsewhere=True)
        await database.close()
        await session.cancel()
        assert (await turn).stop_reason == "cancelled"
    [message] = [one for one in stored.messages if isinstance(one, UserMessage)]
    assert [part.text for part in message.parts if isinstance(part, TextPart)] == ["Look at @a.txt"]
