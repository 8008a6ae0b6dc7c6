"""Usage and cost of model calls, by the providers' own figures: for each call, session and day."""

import sqlite3
import time
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from placet.core.ids import new_id, now
from placet.core.messages import AssistantMessage, Tokens, Value
from placet.storage.database import Database, Statement

UsageKind = Literal["answer", "title", "summary", "compaction", "commit", "sampling", "judge"]
"""Purpose of a model call."""


class Spent(Value):
    """Tokens and their cost in US dollars, where calls of unknown price count as 0."""

    tokens: Tokens = Tokens()
    cost: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(tokens=self.tokens + other.tokens, cost=self.cost + other.cost)


class SessionUsage(Spent):
    """Usage of a session and its subagents together."""

    subagents: Spent | None = None
    """Share of the subagents in the usage."""
    inherited: Spent | None = None
    """Usage of the original session for the copied messages; not included in the figures of the copy."""


class UsageRecord(Value):
    """Usage of a model call."""

    kind: UsageKind = "answer"
    model: str
    created: int
    tokens: Tokens = Tokens()
    cost: float = 0.0


class DayUsage(Spent):
    """A model's share of a day."""

    day: str
    """YYYY-MM-DD, by the clock of this machine."""
    model: str
    calls: int


class Spending(Struct, frozen=True):
    """US dollars spent so far: by a turn, by its session, and since midnight by all sessions of the store."""

    turn: float = 0.0
    session: float = 0.0
    day: float = 0.0


class Accounts:
    """Table of the usage. The table outlives sessions: the cost of a deleted session stays counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, session_id: str, kind: UsageKind, model: str, tokens: Tokens, cost: float) -> None:
        """Count a model call without a message for its figures: a title, a summary. Answers count themselves."""
        record = UsageRecord(kind=kind, model=model, created=now(), tokens=tokens, cost=cost)
        self._database.transaction([usage_statement(new_id("use"), session_id, record)])

    async def of_sessions(self, session_ids: Sequence[str]) -> dict[str, SessionUsage]:
        """Return the usage of each session with its subagents, including sessions without usage."""
        marks = ", ".join("?" * len(session_ids))
        rows = await self._database.read(
            f"WITH RECURSIVE tree (root, id) AS (SELECT id, id FROM session WHERE id IN ({marks})"  # noqa: S608
            " UNION ALL SELECT tree.root, session.id FROM tree JOIN session ON session.parent_id = tree.id)"
            f" SELECT root, usage.session_id = root AS own, inherited, {_SUMS}"
            " FROM tree JOIN usage ON usage.session_id = tree.id GROUP BY 1, 2, 3",
            session_ids,
        )
        figures = {(row["root"], bool(row["own"]), bool(row["inherited"])): _spent(row) for row in rows}
        return {session_id: _session_usage(session_id, figures) for session_id in session_ids}

    async def other_calls(self, session_id: str) -> list[UsageRecord]:
        """Return the session's calls for titles, summaries and other purposes than answers, oldest first."""
        rows = await self._database.read(
            "SELECT * FROM usage WHERE session_id = ? AND kind != 'answer' ORDER BY created, id", (session_id,)
        )
        return [
            UsageRecord(
                kind=row["kind"], model=row["model"], created=row["created"], tokens=_tokens(row), cost=row["cost"]
            )
            for row in rows
        ]

    async def by_day(self, days: int) -> list[DayUsage]:
        """Return the usage of the last `days` days by day and model, the latest day first."""
        rows = await self._database.read(
            "SELECT date(created / 1000, 'unixepoch', 'localtime') AS day, model, count(*) AS calls,"  # noqa: S608
            f" {_SUMS} FROM usage WHERE inherited = 0 AND created >= ? GROUP BY 1, 2 ORDER BY 1 DESC, 2",
            (_midnight(days - 1),),
        )
        return [
            DayUsage(day=row["day"], model=row["model"], calls=row["calls"], tokens=_tokens(row), cost=row["cost"])
            for row in rows
        ]

    async def spending(self, session_id: str, turn_started: int) -> Spending:
        """Return the spending of the session with its subagents, the share since `turn_started` (milliseconds), and the
        spending of all sessions today.
        """
        in_tree, today = await self._database.snapshot(
            [
                (
                    "WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL"
                    " SELECT session.id FROM tree JOIN session ON session.parent_id = tree.id)"
                    " SELECT total(cost) AS session, total(CASE WHEN created >= ? THEN cost END) AS turn"
                    " FROM tree JOIN usage ON usage.session_id = tree.id WHERE inherited = 0",
                    (session_id, turn_started),
                ),
                ("SELECT total(cost) AS day FROM usage WHERE inherited = 0 AND created >= ?", (_midnight(0),)),
            ]
        )
        return Spending(in_tree[0]["turn"], in_tree[0]["session"], today[0]["day"])


def answer_statement(session_id: str, answer: AssistantMessage, *, inherited: bool = False) -> Statement:
    """Return the statement for the count of an answer under the message's id; a counted answer gets the new figures."""
    kind: UsageKind = "compaction" if answer.summary else "answer"
    record = UsageRecord(kind=kind, model=answer.model, created=answer.created, tokens=answer.tokens, cost=answer.cost)
    return usage_statement(answer.id, session_id, record, inherited=inherited)


def usage_statement(call_id: str, session_id: str, record: UsageRecord, *, inherited: bool = False) -> Statement:
    """Return the statement for the count of a call."""
    tokens = record.tokens
    return (
        "INSERT INTO usage (id, session_id, kind, model, created,"
        " input, output, reasoning, cache_read, cache_write, cost, inherited)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " input = excluded.input, output = excluded.output, reasoning = excluded.reasoning,"
        " cache_read = excluded.cache_read, cache_write = excluded.cache_write, cost = excluded.cost",
        (
            call_id,
            session_id,
            record.kind,
            record.model,
            record.created,
            tokens.input,
            tokens.output,
            tokens.reasoning,
            tokens.cache_read,
            tokens.cache_write,
            record.cost,
            inherited,
        ),
    )


_SUMS = ", ".join(
    f"sum({column}) AS {column}" for column in ("input", "output", "reasoning", "cache_read", "cache_write", "cost")
)


def _session_usage(session_id: str, figures: dict[tuple[str, bool, bool], Spent]) -> SessionUsage:
    nothing = Spent()
    own, subagents = figures.get((session_id, True, False), nothing), figures.get((session_id, False, False))
    copied = [spent for (root, _, inherited), spent in figures.items() if root == session_id and inherited]
    both = own + (subagents or nothing)
    return SessionUsage(
        tokens=both.tokens,
        cost=both.cost,
        subagents=subagents,
        inherited=sum(copied, nothing) if copied else None,
    )


def _spent(row: sqlite3.Row) -> Spent:
    return Spent(tokens=_tokens(row), cost=row["cost"])


def _tokens(row: sqlite3.Row) -> Tokens:
    return Tokens(
        input=row["input"],
        output=row["output"],
        reasoning=row["reasoning"],
        cache_read=row["cache_read"],
        cache_write=row["cache_write"],
    )


def _midnight(days_ago: int) -> int:
    """When the day began, by the local clock, in milliseconds since the epoch."""
    today = time.localtime()
    return int(time.mktime((today.tm_year, today.tm_mon, today.tm_mday - days_ago, 0, 0, 0, 0, 0, -1)) * 1000)


def dollars(cost: float) -> str:
    """Return an amount in dollars for the user: cents, or four places for amounts under ten cents."""
    return f"${cost:.2f}" if cost >= 0.1 or cost == 0 else f"${cost:.4f}"
