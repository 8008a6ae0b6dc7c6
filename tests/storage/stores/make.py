"""Makes the store file of the code it is run with: `PYTHONPATH=daemon:tests python tests/storage/stores/make.py DIR`.

Writes `NNN.db` beside itself, NNN being the schema's number, with one session in it that has read, edited, undone
and handed work to a subagent, and one that was killed in mid turn. DIR is where the project of that session
lies meanwhile, so that no path of a real machine gets into the file. Run it once a release, before its first step
after that; a file that is there is left alone.
"""

import asyncio
import sqlite3
import sys
from pathlib import Path

from placet.core.messages import TextPart
from placet.storage.migrations import STEPS
from services_support import TempServices

USAGE = {"usage": {"input": 1200, "output": 80, "cacheRead": 400}, "cost": 0.0125}


async def main(directory: Path) -> None:
    target = Path(__file__).parent / f"{len(STEPS):03}.db"
    if target.exists():
        raise SystemExit(f"{target} is there already")
    services = TempServices(directory)
    (services.project / "greeting.txt").write_text("hello\nworld\n", "utf-8")
    read = {"call": "read", "arguments": {"filePath": "greeting.txt"}}
    edit = {"filePath": "greeting.txt", "oldString": "hello", "newString": "good morning"}
    work = {"description": "look around", "prompt": "What is there?", "subagent_type": "explore"}
    model = services.script(
        [{"thought": "I look at it first."}, {"text": "I read it."}, read, USAGE],
        [{"call": "edit", "arguments": edit}, USAGE],
        [{"text": "The greeting is warmer now."}, USAGE],
        [{"call": "task", "arguments": work}, USAGE],
        [{"text": "There is a greeting."}, USAGE],
        [{"text": "That is all."}, USAGE],
    )
    async with services.open(model, permission="allow") as sessions:
        session = await sessions.create()
        for prompt in ("Make the greeting warmer.", "Look around."):
            result = await session.prompt([TextPart(text=prompt)])
            assert result.stop_reason == "end_turn", result
        await session.undo()
    async with services.open(services.script([{"text": "I begin"}, {"wait": "never"}], name="killed.json")) as sessions:
        session = await sessions.create(title="Killed")
        turn = asyncio.create_task(session.prompt([TextPart(text="Begin something long.")]))
        while session.info.id not in {e.session_id for e in services.screen.events if e.update.kind.endswith("chunk")}:
            await services.screen.wait_for_more()
        await session._recorder.flushed()
        with sqlite3.connect(services.locations.store) as store:
            store.execute("VACUUM INTO ?", (str(target),))
        store.close()
        turn.cancel()
        await turn
    with sqlite3.connect(target) as store:
        store.execute("UPDATE session SET owner = '0:0' WHERE owner != ''")
        store.execute("UPDATE change SET owner = '0:0' WHERE owner != ''")
    store.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
