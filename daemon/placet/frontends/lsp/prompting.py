"""How an editor's prompt is run: its turn ends with the request, or, where editors share it, goes on without them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from placet.messages import PromptPart, Queue

if TYPE_CHECKING:
    from placet.sessions.session import Session, TurnResult

Begin = Callable[["Session", Sequence[PromptPart], Queue], Awaitable["TurnResult"]]


async def prompt(session: "Session", parts: Sequence[PromptPart], queue: Queue) -> "TurnResult":
    """To its end; cancelling the caller cancels the turn."""
    return await session.prompt(parts, queue=queue)
