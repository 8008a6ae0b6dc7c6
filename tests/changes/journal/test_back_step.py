"""The statements of a step back or forward change the rows of the step, and no others."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest_asyncio

from placet.changes.journal.back_step import BackStep
from placet.storage.database import Database

SEQ = 7
MESSAGES = ("msg_1", "msg_2", "msg_3")


@pytest_asyncio.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    """Store with two sessions of the same seq; the first has three messages of a part each."""
    database = Database(tmp_path / "placet.db")
    for session_id in ("ses_1", "ses_2"):
        database.write(
            "INSERT INTO session (id, title, agent, model, roots, created, updated, seq, back_to) "
            "VALUES (?, '', '', '', '[]', 0, 0, ?, 'msg_2')",
            (session_id, SEQ),
        )
    for number, message_id in enumerate(MESSAGES, start=1):
        database.write("INSERT INTO message (id, session_id, seq, body) VALUES (?, 'ses_1', 1, '{}')", (message_id,))
        part = (f"prt_{number}", message_id)
        database.write("INSERT INTO part (id, message_id, session_id, seq, body) VALUES (?, ?, 'ses_1', 1, '{}')", part)
    await database.flushed()
    yield database
    await database.close()


async def carry_out(database: Database, step: BackStep) -> None:
    await asyncio.wrap_future(database.transaction(step.statements))


async def sessions(database: Database) -> list[tuple[str, int, str | None]]:
    rows = await database.read("SELECT id, seq, back_to FROM session ORDER BY id", ())
    return [(row["id"], row["seq"], row["back_to"]) for row in rows]


async def seqs(database: Database, table: str) -> list[int]:
    return [row["seq"] for row in await database.read(f"SELECT seq FROM {table} ORDER BY id", ())]


async def test_a_step_back_counts_as_a_change_of_its_session_alone_and_leaves_the_hidden_messages(
    database: Database,
) -> None:
    await carry_out(database, BackStep("ses_1", "act_1", "msg_1", "chg_1", "msg_1", "{}"))
    assert await sessions(database) == [("ses_1", SEQ + 1, "msg_1"), ("ses_2", SEQ, "msg_2")]
    assert await seqs(database, "message") == await seqs(database, "part") == [1, 1, 1]
    (row,) = await database.read("SELECT id, session_id, message_id, seq FROM back", ())
    assert tuple(row) == ("act_1", "ses_1", "msg_1", SEQ + 1)


async def test_a_step_forward_renews_the_shown_messages_and_no_message_that_stays_hidden(database: Database) -> None:
    await carry_out(database, BackStep("ses_1", "act_1", "msg_3", message_id="msg_2"))
    assert await sessions(database) == [("ses_1", SEQ + 1, "msg_3"), ("ses_2", SEQ, "msg_2")]
    assert await seqs(database, "message") == await seqs(database, "part") == [1, SEQ + 1, 1]


async def test_a_step_forward_in_the_files_alone_renews_no_message(database: Database) -> None:
    await carry_out(database, BackStep("ses_1", "act_1", "msg_2"))
    assert await seqs(database, "message") == await seqs(database, "part") == [1, 1, 1]
