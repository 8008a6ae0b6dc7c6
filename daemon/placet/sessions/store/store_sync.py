"""Updates that another process has stored in a session, and the events about these updates for clients."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from pydantic import TypeAdapter

from placet.core.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    ChangeReverted,
    Compaction,
    Plan,
    Retry,
    ToolCall,
    ToolCallUpdate,
    TurnEnded,
    TurnStarted,
    Update,
    UserMessageAdded,
)
from placet.core.messages import (
    DEFERRED,
    AssistantMessage,
    CompactionPart,
    Message,
    Part,
    PatchPart,
    ReasoningPart,
    RetryPart,
    TextPart,
    ToolPart,
    ToolPending,
    ToolRunning,
    UserMessage,
)
from placet.core.replay_changes import replay_change
from placet.core.transcript import Transcript, todo_list
from placet.sessions.store.records import Cut, SessionInfo, StoredSession, StoredUsage

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message, config=DEFERRED)
_PART: TypeAdapter[Part] = TypeAdapter(Part, config=DEFERRED)


class WrittenPart(Struct, frozen=True):
    seq: int
    message_id: str
    part: Part


class Written(Struct, frozen=True):
    """Changes of a session as of one moment: messages without parts, and changed parts, each with its seq."""

    info: SessionInfo
    messages: tuple[tuple[int, Message], ...]
    parts: tuple[WrittenPart, ...]
    usage: StoredUsage | None
    cuts: tuple[Cut, ...] = ()
    at_work_elsewhere: bool = False

    @property
    def seqs(self) -> dict[str, int]:
        """Return the seqs by the ids of messages and parts."""
        messages = {message.id: seq for seq, message in self.messages}
        return messages | {part.part.id: part.seq for part in self.parts}

    @classmethod
    def of(cls, stored: StoredSession, since: int) -> "Written":
        """Return the stored content changed at `since` or later."""
        return cls(
            stored.info,
            tuple(
                (seq, message.model_copy(update={"parts": ()}))
                for message in stored.messages
                if (seq := stored.seqs[message.id]) >= since
            ),
            tuple(
                WrittenPart(seq, message.id, part)
                for message in stored.messages
                for part in message.parts
                if (seq := stored.seqs[part.id]) >= since
            ),
            stored.usage,
            stored.cuts,
        )


def conversation(messages: Sequence[sqlite3.Row], parts: Sequence[sqlite3.Row]) -> tuple[Message, ...]:
    """Return the messages of a session, built from all its rows."""
    parts_of: dict[str, list[Part]] = {}
    for written_part in written_parts(parts):
        parts_of.setdefault(written_part.message_id, []).append(written_part.part)
    bare_messages = (message for _, message in written_messages(messages))
    return tuple(message.model_copy(update={"parts": tuple(parts_of.get(message.id, ()))}) for message in bare_messages)


def written_messages(rows: Sequence[sqlite3.Row]) -> tuple[tuple[int, Message], ...]:
    """Return the messages of the rows, without parts, each with its seq."""
    return tuple((row["seq"], _MESSAGE.validate_json(row["body"])) for row in rows)


def written_parts(rows: Sequence[sqlite3.Row]) -> tuple[WrittenPart, ...]:
    """Return the parts in the order of the rows."""
    return tuple(WrittenPart(row["seq"], row["message_id"], _PART.validate_json(row["body"])) for row in rows)


class StoredUpdates(Struct, frozen=True):
    """Updates that happened by `seq`. Empty updates mean a later telling, when the call behind the part has ended."""

    seq: int
    updates: tuple[Update, ...]


_BEGUN, _CHANGED, _ENDED = range(3)


def news(transcript: Transcript, written: Written) -> Iterator[StoredUpdates]:
    """Yield the stored changes missing in the transcript, in their order in time.

    The transcript takes the changes in.
    """
    parts_of: dict[str, dict[str, WrittenPart]] = {}
    for written_part in written.parts:
        parts_of.setdefault(written_part.message_id, {})[written_part.part.id] = written_part
    steps: list[tuple[int, int, Message | WrittenPart]] = []
    for seq, message in written.messages:
        parts = parts_of.get(message.id, {})
        shown_message = _shown_message(transcript, message.id)
        begun = min([seq, *(part.seq for part in parts.values())]) if shown_message is None else seq
        if isinstance(message, UserMessage):
            steps.append((seq, _ENDED, message))
            steps.append((begun, _BEGUN, _with_parts(message, shown_message, parts)))
        else:
            steps.append((begun, _BEGUN, message))
    steps += [(_happened(changed, written.parts), _CHANGED, changed) for changed in written.parts]
    for seq, kind, step in sorted(steps, key=lambda step: step[:2]):
        if isinstance(step, WrittenPart):
            updates = _of_part(transcript, step, at_work_elsewhere=written.at_work_elsewhere)
            if updates is None:
                yield StoredUpdates(step.seq, ())
        else:
            updates = _ended(transcript, step) if kind == _ENDED else _begun(transcript, step)
        if updates:
            for update in updates:
                transcript.apply(update)
            yield StoredUpdates(seq, updates)


def _happened(written: WrittenPart, parts: Sequence[WrittenPart]) -> int:
    """Return the seq at which the part can be told: for a change, not before its call's part, which tells more."""
    if not isinstance(written.part, PatchPart):
        return written.seq
    call = written.message_id, written.part.call_id
    calls = (
        part.seq for part in parts if isinstance(part.part, ToolPart) and (part.message_id, part.part.call_id) == call
    )
    return max(written.seq, *calls, 0)


def _shown_message(transcript: Transcript, message_id: str) -> Message | None:
    try:
        return transcript.message(message_id)
    except KeyError:
        return None


def _with_parts(message: UserMessage, shown_message: Message | None, parts: Mapping[str, WrittenPart]) -> UserMessage:
    whole = {part.id: part for part in (() if shown_message is None else shown_message.parts)}
    whole.update((part_id, written_part.part) for part_id, written_part in parts.items())
    return message.model_copy(update={"parts": tuple(whole[part_id] for part_id in sorted(whole))})


def _begun(transcript: Transcript, message: Message) -> tuple[Update, ...]:
    shown_message = _shown_message(transcript, message.id)
    match message:
        case UserMessage():
            as_before = isinstance(shown_message, UserMessage) and message == shown_message.model_copy(
                update={"stop_reason": message.stop_reason, "error": message.error}
            )
            added = UserMessageAdded(message=message.model_copy(update={"stop_reason": None, "error": None}))
            if shown_message is None and message.steers is None:
                return added, TurnStarted(turn_id=message.id)
            return () if as_before else (added,)
        case AssistantMessage():
            as_before = shown_message is not None and message == shown_message.model_copy(update={"parts": ()})
            return () if as_before else (AgentMessageChanged(message=message),)


def _ended(transcript: Transcript, message: Message) -> tuple[Update, ...]:
    shown_message = _shown_message(transcript, message.id)
    if (
        not isinstance(message, UserMessage)
        or not isinstance(shown_message, UserMessage)
        or message.stop_reason is None
    ):
        return ()
    if (shown_message.stop_reason, shown_message.error) == (message.stop_reason, message.error):
        return ()
    return (TurnEnded(turn_id=message.id, stop_reason=message.stop_reason, error=message.error),)


def _of_part(transcript: Transcript, written: WrittenPart, *, at_work_elsewhere: bool) -> tuple[Update, ...] | None:
    """Return the updates that tell of the part, or None if the part has to wait."""
    message, part = _shown_message(transcript, written.message_id), written.part
    if not isinstance(message, AssistantMessage):
        return ()
    shown_part = next((candidate for candidate in message.parts if candidate.id == part.id), None)
    if shown_part == part:
        return ()
    match part:
        case TextPart():
            start = _shown_length(shown_part.text if isinstance(shown_part, TextPart) else "", part.text)
            text = part.text[start:]
            return (AgentMessageChunk(message_id=message.id, part_id=part.id, offset=start, text=text),)
        case ReasoningPart():
            start = _shown_length(shown_part.text if isinstance(shown_part, ReasoningPart) else "", part.text)
            thought = AgentThoughtChunk(
                message_id=message.id,
                part_id=part.id,
                offset=start,
                text=part.text[start:],
                signature=part.signature,
                redacted=part.redacted,
            )
            return (thought,)
        case ToolPart():
            entries = todo_list(part)
            return (
                *((ToolCall(message_id=message.id, part=part),) if shown_part is None else ()),
                *((ToolCallUpdate(message_id=message.id, part=part),) if shown_part or not _is_open(part) else ()),
                *((Plan(entries=entries),) if entries is not None else ()),
            )
        case PatchPart():
            if shown_part is not None and part.reverted:
                return (ChangeReverted(message_id=message.id, change_id=part.change_id),)
            calls = (
                sibling
                for sibling in message.parts
                if isinstance(sibling, ToolPart) and sibling.call_id == part.call_id
            )
            if at_work_elsewhere and any(map(_is_open, calls)):
                return None  # The call itself knows the outcome best, and will have written the outcome at its end.
            return tuple(replay_change(message, part))
        case RetryPart():
            retry = Retry(message_id=message.id, attempt=part.attempt, wait_seconds=part.wait_seconds, error=part.error)
            return (retry,)
        case CompactionPart():
            return (Compaction(message_id=message.id, part=part),)
        case _:
            return ()


def _shown_length(shown_text: str, text: str) -> int:
    """Return the length of the text told so far."""
    return len(shown_text) if text.startswith(shown_text) else 0


def _is_open(call: ToolPart) -> bool:
    return isinstance(call.state, ToolPending | ToolRunning)
