"""What the prompt of a run is answered with: the turn's last text, or data that satisfies a schema."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from placet.frontends.terminal.structured import MOST_ATTEMPTS, Fit, OutputSchema, Unfit
from placet.messages import AssistantMessage, PromptPart, TextPart, TurnError
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


async def answer_as_data(
    session: Session,
    parts: Sequence[PromptPart],
    schema: OutputSchema,
    *,
    most_cost: float | None = None,
    cost: Callable[[], Awaitable[float]],
) -> Answer:
    """A turn, and more of them while the answer does not satisfy the schema. Raises SettingsError for the schema.

    All of them together may come to `most_cost` US dollars; `cost` is what they have come to so far.
    """
    parts = [*parts, TextPart(text=schema.told, synthetic=True)]
    judged: Fit | Unfit = Unfit("")
    answer = Answer(TurnResult(stop_reason="end_turn"))
    for attempt in range(MOST_ATTEMPTS):
        if attempt and most_cost is not None:
            if (left := most_cost - await cost()) <= 0:
                return Answer(_ended(answer.result, _too_dear(most_cost)), answer.text)
            session.budget.limit_turn(left)
        answer = await answer_in_words(session, parts)
        if answer.result.stop_reason != "end_turn":
            return Answer(answer.result, answer.text)
        match judged := schema.judge(answer.text):
            case Fit(value):
                return Answer(answer.result, answer.text, output=value, printed=judged.text)
            case Unfit():
                parts = [TextPart(text=schema.told_again(judged), synthetic=True)]
    assert isinstance(judged, Unfit)
    error = TurnError(
        code="invalid_output",
        message=f"None of {MOST_ATTEMPTS} answers satisfied the schema; the last one does not: {judged.reason}",
        hint="Simplify the schema, say more in the prompt, or use another model.",
    )
    return Answer(_ended(answer.result, error), answer.text)


def _ended(result: TurnResult, error: TurnError) -> TurnResult:
    return result.model_copy(update={"stop_reason": "error", "error": error})


def _too_dear(most_cost: float) -> TurnError:
    message = f"The answer does not satisfy the schema, and there is nothing left of ${most_cost:g} (--max-cost)."
    return TurnError(code="cost_cap", message=message, hint="Raise --max-cost.")


def _last_text(session: Session, result: TurnResult) -> str:
    """What the turn's last answer says."""
    answers = [one for one in session.messages if isinstance(one, AssistantMessage)]
    of_turn = [one for one in answers if one.parent_id == result.message_id and not one.summary]
    if not of_turn:
        return ""
    return "".join(part.text for part in of_turn[-1].parts if isinstance(part, TextPart)).strip()
