"""Prompts that are stored and not run, as the front door ends before their turn."""

from collections.abc import Awaitable, Callable, Sequence

from placet.core.events import TurnEnded, UserMessageAdded
from placet.core.messages import PromptPart, UserMessage
from placet.sessions.services.services import Services
from placet.sessions.turns.recorder import Recorder


async def keep_prompt(
    parts: Sequence[PromptPart], services: Services, recorder: Recorder, settle_back: Callable[[], Awaitable[None]]
) -> None:
    """Store the prompt like the prompt of a turn that is cancelled in its beginning.

    `settle_back` makes an earlier going back final. Raises RequestError if another process is at work in the session.
    """
    info = recorder.info
    user = UserMessage(agent=info.agent, model=info.model, parts=tuple(parts))
    async with services.store.claimed(info.id):
        await recorder.catch_up()
        await settle_back()
        recorder.emit(UserMessageAdded(message=user))
        recorder.emit(TurnEnded(turn_id=user.id, stop_reason="cancelled"))
        await recorder.flushed()
