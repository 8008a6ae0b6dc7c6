"""Terminal of the interactive session: prints the events above the prompt line, and asks on the prompt line."""

import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.console import Console

from placet.core.events import SessionEvent
from placet.core.visible_text import one_line, shortened
from placet.frontends.terminal.interactive.prompt_line import PromptLine
from placet.frontends.terminal.output import complain
from placet.frontends.terminal.run.approver import TerminalApprover
from placet.frontends.terminal.screen.awaited import awaited_after
from placet.frontends.terminal.screen.markdown_view import rendered
from placet.frontends.terminal.screen.screen_printer import ScreenPrinter
from placet.frontends.terminal.terminal_escape import PipedConsole
from placet.project.paths import Workspace

MOST_AWAITED = 40
"""Characters of the line below the prompt that say what is awaited."""


class InteractiveTerminal:
    """EventSink of the interactive session, with the approver; lives as long as the session's process."""

    def __init__(
        self,
        cwd: Path,
        history: Path,
        about: Callable[[], str],
        on_stop: Callable[[], None],
        printed: Callable[[], Awaitable[None]],
    ) -> None:
        """Make the terminal; `about` returns words about the session for the line below, `on_stop` stops the work,
        and `printed` waits until the output is on the screen.
        """
        self.workspace = Workspace((cwd,))
        self._about = about
        self._awaited = ""
        self._since = time.monotonic()
        self.is_busy = False
        self.line = PromptLine(history, self._toolbar, lambda: self.is_busy, on_stop, printed)
        self.console: Console = PipedConsole(highlight=False)
        self._printer = ScreenPrinter(lambda: self.console, lambda: None, has_markdown=not os.environ.get("NO_COLOR"))
        self.approver = TerminalApprover(
            self.console,
            self.workspace,
            self.line.ask,
            self._printer.shown_changes.add,
            read_secret=self.line.ask_secret,
            page=self.line.page,
            edit=self.line.edit,
        )

    def emit(self, event: SessionEvent) -> None:
        if (awaited := awaited_after(event.update)) is not None and awaited != self._awaited:
            self._awaited, self._since = awaited, time.monotonic()
        self._printer.emit(event)

    def begin_work(self) -> None:
        """Note that work begins, whose seconds count from now."""
        if not self.is_busy:
            self.is_busy, self._awaited, self._since = True, "", time.monotonic()

    def end(self) -> None:
        """Print what is still open of an answer."""
        self._printer.end()

    def say(self, text: str, style: str = "") -> None:
        self._printer.end()
        self.console.print(text, style=style or None, markup=False, highlight=False, soft_wrap=True)

    @property
    def shows_thinking(self) -> bool:
        """Whether the thinking of the model is printed."""
        return self._printer.shows_thinking

    @shows_thinking.setter
    def shows_thinking(self, shows: bool) -> None:
        self._printer.shows_thinking = shows

    def show_answer(self, text: str) -> None:
        """Print an answer of an earlier turn."""
        self.end()
        self.console.print(rendered(text, self.console))

    def warn(self, message: str) -> bool:
        self._printer.end()
        complain(message)
        return True

    def _toolbar(self) -> str:
        if self.line.is_asked:
            return " your answer; ? shows the possible answers, Ctrl-C stops the turn"
        if self.is_busy:
            seconds = time.monotonic() - self._since
            awaited = shortened(one_line(self._awaited), MOST_AWAITED) or "working"
            return f" {awaited}  {seconds:.0f} s · Enter steers · Ctrl-C stops"
        return f" /help · {self._about()}"
