"""Fold of a session's events into updates for the client, the same for live events and for a replay."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, assert_never

from placet.core import events
from placet.core.events import ChangeApplied, Update
from placet.core.ids import new_id
from placet.core.messages import (
    AgentPart,
    CompactionPart,
    DiagnosticsPart,
    FilePart,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    ToolPending,
    UserMessage,
)
from placet.core.ports import PermissionRequest, ProposedFile
from placet.core.values import replace
from placet.core.visible_text import one_line
from placet.frontends.acp.own_commands import with_own_commands
from placet.frontends.acp.protocol import updates as acp
from placet.frontends.acp.updates.diffs import applied_diffs, staged_files
from placet.frontends.acp.updates.tool_calls import (
    asked_call,
    call_id,
    has_subject,
    in_terminal,
    of_subagent,
    tool_call,
    with_changes,
)


class Conversation:
    """A session as seen by the client; lives as long as the client has the session open."""

    def __init__(
        self,
        root: Path,
        *,
        mode: str,
        cost: float = 0.0,
        has_notices: bool = False,
        has_compactions: bool = False,
    ) -> None:
        """Make the conversation in the folder `root`, with the agent `mode` and the cost so far.

        `has_notices` and `has_compactions`: the client shows updates of these kinds.
        """
        self._has_notices = has_notices
        self._has_compactions = has_compactions
        self._root = root
        self.mode = mode
        """Agent shown by the client."""
        self._cost = cost
        self._lengths: dict[str, int] = {}
        """Number of characters of each text part already sent to the client."""
        self._calls: dict[str, acp.ToolCallFields] = {}
        """Unfinished calls as last shown, by id."""
        self._proposals: dict[str, tuple[ProposedFile, ...]] = {}
        """Files of each unfinished call as put to the user."""
        self._changes: dict[str, list[ChangeApplied]] = {}
        """Changes of each unfinished call."""
        self._terminals: dict[str, str] = {}
        """Client's terminal of each unfinished call that runs in a terminal."""
        self._tasks: dict[str, str] = {}
        """Call of the tool `task` behind each subagent's session."""
        self._compaction: str | None = None
        """Compaction that the client has seen begin."""

    def live(self, update: Update, *, session_id: str = "", agent: str = "") -> list[acp.SessionUpdate]:
        """Return the updates for an event; with `agent`, for an event of the subagent's session `session_id`."""
        return self._of_subagent(update, session_id, agent) if agent else list(self._own(update))

    def replay(self, updates: Iterable[Update]) -> Iterator[acp.SessionUpdate]:
        """Yield the updates for a stored conversation, the user's prompts included."""
        told = list(updates)
        for update in told:
            if isinstance(update, ChangeApplied) and update.call_id is not None:
                self._changes.setdefault(call_id(update.message_id, update.call_id), []).append(update)
        for update in told:
            match update:
                case events.UserMessageAdded(message=message):
                    yield from user_chunks(message)
                case ChangeApplied() | events.TurnEnded() | events.Retry() | events.Notice():
                    pass
                case events.UsageUpdate():  # The session's own usage has the cost.
                    yield from self._usage(update, 0.0)
                case _:
                    yield from self._own(update)

    def begin_compaction(self) -> Iterator[acp.SessionUpdate]:
        """Yield the begin of a compaction that the user asked for, where the client shows compactions."""
        if self._has_compactions:
            self._compaction = new_id("msg")
            yield acp.CompactionUpdate(self._compaction, "in_progress")

    def end_compaction(self, status: Literal["failed", "cancelled"], error: str = "") -> Iterator[acp.SessionUpdate]:
        """Yield the end of a begun compaction without a summary; a compaction with a summary has ended before."""
        if (compaction := self._compaction) is not None:
            self._compaction = None
            yield acp.CompactionUpdate(compaction, status, error=error or None)

    def asked(self, request: PermissionRequest) -> acp.ToolCallFields:
        """Return the call of a permission request, which is unfinished from now on."""
        call = asked_call(request)
        if (shown := self._calls.get(call.tool_call_id)) is not None:
            call = replace(call, locations=call.locations or shown.locations, meta=shown.meta)
        if request.change is not None:
            self._proposals[call.tool_call_id] = request.change.files
        return call

    def shown(self, call: acp.ToolCallFields) -> acp.ToolCall | acp.ToolCallUpdate:
        """Return the update for the call, and record the call as shown."""
        is_new = call.tool_call_id not in self._calls
        self._calls[call.tool_call_id] = call
        return as_update(call, is_new=is_new)

    def in_terminal(self, key: str, terminal_id: str) -> Iterator[acp.SessionUpdate]:
        """Show the output of the call by the client's terminal, from now until the call's end."""
        self._terminals[key] = terminal_id
        if (call := self._calls.get(key)) is not None:
            yield self.shown(replace(in_terminal(call, terminal_id), status="in_progress"))

    def news(
        self, title: str, description: str = "", severity: Literal["info", "warning"] = "info"
    ) -> acp.Notice | acp.ThoughtChunk:
        """Return words of Placet's own: a notice, else a thought, which every client shows and no program takes for
        the answer.
        """
        if self._has_notices:
            return acp.Notice(severity, one_line(title) or "Placet", description or None)
        return acp.ThoughtChunk(acp.Text(f"{title} {description}".rstrip() + "\n"))

    # ---------------------------------------------------------------- events

    def _own(self, update: Update) -> Iterator[acp.SessionUpdate]:
        match update:
            case events.AgentMessageChunk(message_id=message_id, part_id=part_id, offset=offset, text=text):
                if new := self._new_text(part_id, offset, text):
                    yield acp.AgentChunk(acp.Text(new), message_id)
            case events.AgentThoughtChunk(message_id=message_id, part_id=part_id, offset=offset, text=text):
                if new := self._new_text(part_id, offset, text):
                    yield acp.ThoughtChunk(acp.Text(new), message_id)
            case (
                events.ToolCall(message_id=message_id, part=part)
                | events.ToolCallUpdate(message_id=message_id, part=part)
            ):
                if (call := self._call(message_id, part)) is not None:
                    yield self._told(call, part)
            case ChangeApplied(made_in=None):
                yield from self._applied(update)
            case events.Plan(entries=entries):
                yield plan(entries)
            case events.UsageUpdate(cost=cost):
                yield from self._usage(update, cost)
            case events.SessionInfoUpdate(title=title):
                yield acp.SessionInfo(title=title)
            case events.CurrentModeUpdate(agent=agent):
                if agent != self.mode:
                    self.mode = agent
                    yield acp.CurrentMode(agent)
            case events.AvailableCommandsUpdate(commands=commands):
                yield commands_update(commands)
            case events.TurnEnded():
                yield acp.SessionInfo(updated_at=datetime.now(UTC).isoformat(timespec="seconds"))
            case events.Compaction(message_id=message_id, part=part) if self._has_compactions:
                compaction, self._compaction = self._compaction or message_id, None
                yield acp.CompactionUpdate(compaction, "completed", (acp.Text(part.summary),) if part.summary else ())
            case events.Compaction(part=part):
                yield acp.ThoughtChunk(acp.Text(f"{_compaction_words(part)}\n"))
            case events.Retry(error=error, wait_seconds=seconds):
                yield self.news(error.message, f"Trying again in {seconds:g} s.", "warning")
            case events.Notice(message=message, hint=hint):
                yield self.news(message, hint)
            case (
                events.TurnStarted()
                | events.UserMessageAdded()
                | events.AgentMessageChanged()
                | ChangeApplied()
                | events.ChangeProposed()
                | events.ChangeReverted()
                | events.ChangeSetUpdate()
                | events.ReviewModeUpdate()
                | events.CautionUpdate()
                | events.EffortUpdate()
                | events.ProfileUpdate()
                | events.QueueUpdate()
                | events.SessionBack()
                | events.DiagnosticsDelta()
                | events.ToolResultCleared()
            ):
                pass
            case _:
                assert_never(update)

    def _of_subagent(self, update: Update, session_id: str, agent: str) -> list[acp.SessionUpdate]:
        """Return the updates for an event of a subagent: calls, and no texts, usage or lists."""
        parent = self._tasks.get(session_id)
        match update:
            case (
                events.ToolCall(message_id=message_id, part=part)
                | events.ToolCallUpdate(message_id=message_id, part=part)
            ):
                call = self._call(message_id, part)
                return [] if call is None else [self._told(of_subagent(call, agent, parent), part)]
            case ChangeApplied(made_in=None):
                return list(self._applied(update))
            case events.UsageUpdate(cost=cost):  # Told with the next usage of the session, whose context it is.
                self._cost += cost
                return []
            case _:
                return []

    def _new_text(self, part_id: str, offset: int, text: str) -> str:
        """Return the part of the text not yet sent to the client."""
        known = self._lengths.get(part_id, 0)
        self._lengths[part_id] = max(known, offset + len(text))
        return text[max(known - offset, 0) :]

    def _call(self, message_id: str, part: ToolPart) -> acp.ToolCallFields | None:
        """Return the call in the present state; None while the model has not written enough for a title."""
        key = call_id(message_id, part.call_id)
        if isinstance(part.state, ToolPending):
            is_new = key not in self._calls and has_subject(part)
            return tool_call(message_id, part, self._root) if is_new else None
        if part.tool == "task" and isinstance(child := part.state.metadata.get("sessionId"), str):
            self._tasks[child] = key
        call = tool_call(message_id, part, self._root)
        is_cut_off = isinstance(part.state, ToolFailed) and not part.state.input
        if is_cut_off and (shown := self._calls.get(key)) is not None:
            call = replace(call, title=shown.title, locations=shown.locations)
        if (terminal_id := self._terminals.get(key)) is not None:
            call = in_terminal(call, terminal_id)
        files = [file for change in self._changes.get(key, ()) for file in change.files]
        staged = staged_files(part.state.metadata)
        if not files and not staged:
            return call
        diffs = (*applied_diffs(files, self._proposals.get(key, ())), *applied_diffs(staged))
        return with_changes(call, diffs, [*files, *staged])

    def _told(self, call: acp.ToolCallFields, part: ToolPart) -> acp.SessionUpdate:
        update = self.shown(call)
        if isinstance(part.state, ToolCompleted | ToolFailed):
            for table in (self._calls, self._proposals, self._changes, self._terminals):
                table.pop(call.tool_call_id, None)
        return update

    def _applied(self, change: ChangeApplied) -> Iterator[acp.SessionUpdate]:
        """Add the change to the call, and show the call with the applied files."""
        key = call_id(change.message_id, change.call_id or "")
        if (call := self._calls.get(key)) is None:
            return
        changes = self._changes.setdefault(key, [])
        changes.append(change)
        files = [file for earlier in changes for file in earlier.files]
        diffs = applied_diffs(files, self._proposals.get(key, ()))
        yield self.shown(replace(with_changes(call, diffs, files), status="in_progress"))

    def _usage(self, update: events.UsageUpdate, cost: float) -> Iterator[acp.SessionUpdate]:
        self._cost += cost
        if update.context_size is not None:
            shown = acp.Cost(round(self._cost, 6)) if self._cost else None
            yield acp.Usage(used=update.context_used, size=update.context_size, cost=shown)


def as_update(call: acp.ToolCallFields, *, is_new: bool) -> acp.ToolCall | acp.ToolCallUpdate:
    """Return the call as a first appearance or as a new state."""
    kind = acp.ToolCall if is_new else acp.ToolCallUpdate
    return kind(**{name: getattr(call, name) for name in acp.ToolCallFields.__struct_fields__})


def plan(entries: Sequence[events.PlanEntry]) -> acp.Plan:
    """Return the todo list; the protocol has no word for a cancelled entry."""
    return acp.Plan(
        tuple(
            acp.PlanEntry(entry.content, entry.priority, entry.status)
            for entry in entries
            if entry.status != "cancelled"
        )
    )


def commands_update(commands: Iterable[events.AvailableCommand]) -> acp.Commands:
    """Return the list of the session's commands and the front end's own."""
    return acp.Commands(
        tuple(
            acp.Command(
                command.name,
                command.description,
                acp.CommandInput(command.argument_hint) if command.argument_hint else None,
            )
            for command in with_own_commands(commands)
        )
    )


def user_chunks(message: UserMessage) -> Iterator[acp.UserChunk]:
    """Yield the user's words and attachments; the texts put by Placet beside the prompt are for the model alone."""
    for part in message.parts:
        match part:
            case TextPart(synthetic=False, text=text) if text:
                yield acp.UserChunk(acp.Text(text), message.id)
            case FilePart(uri=uri) if uri.startswith("data:"):
                head, _, data = uri.partition(",")
                is_image = part.mime.startswith("image/") and head.endswith(";base64")
                shown = acp.Image(data, part.mime) if is_image else acp.Text(f"[{part.name or part.mime}]")
                yield acp.UserChunk(shown, message.id)
            case FilePart():
                yield acp.UserChunk(acp.Link(part.uri, part.name or part.uri, part.mime), message.id)
            case AgentPart(name=name):
                yield acp.UserChunk(acp.Text(f"@{name}"), message.id)
            case DiagnosticsPart():
                yield acp.UserChunk(acp.Text("@diagnostics"), message.id)
            case _:
                pass


def _compaction_words(part: CompactionPart) -> str:
    """Return a line about a compaction, for a client without a form for compactions."""
    before, after = part.tokens_before, part.tokens_after
    return f"The conversation was summed up for the model: {before} tokens became {after}."
