"""The store with 10,000 messages: finding what was said, and a page of the list, beside a look at every text."""

import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bench.report import Figure
from placet.changes.journal.journal import Journal
from placet.core.ids import new_id
from placet.core.messages import AssistantMessage, Message, TextPart, Tokens, ToolCompleted, ToolPart, UserMessage
from placet.sessions.store.library import Library
from placet.sessions.store.records import SessionInfo
from placet.sessions.store.session_store import SessionStore
from placet.storage.database import Database

MESSAGES = 10_000
MESSAGES_A_SESSION = 100
WORDS_A_TEXT = 120
ROUNDS = 15


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "placet.db"
        database = Database(file)
        store = SessionStore(database)
        library = Library(store, lambda: Journal(database))
        await _fill(store)
        size = file.stat().st_size
        start = time.perf_counter()
        await library.list(query="needle")
        first = (time.perf_counter() - start) * 1000
        figures = [
            Figure("the first search, which makes the index", first, "ms", note=await _grown(database, file, size)),
            await _search(library, file, "a rare word", "needle"),
            await _search(library, file, "a common word", "mile"),
            await _search(library, file, "two words", "needle common"),
            await _page(library, file),
        ]
        await database.close()
        return figures


async def _fill(store: SessionStore) -> None:
    chance = random.Random(1)
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "ar", "il", "en")]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(8000)] + ["mile"] * 40
    for number in range(MESSAGES // MESSAGES_A_SESSION):
        messages: list[Message] = []
        for _ in range(MESSAGES_A_SESSION // 2):
            prompt = UserMessage(parts=(TextPart(text=_text(chance, words)),), stop_reason="end_turn")
            call = ToolCompleted(
                input={"filePath": "a.py"}, title="a.py", output=_text(chance, words) * 5, start=0, end=0
            )
            parts = (TextPart(text=_text(chance, words)), ToolPart(call_id="call", tool="read", state=call))
            spent: dict[str, Any] = {"tokens": Tokens(input=1000, output=100), "cost": 0.01}
            messages += [prompt, AssistantMessage(parent_id=prompt.id, completed=1, parts=parts, **spent)]
        if number % 20 == 0:
            messages.append(UserMessage(parts=(TextPart(text="A needle, in common hay."),), stop_reason="end_turn"))
        info = {"id": new_id("ses"), "title": f"Talk {number}", "agent": "build", "model": "m", "roots": ()}
        await store.add_copy(SessionInfo.model_validate({**info, "created": number, "updated": number}), messages)


def _text(chance: random.Random, words: list[str]) -> str:
    return " ".join(chance.choices(words, k=WORDS_A_TEXT))


async def _grown(database: Database, file: Path, size: int) -> str:
    await database.read("PRAGMA wal_checkpoint(TRUNCATE)")
    return f"(store {size / 1e6:.0f} MB, then {file.stat().st_size / 1e6:.0f} MB)"


async def _search(library: Library, file: Path, name: str, query: str) -> Figure:
    ours = await _median(lambda: library.list(query=query))
    floor = await _median(lambda: asyncio.to_thread(_look_at_all, file, query.split()))
    return Figure(f"a search for {name}", ours, "ms", floor=floor, floor_name="LIKE over every text", goal=0.5)


async def _page(library: Library, file: Path) -> Figure:
    def alone() -> None:
        connection = sqlite3.connect(file)
        connection.execute("SELECT * FROM session ORDER BY updated DESC, id DESC LIMIT 51").fetchall()
        connection.close()

    ours, floor = await _median(library.list), await _median(lambda: asyncio.to_thread(alone))
    return Figure("a page of 50, with what each has used", ours, "ms", floor=floor, floor_name="the rows alone")


def _look_at_all(file: Path, words: list[str]) -> None:
    connection = sqlite3.connect(file)
    for word in words:
        connection.execute(
            "SELECT DISTINCT session_id FROM part WHERE json_extract(body, '$.type') = 'text'"
            " AND json_extract(body, '$.text') LIKE ?",
            (f"%{word}%",),
        ).fetchall()
    connection.close()


async def _median(work: Callable[[], Awaitable[Any]]) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        await work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)
