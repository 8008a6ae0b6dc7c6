"""Archive of a session: one JSON text to keep, move and import; the Markdown form is in markdown.py.

The archive holds the whole conversation, with everything that the tools have read, but no settings and no keys.
"""

import json
from collections.abc import Iterator
from typing import Any, Literal, assert_never

from pydantic import Field, ValidationError

from placet.changes.journal.records import ChangeRecord, RecordKind, RecordState
from placet.core.errors import RequestError
from placet.core.ids import new_id, now
from placet.core.json.shallow import loads
from placet.core.messages import AssistantMessage, Message, UserMessage, Value
from placet.core.ports import FileEditKind
from placet.sessions.store.fork import with_fresh_ids
from placet.sessions.store.records import SessionInfo
from placet.sessions.store.usage import UsageRecord

FORMAT = "placet-session"
VERSION = 1
"""Raised when a reader of the version before could not read it any more."""


class ArchivedFile(Value):
    """Effect of a change on one file; an absent text means that the file did not exist."""

    path: str
    new_path: str | None = None
    kind: FileEditKind
    before: str | None = None
    after: str | None = None


class ArchivedChange(Value):
    id: str
    turn_id: str
    message_id: str
    kind: RecordKind
    state: RecordState
    created: int
    files: tuple[ArchivedFile, ...]


class ArchivedSession(Value):
    info: SessionInfo
    messages: tuple[Message, ...] = ()
    other_calls: tuple[UsageRecord, ...] = ()
    """Model calls that were no answers, such as the call for a title; each answer holds its own figures."""
    children: tuple["ArchivedSession", ...] = ()
    """Sessions of the subagents."""
    changes: tuple[ArchivedChange, ...] | None = None
    """Changes with the files' texts, if the export asked for texts. The changes are for reading: an import leaves them
    out, as nothing done elsewhere can be undone here.
    """


class Archive(Value):
    format: Literal["placet-session"]
    version: int = Field(ge=1)
    placet: str
    """Version of Placet that wrote the archive."""
    exported: int
    """Time of the export in milliseconds since the epoch."""
    session: ArchivedSession


def to_json(archive: Archive) -> str:
    """Return the archive as JSON, in the form that `read_archive` reads."""
    return json.dumps(archive.dump(), ensure_ascii=False, indent=1) + "\n"


def read_archive(text: str) -> Archive:
    """Raises RequestError that says what is wrong, and in which field."""
    try:
        content = loads(text)
    except ValueError as error:
        raise RequestError(f"This is not an exported session: the text is not JSON ({error}).") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RequestError(f"This is not an exported session: the field `format` is not `{FORMAT}`.")
    version = content.get("version")
    if isinstance(version, int) and version > VERSION:
        raise RequestError(
            f"This session was exported by a newer Placet ({content.get('placet', 'unknown')}), in version {version} "
            f"of the format. This Placet reads versions up to {VERSION}. Update Placet."
        )
    try:
        archive = Archive.model_validate(content)
    except ValidationError as error:
        issues = error.errors(include_url=False, include_context=False, include_input=False)
        wrong = "; ".join(f"{'.'.join(map(str, issue['loc']))}: {issue['msg']}" for issue in issues[:3])
        more = f"; and {len(issues) - 3} more" if len(issues) > 3 else ""
        raise RequestError(f"The exported session cannot be read: {wrong}{more}") from error
    for problem in _problems(archive.session, "session", set()):
        raise RequestError(f"The exported session cannot be read: {problem}")
    return archive


def with_new_ids(session: ArchivedSession, roots: tuple[str, ...]) -> ArchivedSession:
    """The session as a new one of this store: ids of its own and its children's, these folders, made now."""
    ids = {old: new_id("ses") for old in _session_ids(session)}
    return _renamed(session, ids, roots, None)


def archived_change(change: ChangeRecord) -> ArchivedChange:
    return ArchivedChange(
        id=change.id,
        turn_id=change.turn_id,
        message_id=change.message_id,
        kind=change.kind,
        state=change.state,
        created=change.created,
        files=tuple(
            ArchivedFile(
                path=str(file.path),
                new_path=None if file.new_path is None else str(file.new_path),
                kind=file.kind,
                before=file.before,
                after=file.after,
            )
            for file in change.files
        ),
    )


def _renamed(
    session: ArchivedSession, ids: dict[str, str], roots: tuple[str, ...], parent_id: str | None
) -> ArchivedSession:
    info, moment = session.info, now()
    changed: dict[str, Any] = {
        "id": ids[info.id],
        "parent_id": parent_id,
        "roots": roots,
        "created": moment,
        "updated": moment,
        "forked_from": None,
        "caution": None,  # Another user's choice.
        "effort": None,
        "profile": None,
    }
    return session.model_copy(
        update={
            "info": info.model_copy(update=changed),
            "messages": with_fresh_ids(session.messages, ids),
            "children": tuple(_renamed(child, ids, roots, ids[info.id]) for child in session.children),
            "changes": None,
        }
    )


def _session_ids(session: ArchivedSession) -> Iterator[str]:
    yield session.info.id
    for child in session.children:
        yield from _session_ids(child)


def _problems(session: ArchivedSession, place: str, seen: set[str]) -> Iterator[str]:
    """Yield the mistakes that the types cannot express: ids that occur twice, and missing ids."""
    if session.info.id in seen:
        yield f"{place}.info.id: `{session.info.id}` occurs twice"
    seen.add(session.info.id)
    turns: set[str] = set()
    for number, message in enumerate(session.messages):
        here = f"{place}.messages.{number}"
        for name, id in (("id", message.id), *((f"parts.{n}.id", part.id) for n, part in enumerate(message.parts))):
            if id in seen:
                yield f"{here}.{name}: `{id}` occurs twice"
            seen.add(id)
        match message:
            case UserMessage(steers=str(turn)):
                if turn not in turns:
                    yield f"{here}.steers: there is no prompt `{turn}` before it"
            case UserMessage():
                turns.add(message.id)
            case AssistantMessage(parent_id=turn):
                if turn not in turns:
                    yield f"{here}.parentId: there is no prompt `{turn}` before it"
            case _:
                assert_never(message)
    for number, child in enumerate(session.children):
        yield from _problems(child, f"{place}.children.{number}", seen)
