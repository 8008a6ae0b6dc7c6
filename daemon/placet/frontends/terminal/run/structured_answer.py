"""Ask for an answer that satisfies a schema, again and again within bounds."""

from collections.abc import Awaitable, Callable, Sequence

from placet.core.messages import PromptPart, TextPart, TurnError
from placet.core.visible_text import escaped_json
from placet.frontends.terminal.run.answer import RunAnswer, answer_in_words
from placet.frontends.terminal.run.schema_check import MOST_ATTEMPTS, Fit, OutputSchema, Unfit
from placet.sessions.session import Session, TurnResult


async def answer_as_data(
    session: Session,
    parts: Sequence[PromptPart],
    schema: OutputSchema,
    *,
    most_cost: float | None = None,
    cost: Callable[[], Awaitable[float]],
) -> RunAnswer:
    """Run a turn, and further turns while the answer does not satisfy the schema.

    Raises SettingsError for the schema. All turns together may cost up to `most_cost` US dollars; `cost` returns the
    cost so far.
    """
    parts = [*parts, TextPart(text=schema.prompt_text, synthetic=True)]
    judged: Fit | Unfit = Unfit("")
    answer = RunAnswer(TurnResult(stop_reason="end_turn"))
    for attempt in range(MOST_ATTEMPTS):
        if attempt and most_cost is not None:
            if (left := most_cost - await cost()) <= 0:
                return RunAnswer(_ended(answer.result, _too_dear(most_cost)), answer.text)
            session.budget.limit_turn(left)
        answer = await answer_in_words(session, parts)
        if answer.result.stop_reason != "end_turn":
            return RunAnswer(answer.result, answer.text)
        match judged := schema.judge(answer.text):
            case Fit(value):
                return RunAnswer(answer.result, answer.text, output=value, printed=escaped_json(judged.text))
            case Unfit():
                parts = [TextPart(text=schema.retry_text(judged), synthetic=True)]
    assert isinstance(judged, Unfit)
    error = TurnError(
        code="invalid_output",
        message=f"None of {MOST_ATTEMPTS} answers satisfied the schema. The last answer: {judged.reason}",
        hint="Simplify the schema, say more in the prompt, or use another model.",
    )
    return RunAnswer(_ended(answer.result, error), answer.text)


def _ended(result: TurnResult, error: TurnError) -> TurnResult:
    return result.model_copy(update={"stop_reason": "error", "error": error})


def _too_dear(most_cost: float) -> TurnError:
    message = f"The answer does not satisfy the schema, and the run has used up ${most_cost:g} (--max-cost)."
    return TurnError(code="cost_cap", message=message, hint="Raise --max-cost.")
