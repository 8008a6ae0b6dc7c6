"""Prompt line at the bottom of the terminal: reads prompts, steering words and answers, with history and keys."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output
from rich.console import Console
from rich.text import Text

from placet.frontends.terminal import user_programs
from placet.frontends.terminal.interactive.keyboard import Keyboard
from placet.frontends.terminal.interactive.line import interrupted
from placet.frontends.terminal.output import say_lines
from placet.frontends.terminal.table import shortened_end

MARK = "› "
REFRESH_SECONDS = 0.5
KEY_SECONDS = 0.1
"""Time in which the bytes of one key come; a lone Esc is known after this time."""
ALT_SECONDS = 0.3
"""Time in which Enter behind Esc counts as Alt-Enter."""


class _Prompts(FileHistory):
    """History of prompts; answers to questions are left out."""

    def __init__(self, file: Path, is_asked: Callable[[], bool]) -> None:
        self._is_asked = is_asked
        super().__init__(str(file))

    def append_string(self, string: str) -> None:
        if string.strip() and not self._is_asked():
            super().append_string(string)


class PromptLine:
    """The prompt line; lives as long as the interactive session.

    The line reads the keyboard without a gap until the user leaves, so that no key between two lines is lost.
    """

    def __init__(
        self,
        history: Path,
        toolbar: Callable[[], str],
        is_busy: Callable[[], bool],
        on_stop: Callable[[], None],
        printed: Callable[[], Awaitable[None]],
    ) -> None:
        """Make the line; `toolbar` returns the text below the line, `on_stop` stops the work, and `printed` waits until
        the output above the line is on the screen.
        """
        self._printed = printed
        self._toolbar = toolbar
        self._is_busy = is_busy
        self._on_stop = on_stop
        self._on_line: Callable[[str], None] = lambda _line: None
        self._question = ""
        self._is_secret = False
        """Whether the answer to the question is hidden."""
        self._answer: asyncio.Future[str] | None = None
        self._asking = asyncio.Lock()
        self._draft = Document()
        """Text that stood on the line when a question came."""
        self._hint = ""
        self._was_interrupted = False
        self._is_lent = False
        self._keyboard = Keyboard(sys.stdin)
        history.parent.mkdir(parents=True, exist_ok=True)
        history.touch(mode=0o600, exist_ok=True)
        self._prompt: PromptSession[None] = PromptSession(
            message=lambda: self._question or MARK,
            history=_Prompts(history, lambda: self.is_asked),
            key_bindings=self._keys(),
            multiline=True,
            prompt_continuation=lambda width, number, wrapped: " " * width,
            bottom_toolbar=self._shown_toolbar,
            refresh_interval=REFRESH_SECONDS,
            complete_while_typing=True,
            erase_when_done=True,
            is_password=Condition(lambda: self._is_secret),
            input=self._keyboard,
            output=create_output(stdout=sys.__stdout__),
        )
        self._prompt.app.ttimeoutlen, self._prompt.app.timeoutlen = KEY_SECONDS, ALT_SECONDS

    @property
    def is_asked(self) -> bool:
        return self._answer is not None

    async def run(self, completer: Completer, on_line: Callable[[str], None]) -> None:
        """Hand each line that the user sends to `on_line`, until the user leaves."""
        self._on_line = on_line
        self._prompt.completer = completer
        with suppress(EOFError), self._keyboard.raw_mode():
            store_typeahead(self._keyboard, self._keyboard.typed_before())
            await self._prompt.prompt_async()

    def leave(self) -> None:
        """End the line."""
        if not self._prompt.app.is_done:
            self._prompt.app.exit(result=None)

    async def ask(self, question: str) -> str:
        """Ask on the line; the answer is the next line that the user sends."""
        return await self._ask(question, is_secret=False)

    async def ask_secret(self, question: str) -> str:
        """Ask on the line, which shows no character of the answer."""
        return await self._ask(question, is_secret=True)

    async def _ask(self, question: str, *, is_secret: bool) -> str:
        async with self._asking:
            self._take_typed()
            answer = self._answer = asyncio.get_running_loop().create_future()
            self._question, self._is_secret = question, is_secret
            buffer = self._prompt.default_buffer
            self._draft = buffer.document
            buffer.reset()
            self._prompt.app.invalidate()
            try:
                return await answer
            finally:
                if self._answer is answer:  # Answered elsewhere, or stopped.
                    self._end_question()

    def answer(self, text: str) -> None:
        """Give the answer to the question; the next line is a prompt again."""
        answer = self._answer
        self._end_question()
        if answer is not None and not answer.done():
            answer.set_result(text)

    def offer(self, text: str) -> None:
        """Put the text on the line, to be edited and sent, unless the user has written something by now."""
        if not self._prompt.default_buffer.text and not self.is_asked:
            self._prompt.default_buffer.reset(Document(text))
            self._prompt.app.invalidate()

    async def page(self, console: Console, shown: Text) -> None:
        """Run the user's pager, without the line."""
        async with self._lent():
            await user_programs.page(console, shown)

    async def edit(self, text: str, name: str) -> str | None:
        """Run the user's editor, without the line."""
        async with self._lent():
            return await user_programs.edit(text, name)

    @asynccontextmanager
    async def _lent(self) -> AsyncGenerator[None]:
        """Lend the terminal to a program of the user, below all output so far."""
        await self._printed()
        async with in_terminal():
            self._is_lent = True
            try:
                with self._keyboard.lent():
                    yield
            finally:
                self._is_lent = False

    def _take_typed(self) -> None:
        """Take the keys that wait, before a question: nobody answers a question unseen."""
        app = self._prompt.app
        if app.is_running and not self._is_lent:
            app.key_processor.feed_multiple(self._keyboard.read_keys())
            app.key_processor.process_keys()

    def _end_question(self) -> None:
        """Take the question from the line, and put the draft back."""
        self._answer, self._question, self._is_secret = None, "", False
        self._prompt.default_buffer.reset(self._draft)
        self._draft = Document()
        self._prompt.app.invalidate()

    def _send(self, buffer: Buffer) -> None:
        """Print the line above, and hand the line over."""
        text, before = buffer.text, self._question or MARK
        shown = "" if self._is_secret else text
        say_lines(f"{before}{shown}".replace("\n", f"\n{' ' * len(before)}").split("\n"))
        buffer.reset(append_to_history=True)
        self._on_line(text)

    def _shown_toolbar(self) -> str:
        return shortened_end(self._hint or self._toolbar(), self._prompt.app.output.get_size().columns)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter")
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            self._calm()
            if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
                buffer.apply_completion(buffer.complete_state.current_completion)
            elif buffer.document.text_before_cursor.endswith("\\") and not self._is_secret:
                buffer.delete_before_cursor()
                buffer.insert_text("\n")
            else:
                self._send(buffer)

        @keys.add("escape", "enter")
        @keys.add("c-j")
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("<sigint>")
        @keys.add("c-c")
        def _(event: KeyPressEvent) -> None:
            if self._is_lent:  # The signal is for the program of the user.
                return
            buffer = event.current_buffer
            act = interrupted(is_second=self._was_interrupted, has_text=bool(buffer.text), is_busy=self._is_busy())
            self._was_interrupted = act != "clear"
            match act:
                case "leave":
                    self.leave()
                case "clear":
                    buffer.text = ""
                case "stop":
                    self._hint = " stopped; Ctrl-C again leaves"
                    self._on_stop()
                case "warn":
                    self._hint = " Ctrl-C again leaves"

        @keys.add("escape")
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if buffer.complete_state is not None:
                buffer.cancel_completion()
            elif self._is_busy():
                self._hint = " stopped"
                self._on_stop()

        if sys.platform != "win32":

            @keys.add("c-z")
            def _(event: KeyPressEvent) -> None:
                event.app.create_background_task(self._suspend())

        @keys.add("c-d", filter=Condition(lambda: not self._prompt.default_buffer.text))
        def _(event: KeyPressEvent) -> None:
            self.leave()

        return keys

    async def _suspend(self) -> None:
        """Stop the process group, as a terminal does on Ctrl-Z; the shell's `fg` goes on."""
        if sys.platform != "win32":
            async with self._lent():
                os.killpg(0, signal.SIGTSTP)

    def _calm(self) -> None:
        """Forget an earlier Ctrl-C."""
        self._was_interrupted, self._hint = False, ""
