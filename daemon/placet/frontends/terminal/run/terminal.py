"""Terminal of a run: the output, and the approver."""

import os
import sys
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TextIO

from placet.core.events import SessionEvent, ToolCallUpdate
from placet.core.messages import JsonObject, ToolCompleted, ToolFailed
from placet.core.visible_text import json_text
from placet.frontends.terminal.exit_codes import STOP_TEXTS
from placet.frontends.terminal.output import complain, hush, say, say_text
from placet.frontends.terminal.run.approver_choice import NobodyApprover, approver_for, policy
from placet.frontends.terminal.run.run_events import RunEnded
from placet.frontends.terminal.run.run_options import GOES_ON, RunOptions
from placet.frontends.terminal.screen.activity import Activity, stream_for_activity
from placet.frontends.terminal.screen.awaited import awaited_after
from placet.frontends.terminal.screen.spent import closing_line
from placet.frontends.terminal.screen.text_printer import TextPrinter
from placet.project.paths import Workspace
from placet.sessions.session import Session

if TYPE_CHECKING:
    from rich.console import Console


class JsonPrinter:
    """EventSink; prints each event as a line of JSON."""

    def __init__(self, stream: TextIO = sys.stdout) -> None:
        self._stream = stream

    def emit(self, event: SessionEvent) -> None:
        self.line(event.dump())

    def line(self, content: JsonObject) -> None:
        self._stream.write(json_text(content) + "\n")
        self._stream.flush()


class Terminal:
    """placet.core.ports.EventSink of a run, with the approver; lives as long as the command."""

    def __init__(self, options: RunOptions, on_broken_pipe: Callable[[], None] = lambda: None) -> None:
        """Make the terminal; `on_broken_pipe` is called when nobody reads the output any more."""
        self.workspace = Workspace((options.cwd,))
        self.nobody = NobodyApprover()
        self._session: Session | None = None
        """Session of the run, once opened."""
        self._options = options
        self._on_broken_pipe = on_broken_pipe
        self._began = time.monotonic()
        self._activity = Activity(stream_for_activity())
        self._json = JsonPrinter() if options.json else None
        self._text = self._text_printer()
        self._asking = policy(options.asking)
        self.approver = approver_for(
            self._asking,
            self.nobody,
            lambda: self.console,
            self.workspace,
            self._text.shown_changes.add,
            self._activity.paused,
        )

    @cached_property
    def console(self) -> "Console":
        from placet.frontends.terminal.terminal_escape import PipedConsole  # rich loads while the model answers.

        return PipedConsole(highlight=False, stderr=self._options.json or self._options.bare)

    def _text_printer(self) -> TextPrinter:
        """Return the printer of text: a pipe gets the lines that scripts know."""
        if self._json is not None or self._options.bare or not sys.stdout.isatty():
            return TextPrinter(lambda: self.console)
        from placet.frontends.terminal.screen.screen_printer import ScreenPrinter

        is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in ("dumb", "unknown")
        return ScreenPrinter(lambda: self.console, self._activity.hide, has_markdown=not is_plain)

    def use_session(self, session: Session) -> None:
        """Note the session of the run, whose turn ends when nobody can be asked; the sessions are opened with the
        terminal's ports, so the session comes after the terminal.
        """
        self._session = session

    def emit(self, event: SessionEvent) -> None:
        """Show the event. A call in which nobody could be asked ends the turn, once the result of the call is shown;
        some policies go on.
        """
        try:
            if (awaited := awaited_after(event.update)) is not None:
                self._activity.wait_for(awaited)
            if self._json is not None:
                self._activity.hide()
                self._json.emit(event)
            elif not self._options.quiet:
                self._text.emit(event)
        except BrokenPipeError:
            self._broken()
        has_ended = isinstance(event.update, ToolCallUpdate) and isinstance(
            event.update.part.state, ToolCompleted | ToolFailed
        )
        if has_ended and self.nobody.unanswered and self._asking not in GOES_ON and self._session is not None:
            self._session.stop()

    def warn(self, message: str) -> bool:
        """Show a warning on stderr, on a line of its own; return True, as a user or a log reads stderr."""
        try:
            self._text.end()
        except BrokenPipeError:
            self._broken()
        self._activity.hide()
        complain(message)
        return True

    def report(self, ended: RunEnded, printed: str) -> None:
        """Report the end of the run; `printed` is the text for stdout if stdout is for the answer alone."""
        self._activity.stop()
        try:
            if self._json is not None:
                self._json.line(ended.dump())
            else:
                self._text.end()
            if self._options.bare and printed:
                say_text(printed)
            if (error := ended.result.error) is not None:
                complain(f"{error.message} {error.hint}".rstrip())
            elif self._json is None and ended.result.stop_reason != "end_turn":
                complain(STOP_TEXTS[ended.result.stop_reason])
            is_for_people = self._json is None and not self._options.bare
            if is_for_people and sys.stdout.isatty() and sys.stderr.isatty() and ended.result.message_id:
                duration_ms = round(1000 * (time.monotonic() - self._began))
                result = ended.result
                model = "" if self._session is None else self._session.info.model
                line = closing_line(duration_ms, result.tokens, result.cost, ended.session_id, model=model)
                say(line, to_stderr=True)
        except BrokenPipeError:
            self._broken()

    def _broken(self) -> None:
        hush()
        self._on_broken_pipe()
