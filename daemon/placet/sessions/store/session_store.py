"""Sessions, messages and parts in the database: written as they happen, read whole."""

import itertools
import json
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from placet.changes.journal.on_behalf_of import reassign_changes
from placet.core.effort import Effort, read_effort
from placet.core.errors import AtWorkElsewhere, RequestError
from placet.core.messages import AssistantMessage, Message, Part, TextPart, Value
from placet.sessions.store import search
from placet.sessions.store.records import Cut, SessionInfo, StoredSession, StoredUsage
from placet.sessions.store.search import TextSearch
from placet.sessions.store.usage import Accounts, UsageRecord, answer_statement, usage_statement
from placet.settings.profile import read_profile
from placet.storage.database import Database, Statement
from placet.storage.owner import is_alive, this_process
from placet.storage.review_index import UNDECIDED

if TYPE_CHECKING:
    from placet.sessions.store.store_sync import Written

_STORES: WeakValueDictionary[str, "SessionStore"] = WeakValueDictionary()
"""The open stores of this process, by the marks of their claims."""
_NUMBERS = itertools.count(1)
SEQ_BLOCK = 1000
"""A session's `seq` is stored this far ahead, so that a sent seq is never sent again after a crash."""

_MOST_NAMED = 4
_LONGEST_TITLE = 40

COPIED = 1
"""The seq of all content with which a copied session begins."""


class SessionStore:
    """The session tables. Writes are queued in order; `read` methods see the queued writes.

    A write to a session that another process has deleted meanwhile is dropped.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._search = TextSearch(database)
        self._claims: Counter[str] = Counter()
        self._owner = f"{this_process()}:{next(_NUMBERS)}"
        """Mark of this store's claims: a process has a store for each set of folders, which may share a session."""
        _STORES[self._owner] = self
        self._own_seqs: dict[str, tuple[int, int]] = {}
        """The seqs, by session, through which only claims of this process have taken the session."""
        self.accounts = Accounts(database)

    def add_session(self, info: SessionInfo) -> None:
        """Add a session without messages."""
        self._database.transaction([_new_session(info, seq=0)])

    def save_session(self, info: SessionInfo, seq: int) -> None:
        self._database.write(
            "UPDATE session SET title = ?, agent = ?, model = ?, base_model = ?, review = ?, caution = ?,"
            " effort = ?, profile = ?, updated = ?, seq = max(seq, ?)"
            " WHERE id = ?",
            (
                *(info.title, info.agent, info.model, info.base_model, info.review, info.caution),
                *(_written(info.effort), info.profile, info.updated, seq, info.id),
            ),
        )

    async def add_copy(self, info: SessionInfo, messages: Sequence[Message], calls: Sequence[UsageRecord] = ()) -> None:
        """Add a session that begins with these messages; the cost of messages and other calls is not the session's."""
        statements = [_new_session(info, seq=COPIED)]
        for message in messages:
            statements += _message_statements(info.id, message, COPIED, inherited=True)
        statements += [
            usage_statement(f"{info.id}/{number}", info.id, call, inherited=True) for number, call in enumerate(calls)
        ]
        self._database.transaction(statements)
        await self._database.flushed()

    async def claim(self, session_id: str) -> None:
        """Take the session for this process, to run a turn or change the session; needs as many calls of `release`.

        Raises RequestError if the session is gone, or another process has claimed it.
        """

        def claim(connection: sqlite3.Connection) -> int:
            row = connection.execute("SELECT owner, seq FROM session WHERE id = ?", (session_id,)).fetchone()
            _check_free(session_id, row, self._owner)
            # The seq goes up, so that other processes notice the change, and so far that the events of this process are
            # covered before they are sent.
            connection.execute(
                "UPDATE session SET owner = ?, seq = seq + ? WHERE id = ?", (self._owner, SEQ_BLOCK, session_id)
            )
            return row["seq"]

        self._claims[session_id] += 1
        try:
            seq = await self._database.work(claim)
        except BaseException:
            self.release(session_id)
            raise
        first, last = self._own_seqs.get(session_id, (seq, seq))
        self._own_seqs[session_id] = (first if last == seq else seq, seq + SEQ_BLOCK)

    def holds(self, session_id: str) -> bool:
        """Return whether this store has claimed the session."""
        return self._claims[session_id] > 0

    def release(self, session_id: str) -> None:
        """Release a claim of the session."""
        self._claims[session_id] -= 1
        if self._claims[session_id] == 0:
            del self._claims[session_id]
            self._database.write("UPDATE session SET owner = '' WHERE id = ? AND owner = ?", (session_id, self._owner))

    @asynccontextmanager
    async def claimed(self, session_id: str) -> AsyncGenerator[None]:
        """Claim the session for this process within the block. Raises RequestError as `claim` does."""
        await self.claim(session_id)
        try:
            yield
        finally:
            self.release(session_id)

    @asynccontextmanager
    async def family_claimed(self, session_id: str) -> AsyncGenerator[None]:
        """Claim the session within the block, if no other process works in the session or in a subagent's session.

        Raises AtWorkElsewhere, or RequestError for an unknown session.
        """
        async with self.claimed(session_id):
            for row in await self._database.read(_TREE, (session_id,)):
                _check_free(row["id"], row, self._owner)
            yield

    async def is_at_work_elsewhere(self, session_id: str) -> bool:
        """Return whether another process works in the session or in a subagent's session. Raises StoreError."""
        return (await self.work_elsewhere(session_id))()

    async def work_elsewhere(self, session_id: str) -> Callable[[], bool]:
        """Return a check for the processes now at work in the session or in a subagent's session.

        The check returns whether one of these other processes still lives, and reads no row. Raises StoreError.
        """
        rows = await self._database.read(_TREE, (session_id,))
        return lambda: any(_is_elsewhere(row["id"], row["owner"], self._owner) for row in rows)

    def save_message(self, session_id: str, message: Message, seq: int) -> None:
        """Save the message and, for a new message, its parts."""
        self._database.transaction(_message_statements(session_id, message, seq))

    def save_usage(self, session_id: str, usage: StoredUsage) -> None:
        self._database.write("UPDATE session SET context = ? WHERE id = ?", (_body(usage), session_id))

    def save_part(self, session_id: str, message_id: str, part: Part, seq: int) -> None:
        self._database.transaction(_part_statements(session_id, message_id, part, seq))

    async def flushed(self) -> None:
        """Wait until all writes are stored. Raises StoreError."""
        await self._database.flushed()

    async def own_seq(self, session_id: str, expected_seq: int) -> int | None:
        """Return the stored seq; None for a deleted session, or if another process claimed it since `expected_seq`."""
        rows = await self._database.read("SELECT seq FROM session WHERE id = ?", (session_id,))
        seq = rows[0]["seq"] if rows else None
        first, last = self._own_seqs.get(session_id, (0, 0))
        return seq if seq == expected_seq or (seq == last and first <= expected_seq <= last) else None

    async def whole_id(self, beginning: str) -> str:
        """Return the id of the user's session whose id begins so; without such a session the text itself.

        Raises RequestError if several ids begin so.
        """
        rows = await self._database.read(
            "SELECT id, title FROM session WHERE parent_id IS NULL AND substr(id, 1, ?) = ? ORDER BY id DESC",
            (len(beginning), beginning),
        )
        if not rows or any(row["id"] == beginning for row in rows):
            return beginning
        if len(rows) > 1:
            raise _ambiguous(beginning, rows)
        return rows[0]["id"]

    async def info(self, session_id: str) -> SessionInfo:
        """Return the session's info with the usage and the size of the change set.

        Raises RequestError for an unknown session.
        """
        rows = await self._database.read(f"{_SESSIONS} WHERE id = ?", (session_id,))
        if not rows:
            raise _no_session(session_id)
        return (await self._described([_info(rows[0])]))[0]

    async def read(self, session_id: str, *, at_work_elsewhere: bool = False) -> StoredSession:
        """Return the session as of one moment.

        Raises RequestError for an unknown session, and AtWorkElsewhere unless `at_work_elsewhere` allows this state.
        """
        from placet.sessions.store.store_sync import conversation  # A list of sessions needs no transcript.

        session, messages, parts, cuts = await self._rows(session_id)
        if not at_work_elsewhere:
            _check_free(session_id, session, self._owner)
        stored = conversation(messages, parts)
        shown = sum(_is_shown(message.id, session) for message in stored)
        return StoredSession(
            info=_info(session),
            seq=session["seq"],
            messages=stored[:shown],
            seqs={row["id"]: row["seq"] for row in (*messages, *parts)},
            usage=_usage(session["context"]),
            cuts=_cuts(cuts),
        )

    async def written(self, session_id: str, since: int) -> "Written":
        """Return the session's content that changed at `since` or later. Raises RequestError for an unknown session."""
        from placet.sessions.store.store_sync import Written, written_messages, written_parts

        session, messages, parts, cuts = await self._rows(session_id, since)
        return Written(
            _info(session),
            written_messages([row for row in messages if _is_shown(row["id"], session)]),
            written_parts([row for row in parts if _is_shown(row["message_id"], session)]),
            _usage(session["context"]),
            _cuts(cuts),
            at_work_elsewhere=_is_elsewhere(session_id, session["owner"], self._owner),
        )

    async def _rows(
        self, session_id: str, since: int = 0
    ) -> tuple[sqlite3.Row, list[sqlite3.Row], list[sqlite3.Row], list[sqlite3.Row]]:
        """Return the rows of the session, of its changed messages and parts, and of its cuts."""
        changed = "WHERE session_id = ? AND seq >= ? ORDER BY id"
        sessions, messages, parts, cuts = await self._database.snapshot(
            [
                (f"{_SESSIONS} WHERE id = ?", (session_id,)),
                (f"SELECT id, seq, body FROM message {changed}", (session_id, since)),  # noqa: S608
                (f"SELECT id, message_id, seq, body FROM part {changed}", (session_id, since)),  # noqa: S608
                ("SELECT * FROM back WHERE session_id = ? AND message_id IS NOT NULL ORDER BY id", (session_id,)),
            ]
        )
        if not sessions:
            raise _no_session(session_id)
        return sessions[0], messages, parts, cuts

    async def children(self, session_id: str) -> tuple[str, ...]:
        """Return the sessions of the session's subagents, oldest first."""
        rows = await self._database.read("SELECT id FROM session WHERE parent_id = ? ORDER BY id", (session_id,))
        return tuple(row["id"] for row in rows)

    async def delete(self, session_id: str) -> tuple[str, ...]:
        """Delete the session and its subagents' sessions with all data, kept file contents included; return their ids.

        A change that a deleted subagent's session made for a remaining session becomes the remaining session's change,
        and can still be undone. Raises RequestError for an unknown session, or if another process is at work on a
        deleted session.
        """

        def delete(connection: sqlite3.Connection) -> tuple[str, ...]:
            rows = connection.execute(_TREE, (session_id,)).fetchall()
            if not rows:
                raise _no_session(session_id)
            for row in rows:
                _check_free(row["id"], row, self._owner)
            doomed = tuple(row["id"] for row in rows)
            search.forget(connection, doomed)
            reassign_changes(connection, doomed)
            connection.executemany("DELETE FROM session WHERE id = ?", [(doomed_id,) for doomed_id in doomed])
            connection.execute(_DELETE_UNUSED_CONTENT)
            return doomed

        return await self._database.work(delete)

    async def list(
        self,
        *,
        roots: Sequence[Path] = (),
        first_root: Path | None = None,
        query: str,
        limit: int,
        cursor: str | None,
    ) -> tuple[Sequence[SessionInfo], str | None]:
        """Return the user's own sessions, newest first: with `roots`, the sessions of any of these folders; with
        `first_root`, the sessions with this folder as the first.

        Each session comes with the usage and the size of the change set.
        `query`: each word of the query is in the title, in a prompt or in an answer. `cursor`: end of the last page.
        """
        matches, parameters = await self._search.condition(query)
        conditions = ["parent_id IS NULL", matches]
        if roots:
            conditions.append(f"EXISTS (SELECT 1 FROM json_each(session.roots) WHERE value IN ({_marks(roots)}))")  # noqa: S608
            parameters += [root.as_uri() for root in roots]
        if first_root is not None:
            conditions.append("json_extract(session.roots, '$[0]') = ?")
            parameters.append(first_root.as_uri())
        if cursor:
            moment, _, last = cursor.partition(":")
            conditions.append("(updated, id) < (CAST(? AS INTEGER), ?)")
            parameters += [moment, last]
        rows = await self._database.read(
            f"{_SESSIONS} WHERE {' AND '.join(conditions)} ORDER BY updated DESC, id DESC LIMIT ?",
            [*parameters, limit + 1],
        )
        infos = [_info(row) for row in rows[:limit]]
        more = f"{infos[-1].updated}:{infos[-1].id}" if len(rows) > limit else None
        return await self._described(infos), more

    async def _described(self, infos: Sequence[SessionInfo]) -> Sequence[SessionInfo]:
        """Return the infos with the usage of each session, and with the size of each change set."""
        ids = [info.id for info in infos]
        usage = await self.accounts.of_sessions(ids)
        counted = f"FROM staged WHERE session_id IN ({_marks(ids)}) AND {UNDECIDED} GROUP BY 1"
        query = f"SELECT session_id, count(*) AS files {counted}"
        to_review = {row["session_id"]: row["files"] for row in await self._database.read(query, ids)}
        return [
            info.model_copy(update={"usage": usage[info.id], "to_review": to_review.get(info.id)}) for info in infos
        ]


_SESSIONS = (
    "SELECT *, (SELECT message_id IS NULL FROM back WHERE session_id = session.id AND act IS NOT NULL"
    " ORDER BY id DESC LIMIT 1) AS files_back FROM session"
)

_TREE = (
    "WITH RECURSIVE tree (id, owner) AS (SELECT id, owner FROM session WHERE id = ? UNION ALL"
    " SELECT session.id, session.owner FROM tree JOIN session ON session.parent_id = tree.id) SELECT * FROM tree"
)

_DELETE_UNUSED_CONTENT = (
    "DELETE FROM content WHERE sha256 NOT IN (SELECT before FROM change_file WHERE before IS NOT NULL)"
    " AND sha256 NOT IN (SELECT after FROM change_file WHERE after IS NOT NULL)"
)


def _marks(values: Sequence[object]) -> str:
    """Return the placeholders of a statement for the values."""
    return ", ".join("?" * len(values))


def _no_session(session_id: str) -> RequestError:
    return RequestError(f"There is no session `{session_id}`.")


def _ambiguous(beginning: str, rows: Sequence[sqlite3.Row]) -> RequestError:
    """Return the error for several sessions whose ids begin so; the rows are ids and titles, the newest first."""
    named = ", ".join(f"{row['id']} ({row['title'][:_LONGEST_TITLE]})" for row in rows[:_MOST_NAMED])
    others = f" and {len(rows) - _MOST_NAMED} more" if len(rows) > _MOST_NAMED else ""
    return RequestError(f"Several sessions begin with `{beginning}`: {named}{others}. Write more of the id.")


def _check_free(session_id: str, row: sqlite3.Row | None, mine: str) -> None:
    if row is None:
        raise _no_session(session_id)
    owner = row["owner"]
    if _is_elsewhere(session_id, owner, mine):
        raise AtWorkElsewhere(f"Session `{session_id}` is in use by another Placet (process {owner.split(':')[0]}).")


def _is_elsewhere(session_id: str, owner: str, mine: str) -> bool:
    """Return whether another store works on the session; stores of this process are asked for their claims.

    The claims in memory count even where the database could not be told of their end.
    """
    if owner == mine:
        return False
    if owner.startswith(f"{this_process()}:"):
        return (store := _STORES.get(owner)) is not None and store.holds(session_id)
    return is_alive(owner)


def _new_session(info: SessionInfo, seq: int) -> Statement:
    return (
        "INSERT INTO session"
        " (id, parent_id, title, agent, model, base_model, review, caution, effort, profile, roots,"
        " created, updated, forked_from, seq)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            info.id,
            info.parent_id,
            info.title,
            info.agent,
            info.model,
            info.base_model,
            info.review,
            info.caution,
            _written(info.effort),
            info.profile,
            json.dumps(info.roots),
            info.created,
            info.updated,
            info.forked_from,
            seq,
        ),
    )


def _written(effort: Effort | None) -> str | None:
    return None if effort is None else str(effort)


def _message_statements(session_id: str, message: Message, seq: int, *, inherited: bool = False) -> list[Statement]:
    statements: list[Statement] = [
        (
            "INSERT INTO message (id, session_id, seq, body)"
            " SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM session WHERE id = ?2)"
            " ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, body = excluded.body",
            (message.id, session_id, seq, _body(message.model_copy(update={"parts": ()}))),
        )
    ]
    if isinstance(message, AssistantMessage) and (message.tokens.total or message.cost):
        statements.append(answer_statement(session_id, message, inherited=inherited))
    for part in message.parts:
        statements += _part_statements(session_id, message.id, part, seq)
    return statements


def _part_statements(session_id: str, message_id: str, part: Part, seq: int) -> list[Statement]:
    statements: list[Statement] = [
        (
            "INSERT INTO part (id, message_id, session_id, seq, body)"
            " SELECT ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM message WHERE id = ?2)"
            " ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, body = excluded.body",
            (part.id, message_id, session_id, seq, _body(part)),
        )
    ]
    if isinstance(part, TextPart) and not part.synthetic:
        statements.append(search.note_statement(part.id))
    return statements


def _body(value: Value) -> str:
    return value.model_dump_json(by_alias=True, exclude_none=True)


def _usage(written: str | None) -> StoredUsage | None:
    return None if written is None else StoredUsage.model_validate_json(written)


def _info(row: sqlite3.Row) -> SessionInfo:
    return SessionInfo(
        id=row["id"],
        parent_id=row["parent_id"],
        title=row["title"],
        agent=row["agent"],
        model=row["model"],
        base_model=row["base_model"],
        review=row["review"],
        caution=row["caution"],
        effort=None if row["effort"] is None else read_effort(row["effort"]),
        profile=None if row["profile"] is None else read_profile(row["profile"]),
        roots=tuple(json.loads(row["roots"])),
        created=row["created"],
        updated=row["updated"],
        forked_from=row["forked_from"],
        back_to=row["back_to"],
        files_back=bool(row["files_back"]) or None,
    )


def _is_shown(message_id: str, session: sqlite3.Row) -> bool:
    """Return whether the message is before the prompt to which the user went back."""
    return session["back_to"] is None or message_id < session["back_to"]


def _cuts(rows: Sequence[sqlite3.Row]) -> tuple[Cut, ...]:
    return tuple(Cut(id=row["id"], message_id=row["message_id"], seq=row["seq"]) for row in rows)
