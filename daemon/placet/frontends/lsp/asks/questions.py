"""Questions in a generic editor: a question put away goes on waiting, until asked again or answered by a command."""

import asyncio
from collections.abc import Sequence

from lsprotocol.types import CodeAction

from placet.core.errors import NobodyToAsk, RequestError
from placet.core.ports import Question
from placet.frontends.lsp.asks.await_or_reask import await_or_reask
from placet.frontends.lsp.asks.message_prompt import MessagePrompt
from placet.frontends.lsp.asks.review_document import action
from placet.frontends.lsp.connection.editor_client import EditorClient
from placet.frontends.lsp.connection.showing import show_message
from placet.sessions.asks.pending_ask_models import chosen_labels

Answers = list[list[str]]


class _Waiting:
    """Questions asked at once; the questions are on the screen or put away."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.questions = questions
        self.reask = asyncio.Event()
        """Event set when the questions are to be shown."""
        self.reask.set()
        self.editor_is_gone = False
        self.answers: Answers | None = None
        """Answers given by a command."""


class GenericQuestions:
    """Waiting questions of one editor, the oldest first."""

    def __init__(self, client: EditorClient, message: MessagePrompt) -> None:
        self._client = client
        self._message = message
        self._waiting: list[_Waiting] = []

    async def ask(self, questions: Sequence[Question]) -> Answers:
        """Return the answers, however late. Raises NobodyToAsk when the editor goes, EditorError and EditorGone."""
        waiting = _Waiting(questions)
        self._waiting.append(waiting)
        try:
            while True:
                await waiting.reask.wait()
                waiting.reask.clear()
                if waiting.editor_is_gone:
                    raise NobodyToAsk("The editor that was to answer is gone.")
                answers = None if waiting.answers is not None else await self._on_screen(waiting)
                if (answers := waiting.answers or answers) is not None:
                    return answers
                if not waiting.reask.is_set():
                    show_message(self._client, _still_waiting(questions))
        finally:
            self._waiting.remove(waiting)

    def answer(self, texts: Sequence[str]) -> str | None:
        """Answer the oldest waiting questions: a text for each question, or several texts for a single question
        allowing several answers.

        Return the text to show the user, or None if no question waits.

        Raises RequestError.
        """
        if (waiting := self._oldest) is None:
            return None
        match waiting.questions:
            case [Question(multiple=True) as question]:
                answers = [list(dict.fromkeys(label for text in texts for label in _answer(question, text)))]
            case questions if len(texts) == len(questions):
                answers = [_answer(question, text) for question, text in zip(questions, texts, strict=True)]
            case questions:
                raise RequestError(f"placet.answer needs one text per question: {_asked(questions)}")
        waiting.answers = answers
        waiting.reask.set()
        if any(question.secret for question in waiting.questions):
            return "Answered."
        return f"Answered: {', '.join(label for labels in waiting.answers for label in labels)}"

    def reopen(self) -> bool:
        """Put all waiting questions on the screen again, and return False when no question waits."""
        for waiting in self._waiting:
            waiting.reask.set()
        return bool(self._waiting)

    def actions(self) -> list[CodeAction]:
        """Return code actions for the oldest waiting questions: the options of a single question, and asking again."""
        if (waiting := self._oldest) is None:
            return []
        options = waiting.questions[0].options if len(waiting.questions) == 1 else ()
        answers = [action(f"Placet: Answer: {option.label}", "placet.answer", [option.label]) for option in options]
        return [*answers, action("Placet: Ask again", "placet.permission", [])]

    @property
    def _oldest(self) -> _Waiting | None:
        return next((waiting for waiting in self._waiting if waiting.answers is None), None)

    def disconnected(self) -> None:
        """Note the loss of the connection."""
        for waiting in self._waiting:
            waiting.editor_is_gone = True
            waiting.reask.set()

    async def _on_screen(self, waiting: _Waiting) -> Answers | None:
        """Show the questions until the questions are answered, put away, answered by a command, or wanted anew."""
        if self._client.profile.ignores_message_requests or any(question.secret for question in waiting.questions):
            return None  # A secret is typed, and no action of a message is.
        return await await_or_reask(self._message.ask_questions(waiting.questions), waiting.reask)


def _answer(question: Question, text: str) -> list[str]:
    """Return the labels of the chosen options, or the user's own words. Raises RequestError for a text that is no
    answer.
    """
    labels = chosen_labels([option.label for option in question.options], text, several=question.multiple)
    if not labels and (not question.custom or not text.strip()):
        raise RequestError(f"`{text}` is not one of the answers: {_asked([question])}")
    return list(labels) or [text]


def _asked(questions: Sequence[Question]) -> str:
    return " / ".join(f"{question.question} {_numbered(question)}" for question in questions)


def _numbered(question: Question) -> str:
    return ", ".join(f"{number}. {option.label}" for number, option in enumerate(question.options, 1))


def _still_waiting(questions: Sequence[Question]) -> str:
    if any(question.secret for question in questions):
        return (
            f"Placet waits: {_asked(questions).strip()} `placet.answer` with the text continues, "
            "`placet.cancel` cancels."
        )
    several = ", several options separated by commas," if any(question.multiple for question in questions) else ""
    return (
        f"Placet still waits for your answer: {_asked(questions)}. `placet.permission` asks again. To answer, use "
        f"`placet.answer` with an option, an option's number{several} or your own words, or `placet approve` in a "
        "terminal."
    )
