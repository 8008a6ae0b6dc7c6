"""What the prompt of a run is answered with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from placet.messages import AssistantMessage, PromptPart, TextPart
from placet.sessions.session import Session, TurnResult


@dataclass(frozen=True, slots=True)
class Answer:
    """How the last turn ended, and what it came to."""

    result: TurnResult
    text: str = ""
    output: Any = None
    printed: str = ""
    """What stdout has where it is for the answer alone."""


async def answer_in_words(session: Session, parts: Sequence[PromptPart]) -> Answer:
    """One turn."""
    result = await session.prompt(parts)
    text = _last_text(session, result)
    return Answer(result, text, printed=text)


def _last_text(session: Session, result: TurnResult) -> str:
    """What the turn's last answer says."""
    answers = [one for one in session.messages if isinstance(one, AssistantMessage)]
    of_turn = [one for one in answers if one.parent_id == result.message_id and not one.summary]
    if not of_turn:
        return ""
    return "".join(part.text for part in of_turn[-1].parts if isinstance(part, TextPart)).strip()
