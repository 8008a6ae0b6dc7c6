"""Prompt line at the bottom of the terminal: reads prompts, steering words and answers, with history and keys."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, in_terminal
from prompt_toolkit.completion import Completer
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output
from rich.console import Console
from rich.text import Text

from placet.frontends.terminal import user_programs
from placet.frontends.terminal.interactive.line import interrupted

MARK = "› "
REFRESH_SECONDS = 0.5


class _Prompts(FileHistory):
    """History of prompts; answers to questions are left out."""

    def __init__(self, file: Path, is_asked: Callable[[], bool]) -> None:
        self._is_asked = is_asked
        super().__init__(str(file))

    def append_string(self, string: str) -> None:
        if string.strip() and not self._is_asked():
            super().append_string(string)


class PromptLine:
    """The prompt line; lives as long as the interactive session."""

    def __init__(
        self, history: Path, toolbar: Callable[[], str], is_busy: Callable[[], bool], on_stop: Callable[[], None]
    ) -> None:
        """Make the line; `toolbar` returns the text below the line, and `on_stop` stops the work."""
        self._toolbar = toolbar
        self._is_busy = is_busy
        self._on_stop = on_stop
        self._question = ""
        self._answer: asyncio.Future[str] | None = None
        self._draft = ""
        """Text that stood on the line when a question came."""
        self._hint = ""
        self._was_interrupted = False
        history.parent.mkdir(parents=True, exist_ok=True)
        history.touch(mode=0o600, exist_ok=True)
        self._prompt: PromptSession[str | None] = PromptSession(
            message=lambda: self._question or MARK,
            history=_Prompts(history, lambda: self.is_asked),
            key_bindings=self._keys(),
            multiline=True,
            prompt_continuation=lambda width, number, wrapped: " " * width,
            bottom_toolbar=self._shown_toolbar,
            refresh_interval=REFRESH_SECONDS,
            complete_while_typing=True,
            output=create_output(stdout=sys.__stdout__),
        )

    @property
    def is_asked(self) -> bool:
        return self._answer is not None

    async def read(self, completer: Completer) -> str | None:
        """Return the next line; None when the user leaves."""
        draft, self._draft = ("", self._draft) if self.is_asked else (self._draft, "")
        self._prompt.completer = completer
        try:
            return await self._prompt.prompt_async(default=draft)
        except EOFError:
            return None

    async def ask(self, question: str) -> str:
        """Ask on the line; the answer is the next line that the user sends."""
        answer = self._answer = asyncio.get_running_loop().create_future()
        self._question = question
        buffer = self._prompt.default_buffer
        self._draft, buffer.text = self._draft or buffer.text, ""
        self._prompt.app.invalidate()
        try:
            return await answer
        finally:
            if self._answer is answer:  # Answered elsewhere, or stopped.
                self._answer, self._question = None, ""
                buffer.text, self._draft = self._draft, ""
            self._prompt.app.invalidate()

    def answer(self, text: str) -> None:
        """Give the answer to the question; the next line is a prompt again."""
        answer, self._answer, self._question = self._answer, None, ""
        if answer is not None and not answer.done():
            answer.set_result(text)

    async def page(self, console: Console, shown: Text) -> None:
        """Run the user's pager, without the line."""
        async with in_terminal():
            await user_programs.page(console, shown)

    async def edit(self, text: str, name: str) -> str | None:
        """Run the user's editor, without the line."""
        async with in_terminal():
            return await user_programs.edit(text, name)

    def _shown_toolbar(self) -> str:
        return self._hint or self._toolbar()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            self._calm()
            if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
                buffer.apply_completion(buffer.complete_state.current_completion)
            elif buffer.document.text_before_cursor.endswith("\\"):
                buffer.delete_before_cursor()
                buffer.insert_text("\n")
            else:
                buffer.validate_and_handle()

        @keys.add("escape", "enter")
        @keys.add("c-j")
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c")
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            act = interrupted(is_second=self._was_interrupted, has_text=bool(buffer.text), is_busy=self._is_busy())
            self._was_interrupted = act != "clear"
            match act:
                case "leave":
                    event.app.exit(result=None)
                case "clear":
                    buffer.text = ""
                case "stop":
                    self._hint = " stopped; Ctrl-C again leaves"
                    self._on_stop()
                case "warn":
                    self._hint = " Ctrl-C again leaves"

        @keys.add("c-d", filter=Condition(lambda: not get_app().current_buffer.text))
        def _(event: KeyPressEvent) -> None:
            event.app.exit(result=None)

        return keys

    def _calm(self) -> None:
        """Forget an earlier Ctrl-C."""
        self._was_interrupted, self._hint = False, ""
