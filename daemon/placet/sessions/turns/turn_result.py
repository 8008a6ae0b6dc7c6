"""End of a turn: the report to the asker, and the kind of end that each error makes."""

import asyncio
import logging
from collections.abc import Sequence

from placet.core.errors import ModelError, NobodyToAsk, PlacetError, Rejected, TurnStopped
from placet.core.messages import AssistantMessage, Message, StopReason, Tokens, TurnError, UserMessage, Value

logger = logging.getLogger(__name__)


class TurnResult(Value):
    """How a turn ended. `tokens` and `cost` (US dollars) are sums over its steps."""

    stop_reason: StopReason
    message_id: str = ""
    """The user message that opened the turn, which is the turn's id; empty if it never began."""
    tokens: Tokens = Tokens()
    cost: float = 0.0
    error: TurnError | None = None


def result_of(
    messages: Sequence[Message], user: UserMessage, reason: StopReason, error: TurnError | None
) -> TurnResult:
    answers = [
        message for message in messages if isinstance(message, AssistantMessage) and message.parent_id == user.id
    ]
    return TurnResult(
        stop_reason=reason,
        message_id=user.id,
        tokens=sum((answer.tokens for answer in answers), Tokens()),
        cost=sum(answer.cost for answer in answers),
        error=error,
    )


def reason_of(failure: BaseException, session_id: str) -> tuple[StopReason, TurnError | None]:
    """What ended the turn, in words for the user; our own bugs go to the log."""
    match failure:
        case asyncio.CancelledError():
            return "cancelled", None
        case Rejected():  # A rejection of a part that a command would have run.
            return "rejected", None
        case ModelError() | TurnStopped():
            return "error", TurnError(code=failure.code, message=failure.message, hint=failure.hint)
        case NobodyToAsk():
            return "error", TurnError(code="needs_permission", message=str(failure))
        case PlacetError():
            return "error", TurnError(code="failed", message=str(failure))
        case _:
            logger.error("A turn of session %s failed", session_id, exc_info=failure)
            return "error", TurnError(code="internal", message="Placet has failed.", hint="See the log for details.")
