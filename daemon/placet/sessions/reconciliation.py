"""Repair of a conversation after a crash between the journal of changes and the conversation."""

from placet.changes.journal.journal import Journal
from placet.changes.propose.report import reapplied_event
from placet.core.events import ChangeApplied, ChangeReverted, ToolCallUpdate
from placet.core.executor import in_thread
from placet.core.messages import PatchPart, ToolFailed, ToolPart
from placet.sessions.turns.recorder import Recorder


async def reconcile(recorder: Recorder, journal: Journal) -> None:
    """Emit an event for each applied change not shown yet, and for each shown change no longer applied."""
    edits = {change.id: change for change in await journal.changes(recorder.info.id) if change.kind != "undo"}
    messages = {message.id for message in recorder.transcript.messages}
    shown = {
        part.change_id: (message.id, part.reverted)
        for message in recorder.transcript.messages
        for part in message.parts
        if isinstance(part, PatchPart)
    }
    missing = [
        change
        for change in edits.values()
        if change.state == "applied" and change.message_id in messages and shown.get(change.id, ("", True))[1]
    ]
    for change in await journal.with_files(missing):
        applied = await in_thread(reapplied_event, change)
        recorder.emit(applied)
        _note_in_call(recorder, applied)
    for change_id, (message_id, is_reverted) in shown.items():
        if not is_reverted and change_id in edits and edits[change_id].state != "applied":
            recorder.emit(ChangeReverted(message_id=message_id, change_id=change_id))


def _note_in_call(recorder: Recorder, applied: ChangeApplied) -> None:
    """Add the applied change to a call that was interrupted before the call's result."""
    for part in recorder.transcript.message(applied.message_id).parts:
        if not isinstance(part, ToolPart) or part.call_id != applied.call_id:
            continue
        if isinstance(part.state, ToolFailed) and "files" not in part.state.metadata:
            files = [{**file.dump(), "status": "applied"} for file in applied.files]
            shown = {**part.state.metadata, "changeId": applied.change_id, "files": files}
            state = part.state.model_copy(update={"metadata": shown})
            updated = part.model_copy(update={"state": state})
            recorder.emit(ToolCallUpdate(message_id=applied.message_id, part=updated))
