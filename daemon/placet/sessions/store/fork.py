"""Copies of a conversation up to a point, under new ids. Pure: no store, no files."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from placet.core.errors import RequestError
from placet.core.ids import new_id
from placet.core.messages import (
    DEFERRED,
    AssistantMessage,
    Message,
    PatchPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    UserMessage,
)

_MESSAGES: TypeAdapter[tuple[Message, ...]] = TypeAdapter(tuple[Message, ...], config=DEFERRED)
_ID = re.compile(r"(ses|msg|prt|chg)_[0-9a-f]{13}\w{10,12}")
"""Ids as `new_id` makes the ids."""

_ID_KEYS = frozenset(("id", "parentId", "steers", "changeId"))
_FORKED = re.compile(r"^(?P<title>.*) \(fork(?: (?P<number>\d+))?\)$", re.DOTALL)


def before(messages: Sequence[Message], message_id: str | None) -> tuple[Message, ...]:
    """Return the finished messages before the prompt (all, if None): each call among the messages has a result.

    A turn cut off by the fork counts as cancelled. Raises RequestError if no prompt here has this id.
    """
    if message_id is None:
        return _ended(_finished(messages))
    for at, message in enumerate(messages):
        if isinstance(message, UserMessage) and message.id == message_id:
            return _ended(_finished(messages[:at]), cut_turn=message.steers)
    raise RequestError(f"This session has no prompt `{message_id}` at which to fork.")


def with_fresh_ids(messages: Sequence[Message], renamed: Mapping[str, str] | None = None) -> tuple[Message, ...]:
    """Return the messages under new ids, which sort as the messages stand; references to old ids name the new ids.

    `renamed` holds further ids that change, such as ids of sessions; these change in the texts of tools as well.
    """
    ids = dict(renamed or {})
    for message in messages:
        ids[message.id] = new_id("msg")
        for part in message.parts:
            fresh = ids[part.id] = new_id("prt")
            if isinstance(part, PatchPart):
                # transcript.py finds the part of a change by this. The change itself stays another session's.
                ids[part.change_id] = f"chg_{fresh.partition('_')[2]}"
    renamed_ids = re.compile("|".join(map(re.escape, renamed))) if renamed else None
    return _MESSAGES.validate_python([_renamed(message.dump(), ids, renamed_ids) for message in messages])


def fork_title(title: str) -> str:
    """Return `Title (fork)` for `Title`, `Title (fork 2)` for `Title (fork)`, ..."""
    if (match := _FORKED.match(title)) is None:
        return f"{title} (fork)"
    return f"{match['title']} (fork {int(match['number'] or 1) + 1})"


def _finished(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages without the running step and all later messages, and without prompts still lacking a step."""
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and not _is_finished(message):
            messages = messages[:at]
            break
    going_on = {
        message.id
        for message in messages
        if isinstance(message, UserMessage) and not message.steers and not message.stop_reason
    }
    while messages and isinstance(last := messages[-1], UserMessage) and (last.steers or last.id) in going_on:
        messages = messages[:-1]
    return messages


def _is_finished(message: AssistantMessage) -> bool:
    states = (part.state for part in message.parts if isinstance(part, ToolPart))
    return message.completed is not None and all(isinstance(state, ToolCompleted | ToolFailed) for state in states)


def _ended(messages: Sequence[Message], cut_turn: str | None = None) -> tuple[Message, ...]:
    """Return the messages with the running turn, or the turn that is cut off, marked as cancelled."""
    return tuple(
        message.model_copy(update={"stop_reason": "cancelled", "error": None})
        if isinstance(message, UserMessage)
        and not message.steers
        and (message.stop_reason is None or message.id == cut_turn)
        else message
        for message in messages
    )


def _renamed(value: Any, ids: Mapping[str, str], renamed_ids: re.Pattern[str] | None, key: str = "") -> Any:
    """Return `value`, which stands under `key`, with new ids. Texts equal to handwritten ids are left alone."""
    match value:
        case str() if key in _ID_KEYS or _ID.fullmatch(value):
            return ids.get(value, value)
        case list():
            return [_renamed(item, ids, renamed_ids, key) for item in value]
        case dict() if key == "state":
            return {name: _retold(item, ids, renamed_ids) for name, item in value.items()}
        case dict():
            return {name: _renamed(item, ids, renamed_ids, name) for name, item in value.items()}
        case _:
            return value


def _retold(value: Any, ids: Mapping[str, str], renamed_ids: re.Pattern[str] | None) -> Any:
    """Return the arguments or result of a tool with new ids of subagents' sessions, which stand within texts."""
    match value:
        case str():
            return value if renamed_ids is None else renamed_ids.sub(lambda match: ids[match.group()], value)
        case list():
            return [_retold(item, ids, renamed_ids) for item in value]
        case dict():
            return {name: _retold(item, ids, renamed_ids) for name, item in value.items()}
        case _:
            return value
