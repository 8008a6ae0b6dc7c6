"""Sessions, messages and parts in the database: written as they happen, read whole."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from placet.errors import RequestError
from placet.messages import Message, Part, Value
from placet.storage.database import Database, Statement
from placet.storage.owner import is_alive, this_process

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
_PART: TypeAdapter[Part] = TypeAdapter(Part)

SEQ_BLOCK = 1000
"""A session's `seq` is stored this far ahead, so that one that was sent is never sent again after a crash."""


class SessionInfo(Value):
    """What a list of sessions shows."""

    id: str
    parent_id: str | None = None
    title: str
    agent: str
    model: str
    roots: tuple[str, ...]
    """URIs of the folders it works in."""
    created: int
    updated: int


class StoredSession(Value):
    """A session as it was stored, with the seq of every message's and part's last change."""

    info: SessionInfo
    seq: int
    messages: tuple[Message, ...]
    seqs: dict[str, int]


class SessionStore:
    """The session tables. Writes are queued in order; `read` methods see them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_session(self, info: SessionInfo, seq: int) -> None:
        self._database.write(
            "INSERT INTO session (id, parent_id, title, agent, model, roots, created, updated, seq)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET title = excluded.title, agent = excluded.agent, model = excluded.model,"
            " updated = excluded.updated, seq = max(seq, excluded.seq)",
            (
                info.id,
                info.parent_id,
                info.title,
                info.agent,
                info.model,
                json.dumps(info.roots),
                info.created,
                info.updated,
                seq,
            ),
        )

    def set_running(self, session_id: str, *, running: bool) -> None:
        """Note that this process runs a turn of the session, or no longer does."""
        owner = this_process() if running else ""
        self._database.write("UPDATE session SET owner = ? WHERE id = ?", (owner, session_id))

    def save_message(self, session_id: str, message: Message, seq: int) -> None:
        """The message itself and, for a new one, its parts."""
        statements: list[Statement] = [
            (
                "INSERT INTO message (id, session_id, seq, body) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, body = excluded.body",
                (message.id, session_id, seq, _body(message.model_copy(update={"parts": ()}))),
            )
        ]
        statements += [_part_statement(session_id, message.id, part, seq) for part in message.parts]
        self._database.transaction(statements)

    def save_part(self, session_id: str, message_id: str, part: Part, seq: int) -> None:
        self._database.transaction([_part_statement(session_id, message_id, part, seq)])

    async def flushed(self) -> None:
        """Wait until all is stored. Raises StoreError."""
        await self._database.flushed()

    async def read(self, session_id: str) -> StoredSession:
        """Raises RequestError if there is no such session, or if another process runs a turn of it now."""
        rows = await self._database.read("SELECT * FROM session WHERE id = ?", (session_id,))
        if not rows:
            raise RequestError(f"There is no session `{session_id}`.")
        owner = rows[0]["owner"]
        if owner != this_process() and is_alive(owner):
            raise RequestError(f"Session `{session_id}` is at work in another Placet (process {owner.split(':')[0]}).")
        seqs: dict[str, int] = {}
        parts: dict[str, list[Part]] = {}
        part_rows = await self._database.read(
            "SELECT id, message_id, seq, body FROM part WHERE session_id = ? ORDER BY id", (session_id,)
        )
        for row in part_rows:
            seqs[row["id"]] = row["seq"]
            parts.setdefault(row["message_id"], []).append(_PART.validate_json(row["body"]))
        messages: list[Message] = []
        for row in await self._database.read(
            "SELECT id, seq, body FROM message WHERE session_id = ? ORDER BY id", (session_id,)
        ):
            seqs[row["id"]] = row["seq"]
            message = _MESSAGE.validate_json(row["body"])
            messages.append(message.model_copy(update={"parts": tuple(parts.get(message.id, ()))}))
        row = rows[0]
        return StoredSession(info=_info(row), seq=row["seq"], messages=tuple(messages), seqs=seqs)

    async def list(
        self, *, roots: Sequence[Path], query: str, limit: int, cursor: str | None
    ) -> tuple[list[SessionInfo], str | None]:
        """The user's own, newest first, of the given folders (any, if none); `cursor`: where the last page ended."""
        conditions, parameters = ["parent_id IS NULL", "title LIKE ? ESCAPE '\\'"], [f"%{_like(query)}%"]
        if roots:
            conditions.append("roots = ?")
            parameters.append(json.dumps([root.as_uri() for root in roots]))
        if cursor:
            moment, _, last = cursor.partition(":")
            conditions.append("(updated, id) < (CAST(? AS INTEGER), ?)")
            parameters += [moment, last]
        rows = await self._database.read(
            f"SELECT * FROM session WHERE {' AND '.join(conditions)} ORDER BY updated DESC, id DESC LIMIT ?",  # noqa: S608
            [*parameters, limit + 1],
        )
        infos = [_info(row) for row in rows[:limit]]
        more = f"{infos[-1].updated}:{infos[-1].id}" if len(rows) > limit else None
        return infos, more

    async def delete(self, session_id: str) -> None:
        """The session with all that belongs to it, kept file contents included."""
        self._database.transaction(
            [
                ("DELETE FROM session WHERE id = ?", (session_id,)),
                (
                    "DELETE FROM content WHERE sha256 NOT IN (SELECT before FROM change_file WHERE before IS NOT NULL)"
                    " AND sha256 NOT IN (SELECT after FROM change_file WHERE after IS NOT NULL)",
                    (),
                ),
            ]
        )
        await self._database.flushed()


def _part_statement(session_id: str, message_id: str, part: Part, seq: int) -> Statement:
    return (
        "INSERT INTO part (id, message_id, session_id, seq, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, body = excluded.body",
        (part.id, message_id, session_id, seq, _body(part)),
    )


def _body(value: Value) -> str:
    return value.model_dump_json(by_alias=True, exclude_none=True)


def _info(row: sqlite3.Row) -> SessionInfo:
    return SessionInfo(
        id=row["id"],
        parent_id=row["parent_id"],
        title=row["title"],
        agent=row["agent"],
        model=row["model"],
        roots=tuple(json.loads(row["roots"])),
        created=row["created"],
        updated=row["updated"],
    )


def _like(query: str) -> str:
    return query.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
