"""Answer the prompt of a run."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from placet.core.messages import AssistantMessage, PromptPart, TextPart
from placet.sessions.session import Session, TurnResult


class RunAnswer(Struct, frozen=True):
    """Result of the last turn, and the answer of the run."""

    result: TurnResult
    text: str = ""
    output: Any = None
    printed: str = ""
    """Text for stdout where stdout is for the answer alone."""


async def answer_in_words(session: Session, parts: Sequence[PromptPart]) -> RunAnswer:
    """Run a turn and return the answer."""
    result = await session.prompt(parts)
    text = _last_text(session, result)
    return RunAnswer(result, text, printed=text)


def _last_text(session: Session, result: TurnResult) -> str:
    """Return the text of the turn's last answer."""
    answers = [message for message in session.messages if isinstance(message, AssistantMessage)]
    of_turn = [answer for answer in answers if answer.parent_id == result.message_id and not answer.summary]
    if not of_turn:
        return ""
    return "".join(part.text for part in of_turn[-1].parts if isinstance(part, TextPart)).strip()
