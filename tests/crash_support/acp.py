"""`placet --acp` with a client, killed when the client has heard so many messages."""

import asyncio
import random
from pathlib import Path

from acp_support import ALLOW, AcpClient
from crash_support.aftermath import Aftermath
from crash_support.project import answers, make_project, write_script
from crash_support.record import Record
from placet.settings import Locations
from run_support import Place

PROMPTS = ("Do it all.", "Sum it up.", "And once more.")


async def kill_after(directory: Path, messages: int | None, delay_seconds: float) -> tuple[int, list[str]]:
    """How many messages there were, and what was wrong afterwards; None: it is not killed before all is done."""
    directory.mkdir(parents=True)
    place = Place(directory)
    place.environment["PLACET_MODEL"] = write_script(directory / "script.json", answers(random.Random(1)))
    place.environment["PLACET_CRASH"] = str(directory)
    make_project(place.project)
    record = Record()
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        record.session_id = await client.opened()
        work = asyncio.create_task(_work(client, record.session_id))
        if messages is None:
            await work
        else:
            enough = asyncio.create_task(client.until(lambda _: len(client.messages) >= messages))
            # All may be done with fewer messages than the last time.
            await asyncio.wait((enough, work), return_when=asyncio.FIRST_COMPLETED)
            enough.cancel()
            await asyncio.gather(enough, return_exceptions=True)
            await asyncio.sleep(delay_seconds)
        victim = client.process.pid
        await client.kill()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    aftermath = Aftermath(directory, record, victim)
    aftermath.at(Locations(*(directory / name / "placet" for name in ("CONFIG", "DATA", "CACHE", "STATE"))))
    await aftermath.look()
    return len(client.messages), aftermath.problems


async def _work(client: AcpClient, session_id: str) -> None:
    for text in PROMPTS:
        assert await client.prompt(session_id, text) == "end_turn"
