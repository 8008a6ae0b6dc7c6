"""Another Placet on the same store: `python -m services_support.worker DIRECTORY WORK ARGUMENT...`. Says JSON lines."""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from placet.core.errors import RequestError
from placet.core.messages import TextPart
from placet.core.ports import PermissionAnswer
from placet.sessions.registry import Sessions
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
USAGE = {"usage": {"input": 10, "output": 5}, "cost": 0.25}


def say(**told: Any) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


def script(services: TempServices, file: str, name: str) -> str:
    """A model that edits the file to and fro."""
    read = {"call": "read", "arguments": {"filePath": file}}
    turn = [[read], [edit(file, "old", "new")], [{"text": f"{name} is done."}, USAGE]]
    return services.script(*turn, name=f"{name}.json")


def edit(file: str, old: str, new: str) -> dict[str, Any]:
    return {"call": "edit", "arguments": {"filePath": file, "oldString": old, "newString": new}}


async def work(services: TempServices, name: str, rounds: str, shared: str) -> None:
    """Turns with edits, undo, redo, grants, forks, searches, deletions, in sessions of its own and in a shared one."""
    file = f"{name}.txt"
    (services.project / file).write_text("old\n")
    services.user.answer = lambda _: PermissionAnswer("always", scope="user")
    talk = services.script(*[[{"text": f"{name} says {n}."}, USAGE] for n in range(1000)], name=f"{name}-talk.json")
    done: Counter[str] = Counter()
    async with services.open(talk) as sessions:
        for number in range(int(rounds)):
            session = await sessions.create(title=f"{name} {number}", model=script(services, file, name))
            assert (await session.prompt(GO)).stop_reason == "end_turn"
            assert [one.status for one in await session.undo()] == ["restored"]
            assert [one.status for one in await session.redo()] == ["restored"]
            assert [one.status for one in await session.undo()] == ["restored"]
            fork = await sessions.fork(session.info.id)
            found, _ = await sessions.list(query=f"{name} done")
            assert session.info.id in {info.id for info in found}
            if number % 3:
                await sessions.delete(fork.info.id)
            else:
                done["kept"] += 1
            done["kept"] += 1
            done[await _in_shared(sessions, shared, talk)] += 1
    say(**done)


async def _in_shared(sessions: Sessions, shared: str, model: str) -> str:
    try:
        session = await sessions.load(shared)
        if session.info.model != model:
            await session.choices.set_model(model)
        result = await session.prompt([TextPart(text="In the shared one.")])
    except RequestError as error:
        if "in use by another Placet" not in str(error):
            raise
        return "refused"
    if result.error is not None:
        assert "in use by another Placet" in result.error.message, result.error
        return "refused"
    return "ended"


async def read(services: TempServices, session_id: str) -> None:
    """Read the session in every way until it is gone."""
    async with services.open() as sessions:
        reads = 0
        try:
            while True:
                (await sessions.load(session_id)).replay()
                await sessions.export(session_id, "json", contents=True)
                await sessions.list(query="word")
                reads += 1
                if reads == 1:
                    say(reads=reads)
        except RequestError as error:
            if "no session" not in str(error):
                raise
        assert (await (await sessions.create(title="T")).prompt(GO)).stop_reason == "refused"
        say(reads=reads)


async def keep(services: TempServices, session_id: str) -> None:
    """Have the session open without doing anything in it; at the first line, prompt in it, and then elsewhere."""
    async with services.open(services.script([{"text": "Said by the other."}])) as sessions:
        session = await sessions.load(session_id)
        say(messages=len(session.messages))
        await asyncio.to_thread(sys.stdin.readline)
        result = await session.prompt(GO)
        elsewhere = await (await sessions.create(title="T")).prompt(GO)
        say(
            stop_reason=result.stop_reason,
            error=result.error.message if result.error else None,
            messages=len(session.messages),
            elsewhere=elsewhere.stop_reason,
        )


if __name__ == "__main__":
    asyncio.run({"work": work, "read": read, "keep": keep}[sys.argv[2]](TempServices(Path(sys.argv[1])), *sys.argv[3:]))
