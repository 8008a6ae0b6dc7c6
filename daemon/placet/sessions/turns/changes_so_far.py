"""Changes of a session and its subagents, as a client lists the changes."""

from collections.abc import Sequence

from placet.changes.journal.journal import Journal
from placet.changes.undo.overview import overview, proposed
from placet.core.messages import AssistantMessage, JsonObject
from placet.core.ports import PermissionRequest
from placet.sessions.turns.recorder import Recorder


async def changes_so_far(
    recorder: Recorder,
    journal: Journal,
    waiting: Sequence[PermissionRequest],
    change_ids: Sequence[str] | None,
    *,
    contents: bool,
) -> list[JsonObject]:
    """Return the changes, oldest first, waiting last, with hunks and state."""
    session_id, messages = recorder.info.id, recorder.transcript.messages
    applied = await overview(journal, session_id, change_ids=change_ids, contents=contents)
    turns = {message.id: message.parent_id for message in messages if isinstance(message, AssistantMessage)}
    return applied + proposed(waiting, session_id, turns, change_ids=change_ids, contents=contents)
