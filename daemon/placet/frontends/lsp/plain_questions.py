"""Questions in a plain editor: one that is put away waits on, until it is asked again or answered by a command."""

import asyncio
from collections.abc import Sequence

from placet.errors import NobodyToAsk, RequestError
from placet.frontends.lsp.message_prompt import MessagePrompt
from placet.frontends.lsp.peer import Peer
from placet.frontends.lsp.review_document import Json, action
from placet.ports import Question

_INFO = 3
Answers = list[list[str]]


class _Waiting:
    """Questions that were asked at once, and are on the screen or put away."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.questions = questions
        self.wanted = asyncio.Event()
        """Set when they are to be shown."""
        self.wanted.set()
        self.gone = False
        self.answers: Answers | None = None
        """What was said by a command."""


class PlainQuestions:
    """Those of one editor, the oldest first."""

    def __init__(self, peer: Peer, message: MessagePrompt) -> None:
        self._peer = peer
        self._message = message
        self._waiting: list[_Waiting] = []

    async def ask(self, questions: Sequence[Question]) -> Answers:
        """The answers, however late. Raises NobodyToAsk when the editor goes, PeerError and PeerGone."""
        waiting = _Waiting(questions)
        self._waiting.append(waiting)
        try:
            while True:
                await waiting.wanted.wait()
                waiting.wanted.clear()
                if waiting.gone:
                    raise NobodyToAsk("The editor that was to answer is gone.")
                shown = None if waiting.answers is not None else await self._on_screen(waiting)
                if (answers := waiting.answers or shown) is not None:
                    return answers
                if not waiting.wanted.is_set():
                    self._peer.notify("window/showMessage", {"type": _INFO, "message": _still_waiting(questions)})
        finally:
            self._waiting.remove(waiting)

    def answer(self, texts: Sequence[str]) -> str | None:
        """Answer the oldest, a text for each question; what to tell the user, None when none waits.

        Raises RequestError.
        """
        if (waiting := self._oldest) is None:
            return None
        if len(texts) != len(waiting.questions):
            raise RequestError(f"placet.answer needs a text for each question: {_asked(waiting.questions)}")
        waiting.answers = [_answer(one, text) for one, text in zip(waiting.questions, texts, strict=True)]
        waiting.wanted.set()
        return f"Answered: {', '.join(label for labels in waiting.answers for label in labels)}"

    def reopen(self) -> bool:
        """Put all that wait on the screen again; False when none does."""
        for waiting in self._waiting:
            waiting.wanted.set()
        return bool(self._waiting)

    def actions(self) -> list[Json]:
        """Code actions for the oldest that waits: its options, where it is one question, and to ask it again."""
        if (waiting := self._oldest) is None:
            return []
        options = waiting.questions[0].options if len(waiting.questions) == 1 else ()
        answers = [action(f"Placet: Answer: {one.label}", "placet.answer", [one.label]) for one in options]
        return [*answers, action("Placet: Ask again", "placet.permission", [])]

    @property
    def _oldest(self) -> _Waiting | None:
        return next((one for one in self._waiting if one.answers is None), None)

    def disconnected(self) -> None:
        """The connection is lost."""
        for waiting in self._waiting:
            waiting.gone = True
            waiting.wanted.set()

    async def _on_screen(self, waiting: _Waiting) -> Answers | None:
        """Show them until they are answered, put away, answered by a command, or wanted anew."""
        if self._peer.profile.ignores_message_requests:
            return None
        tasks = (
            asyncio.create_task(self._message.ask_questions(waiting.questions)),
            asyncio.create_task(waiting.wanted.wait()),
        )
        showing, _ = tasks
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return showing.result() if showing.done() else None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _answer(question: Question, text: str) -> list[str]:
    """An option is meant by its label or its number. Raises RequestError for what is no answer."""
    labels = [option.label for option in question.options]
    wanted = text.strip()
    if wanted.isdecimal() and wanted not in labels and 0 < int(wanted) <= len(labels):
        return [labels[int(wanted) - 1]]
    same = next((label for label in labels if label.lower() == wanted.lower()), None)
    if same is None and (not question.custom or not wanted):
        raise RequestError(f"`{text}` is none of the answers: {_asked([question])}")
    return [same or text]


def _asked(questions: Sequence[Question]) -> str:
    return " / ".join(
        f"{one.question} {', '.join(f'{number}. {option.label}' for number, option in enumerate(one.options, 1))}"
        for one in questions
    )


def _still_waiting(questions: Sequence[Question]) -> str:
    return (
        f"Placet still waits for your answer: {_asked(questions)}. `placet.permission` asks again, `placet.answer` "
        "with an option, its number or your own words answers, and so does `placet approve` in a terminal."
    )
