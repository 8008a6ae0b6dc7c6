"""Fold the events of a session into the conversation, and replay the conversation as events.

The loop's history, the store and every screen use the same fold: the conversation is exactly the emitted events.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import assert_never

from msgspec import Struct, field
from pydantic import TypeAdapter, ValidationError

from placet.core.events import (
    AgentMessageChanged,
    AgentMessageChunk,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    CautionUpdate,
    ChangeApplied,
    ChangeProposed,
    ChangeReverted,
    ChangeSetUpdate,
    Compaction,
    CurrentModeUpdate,
    DiagnosticsDelta,
    EffortUpdate,
    Notice,
    Plan,
    PlanEntry,
    ProfileUpdate,
    QueueUpdate,
    Retry,
    ReviewModeUpdate,
    SessionBack,
    SessionInfoUpdate,
    ToolCall,
    ToolCallUpdate,
    ToolResultCleared,
    TurnEnded,
    TurnStarted,
    Update,
    UsageUpdate,
    UserMessageAdded,
)
from placet.core.ids import now
from placet.core.messages import (
    DEFERRED,
    AssistantMessage,
    CompactionPart,
    Message,
    Part,
    PatchPart,
    ReasoningPart,
    RetryPart,
    StopReason,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolPending,
    ToolRunning,
    TurnError,
    UserMessage,
)
from placet.core.replay_changes import replay_change


class Touched(Struct, frozen=True):
    """Place that an event changed: a message itself (`part_id` None), or a part of the message."""

    message_id: str
    part_id: str | None = None


class _Entry(Struct):
    """Message being built: the message without parts, its parts, and the text of parts still growing."""

    place: int
    """Index of the message among the messages."""
    message: Message
    parts: dict[str, Part] = field(default_factory=dict[str, Part])
    growing: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    lengths: dict[str, int] = field(default_factory=dict[str, int])
    whole: Message | None = None


_LATE = (ChangeApplied, ToolCallUpdate, ToolResultCleared, UsageUpdate)
"""Events that may come after the user has gone back behind their message, and then leave no trace."""


class Transcript:
    """Conversation of a session; only `apply` changes the conversation."""

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self._entries: dict[str, _Entry] = {}
        self._messages: tuple[Message, ...] = ()
        """Messages as of the last call of `messages`."""
        self._settled = 0
        """Number of leading `_messages` unchanged since that call."""
        for message in messages:
            self._add(message)

    @property
    def messages(self) -> tuple[Message, ...]:
        """Return all messages with their parts, in order; an unchanged message is the same object as before."""
        if self._settled < len(self._entries):
            changed = map(self.message, islice(self._entries, self._settled, None))
            self._messages = (*self._messages[: self._settled], *changed)
            self._settled = len(self._messages)
        return self._messages

    def has(self, message_id: str) -> bool:
        """Return whether the message is in the conversation."""
        return message_id in self._entries

    def message(self, message_id: str) -> Message:
        """Return the message with its parts. Raises KeyError."""
        entry = self._entries[message_id]
        if entry.whole is None:
            for part_id in list(entry.growing):
                self.part(message_id, part_id)
            entry.whole = entry.message.model_copy(update={"parts": tuple(entry.parts.values())})
        return entry.whole

    def part(self, message_id: str, part_id: str) -> Part:
        """Return the current state of the part. Raises KeyError."""
        entry = self._entries[message_id]
        part = entry.parts[part_id]
        if (pieces := entry.growing.get(part_id)) is not None and isinstance(part, TextPart | ReasoningPart):
            text = "".join(pieces)
            entry.growing[part_id] = [text]
            part = entry.parts[part_id] = part.model_copy(update={"text": text})
        return part

    def apply(self, update: Update) -> Touched | None:
        """Apply the event; return the changed place, or None if the event leaves no trace in the conversation."""
        if isinstance(update, _LATE) and update.message_id not in self._entries:
            return None
        match update:
            case UserMessageAdded(message=message):
                return self._add(message)
            case AgentMessageChanged(message=message):
                if message.id in self._entries:
                    return self._change(message.id, message.model_copy(update={"parts": ()}))
                return self._add(message)
            case TurnEnded(turn_id=turn_id, stop_reason=stop_reason, error=error):
                return self._end(turn_id, stop_reason, error)
            case AgentMessageChunk(message_id=message_id, part_id=part_id):
                if part_id not in self._entries[message_id].parts:
                    self._put(message_id, TextPart(id=part_id, text=""))
                return self._grow(message_id, part_id, update.offset, update.text)
            case AgentThoughtChunk(message_id=message_id, part_id=part_id):
                self._seal(message_id, part_id, {"signature": update.signature, "redacted": update.redacted})
                return self._grow(message_id, part_id, update.offset, update.text)
            case (
                ToolCall(message_id=message_id, part=part)
                | ToolCallUpdate(message_id=message_id, part=part)
                | Compaction(message_id=message_id, part=part)
            ):
                return self._put(message_id, part)
            case UsageUpdate(message_id=message_id, tokens=tokens, cost=cost):
                message = self._entries[message_id].message
                return self._change(message_id, message.model_copy(update={"tokens": tokens, "cost": cost}))
            case ChangeApplied(made_in=str()) | ChangeReverted(made_in=str()):
                return None  # The trace is in the subagent's conversation.
            case SessionBack(message_id=message_id):
                return self._hide(message_id)
            case ChangeApplied(message_id=message_id):
                return self._put(message_id, _patch_part(update))
            case ChangeReverted(message_id=message_id, change_id=change_id):
                return self._revert(message_id, _patch_id(change_id))
            case Retry(message_id=message_id):
                return self._put(message_id, _retry_part(update))
            case ToolResultCleared(message_id=message_id, part_id=part_id, at=at):
                return self._clear(message_id, part_id, at)
            case (
                TurnStarted()
                | Plan()
                | SessionInfoUpdate()
                | CurrentModeUpdate()
                | ReviewModeUpdate()
                | CautionUpdate()
                | EffortUpdate()
                | ProfileUpdate()
                | QueueUpdate()
                | AvailableCommandsUpdate()
                | ChangeProposed()
                | ChangeSetUpdate()
                | DiagnosticsDelta()
                | Notice()
            ):
                return None
            case _:
                assert_never(update)

    def _end(self, turn_id: str, stop_reason: StopReason, error: TurnError | None) -> Touched | None:
        """Note the end of a turn on the turn's prompt; a turn whose prompt is gone leaves no trace."""
        if turn_id not in self._entries:
            return None
        message = self._entries[turn_id].message
        return self._change(turn_id, message.model_copy(update={"stop_reason": stop_reason, "error": error}))

    def _revert(self, message_id: str, part_id: str) -> Touched | None:
        """Mark the patch part of a change as reverted; a part that is gone leaves no trace."""
        if (entry := self._entries.get(message_id)) is None or part_id not in entry.parts:
            return None
        return self._put(message_id, entry.parts[part_id].model_copy(update={"reverted": True}))

    def _clear(self, message_id: str, part_id: str, at: int) -> Touched | None:
        """Mark the result of a completed tool call as cleared from the model's context."""
        part = self._entries[message_id].parts[part_id]
        if not isinstance(part, ToolPart) or not isinstance(part.state, ToolCompleted):
            return None
        state = part.state.model_copy(update={"compacted": at})
        return self._put(message_id, part.model_copy(update={"state": state}))

    def _seal(self, message_id: str, part_id: str, seals: dict[str, str | None]) -> None:
        """Put the seals that a provider gave into the reasoning part, which is made if missing."""
        part = self._entries[message_id].parts.get(part_id) or ReasoningPart(id=part_id, text="")
        given = {name: seal for name, seal in seals.items() if seal is not None}
        self._put(message_id, part.model_copy(update=given))

    def _hide(self, message_id: str | None) -> None:
        """Take out the message and all later messages."""
        if message_id is None:
            return
        self._entries = {id: entry for id, entry in self._entries.items() if id < message_id}
        for place, entry in enumerate(self._entries.values()):
            entry.place = place
        self._messages, self._settled = (), 0

    def _add(self, message: Message) -> Touched:
        previous = self._entries.get(message.id)
        place = len(self._entries) if previous is None else previous.place
        entry = _Entry(place, message.model_copy(update={"parts": ()}), {part.id: part for part in message.parts})
        self._entries[message.id] = entry
        self._unsettle(entry)
        return Touched(message.id)

    def _change(self, message_id: str, message: Message) -> Touched:
        entry = self._entries[message_id]
        entry.message = message
        self._unsettle(entry)
        return Touched(message_id)

    def _put(self, message_id: str, part: Part) -> Touched:
        """Put the part into the message, in the place of an earlier part of the same id."""
        entry = self._entries[message_id]
        entry.parts[part.id] = part
        self._unsettle(entry)
        return Touched(message_id, part.id)

    def _grow(self, message_id: str, part_id: str, offset: int, text: str) -> Touched:
        entry = self._entries[message_id]
        if part_id not in entry.growing:
            part = entry.parts[part_id]
            text_so_far = part.text if isinstance(part, TextPart | ReasoningPart) else ""
            entry.growing[part_id], entry.lengths[part_id] = [text_so_far], len(text_so_far)
        if offset != entry.lengths[part_id]:
            entry.growing[part_id] = ["".join(entry.growing[part_id])[:offset]]
        entry.growing[part_id].append(text)
        entry.lengths[part_id] = offset + len(text)
        self._unsettle(entry)
        return Touched(message_id, part_id)

    def _unsettle(self, entry: _Entry) -> None:
        entry.whole = None
        self._settled = min(self._settled, entry.place)


def _patch_id(change_id: str) -> str:
    return f"prt_{change_id.partition('_')[2]}"


def _patch_part(applied: ChangeApplied) -> PatchPart:
    return PatchPart(
        id=_patch_id(applied.change_id),
        change_id=applied.change_id,
        call_id=applied.call_id,
        uris=tuple(file.uri for file in applied.files),
        additions=sum(file.additions for file in applied.files),
        deletions=sum(file.deletions for file in applied.files),
    )


def _retry_part(retry: Retry) -> RetryPart:
    """Build the part of a retry; its id sorts before the rest of the message, as a retry comes before any answer."""
    return RetryPart(
        id=f"prt_{retry.message_id.partition('_')[2]}{retry.attempt:02}",
        attempt=retry.attempt,
        wait_seconds=retry.wait_seconds,
        error=retry.error,
    )


def replay(messages: Sequence[Message]) -> Iterator[tuple[Update, str]]:
    """Yield the conversation as events, each with the id of the message or part whose state the event tells."""
    turn: UserMessage | None = None
    for message in messages:
        match message:
            case UserMessage(steers=str()):
                yield UserMessageAdded(message=message), message.id
            case UserMessage():
                yield from _turn_ended(turn)
                turn = message
                yield UserMessageAdded(message=message), message.id
                yield TurnStarted(turn_id=message.id), message.id
            case AssistantMessage():
                yield AgentMessageChanged(message=message.model_copy(update={"parts": ()})), message.id
                for part in message.parts:
                    for update in _replay_part(message, part):
                        yield update, part.id
                    if (entries := todo_list(part)) is not None:
                        yield Plan(entries=entries), part.id
            case _:
                assert_never(message)
    yield from _turn_ended(turn)


def _turn_ended(turn: UserMessage | None) -> Iterator[tuple[Update, str]]:
    if turn is not None and turn.stop_reason is not None:
        yield TurnEnded(turn_id=turn.id, stop_reason=turn.stop_reason, error=turn.error), turn.id


def _replay_part(message: AssistantMessage, part: Part) -> Iterator[Update]:
    match part:
        case TextPart():
            yield AgentMessageChunk(message_id=message.id, part_id=part.id, offset=0, text=part.text)
        case ReasoningPart():
            yield AgentThoughtChunk(
                message_id=message.id,
                part_id=part.id,
                offset=0,
                text=part.text,
                signature=part.signature,
                redacted=part.redacted,
            )
        case ToolPart():
            yield ToolCall(message_id=message.id, part=part)
        case PatchPart():
            yield from replay_change(message, part)
        case RetryPart():
            yield Retry(message_id=message.id, attempt=part.attempt, wait_seconds=part.wait_seconds, error=part.error)
        case CompactionPart():
            yield Compaction(message_id=message.id, part=part)
        case _:
            pass


_ENTRIES: TypeAdapter[tuple[PlanEntry, ...]] = TypeAdapter(tuple[PlanEntry, ...], config=DEFERRED)


def todo_list(part: Part) -> tuple[PlanEntry, ...] | None:
    """Return the todo list that the part wrote, or None if the part wrote none.

    The metadata of the part is the place where the list is stored.
    """
    if not isinstance(part, ToolPart) or part.tool != "todowrite" or not isinstance(part.state, ToolCompleted):
        return None
    try:
        return _ENTRIES.validate_python(part.state.metadata.get("todos", ()))
    except ValidationError:
        return None


def closing_updates(messages: Sequence[Message], why: str) -> Iterator[Update]:
    """Yield the events that end open items: calls without a result, answers without an end.

    After these events every tool call has exactly one result. The model is told `why` as the error of the call.
    """
    moment = now()
    for message in messages:
        if not isinstance(message, AssistantMessage):
            continue
        for part in message.parts:
            if isinstance(part, ToolPart) and isinstance(part.state, ToolPending | ToolRunning):
                start = part.state.start if isinstance(part.state, ToolRunning) else moment
                shown = part.state.metadata if isinstance(part.state, ToolRunning) else {}
                state = ToolFailed(
                    input=part.state.input,
                    error=why,
                    metadata={**shown, "interrupted": True},
                    start=start,
                    end=moment,
                )
                yield ToolCallUpdate(message_id=message.id, part=part.model_copy(update={"state": state}))
        if message.completed is None:
            ended = {"completed": moment, "error": TurnError(code="interrupted", message=why), "parts": ()}
            yield AgentMessageChanged(message=message.model_copy(update=ended))
