"""`editor/question`: the models of the message, made from questions and read into answers. No IO."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, OnErrorOmit, ValidationError

from placet.core.messages import Value
from placet.core.ports import Question


class AskQuestion(Value):
    """Put questions to the user. The request waits as `editor/requestPermission` does."""

    session_id: str
    """Session of the questions. Empty: the questions are part of the user's present action (`agent/auth/login`); the
    editor shows such questions at once, and a dismissed question is declined.
    """
    questions: tuple[Question, ...]


def _list(value: Any) -> Any:
    return value if isinstance(value, list) else []


class QuestionResult(Value):
    answers: tuple[Annotated[tuple[OnErrorOmit[str], ...], BeforeValidator(_list)], ...] | None
    """Chosen labels for each question; null if the user declined."""


def question_message(session_id: str, questions: Sequence[Question]) -> AskQuestion:
    return AskQuestion(session_id=session_id, questions=tuple(questions))


def read_answers(result: Any, count: int) -> list[list[str]] | None:
    """Return a list of labels per question; a malformed result is taken as declined."""
    try:
        answers = QuestionResult.model_validate(result).answers
    except ValidationError:
        return None
    return None if answers is None or len(answers) != count else [list(labels) for labels in answers]
