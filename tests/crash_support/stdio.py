"""A true daemon over stdio with an editor, killed when the editor has heard so many messages of it."""

import asyncio
import random
from pathlib import Path

from crash_support.aftermath import Aftermath
from crash_support.project import answers, make_project, write_script
from crash_support.record import Record
from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import NEOVIM
from placet.settings import Locations


async def kill_after(directory: Path, messages: int | None, delay_seconds: float) -> tuple[int, list[str]]:
    """How many messages there were, and what was wrong afterwards; None: it is not killed before all is done."""
    project = directory / "project"
    project.mkdir(parents=True)
    make_project(project)
    record = Record()
    model = write_script(directory / "script.json", answers(random.Random(1)))
    async with daemon(NEOVIM, project, directory, model=model, permission={"edit": "ask", "bash": "ask"}) as placet:
        placet.editor.open(project / "a.txt")
        record.session_id = await placet.new_session()
        work = asyncio.create_task(_work(placet, record.session_id))
        if messages is None:
            await work
        else:
            enough = asyncio.create_task(placet.editor.wait_until(lambda: _heard(placet) >= messages))
            # All may be done with fewer messages than the last time.
            await asyncio.wait((enough, work), return_when=asyncio.FIRST_COMPLETED)
            enough.cancel()
            await asyncio.gather(enough, return_exceptions=True)
            await asyncio.sleep(delay_seconds)
        victim = placet.process.pid
        await placet.kill()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        heard = _heard(placet)
    aftermath = Aftermath(directory, record, victim)
    places = (directory / name / "placet" for name in ("config", "data", "cache", "log"))
    aftermath.at(Locations(*places))
    await aftermath.look()
    return heard, aftermath.problems


async def _work(placet: DaemonEditor, session_id: str) -> None:
    await placet.prompt(session_id, "Do it all.")
    await placet.request("agent/undo", {"sessionId": session_id})
    await placet.request("agent/redo", {"sessionId": session_id})
    await placet.request("agent/session/compact", {"sessionId": session_id})
    await placet.prompt(session_id, "And once more.")


def _heard(placet: DaemonEditor) -> int:
    return len(placet.editor.asked) + len(placet.editor.told)
