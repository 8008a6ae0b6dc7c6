"""Print events for a reader at a terminal: Markdown by blocks, and commands with their output as it grows."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from placet.core.events import SessionEvent
from placet.core.messages import ToolPart
from placet.core.visible_text import shown_lines
from placet.frontends.terminal.screen.blocks import BlockSplitter
from placet.frontends.terminal.screen.command_output import CommandOutput
from placet.frontends.terminal.screen.spent import seconds
from placet.frontends.terminal.screen.text_printer import TextPrinter
from placet.text.counted import first_lines

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_COMMAND_LINES = 10
"""Lines of a command that are shown when the command starts."""


class ScreenPrinter(TextPrinter):
    """EventSink for a terminal with its abilities; lives as long as the terminal."""

    def __init__(
        self, console: "Callable[[], Console]", hide_activity: Callable[[], None], *, has_markdown: bool = True
    ) -> None:
        """Make the printer; `hide_activity` takes the sign of life away before anything is printed.

        Without `has_markdown` the text of the answer is printed as the text comes.
        """
        super().__init__(console)
        self._hide_activity = hide_activity
        self._has_markdown = has_markdown
        self._at = ""
        """Session of the event at hand; the blocks of each session are apart."""
        self._blocks: dict[str, BlockSplitter] = {}
        self._thinking: set[str] = set()
        """Sessions whose open block is thinking."""
        self._commands: dict[str, CommandOutput] = {}
        """Output of each running command, by the id of the call's part."""

    def emit(self, event: SessionEvent) -> None:
        self._at = event.session_id
        super().emit(event)

    def end(self) -> None:
        """Print the blocks of answers that are still open."""
        for session_id in list(self._blocks):
            self._end_block(session_id)
        if self._in_text:
            self._hide_activity()
        super().end()

    def _end_block(self, session_id: str) -> None:
        for block in self._blocks.pop(session_id, BlockSplitter()).end():
            self._print_block(block, is_thought=session_id in self._thinking)

    def _write(self, text: str, style: str = "") -> None:
        is_thought = bool(style)
        if not self._has_markdown:
            self._hide_activity()
            super()._write(text, style)
            return
        if is_thought != (self._at in self._thinking):
            self._end_block(self._at)
            (self._thinking.add if is_thought else self._thinking.discard)(self._at)
        for block in self._blocks.setdefault(self._at, BlockSplitter()).feed(text):
            self._print_block(block, is_thought=is_thought)

    def _print_block(self, block: str, *, is_thought: bool) -> None:
        if is_thought:
            from rich.text import Text

            self._print(Text(block, style="dim italic"))
            return
        from placet.frontends.terminal.screen.markdown_view import rendered

        self._print(rendered(block, self._console()))

    def _print(self, shown: "RenderableType", *, soft_wrap: bool = False) -> None:
        self._hide_activity()
        self._console().print(shown, soft_wrap=soft_wrap)

    def _note(self, text: str, style: str) -> None:
        self._hide_activity()
        super()._note(text, style)

    def _tool(self, part: ToolPart) -> None:
        command = part.state.input.get("command") if part.tool == "bash" else None
        if not isinstance(command, str) or part.state.status == "pending":
            super()._tool(part)
            return
        metadata = getattr(part.state, "metadata", {})
        output = metadata.get("output")
        if (part.id, "ended") in self._printed:
            return
        if part.id not in self._commands and isinstance(output, str):
            self._commands[part.id] = CommandOutput()
            self._begin_command(command)
        if (running := self._commands.get(part.id)) is None:
            super()._tool(part)
            return
        if part.state.status == "running":
            self._lines(running.grow(output) if isinstance(output, str) else [])
            return
        del self._commands[part.id]
        self._printed.add((part.id, "ended"))
        self._lines(running.end(output if isinstance(output, str) else None))
        self._end_command(part)

    def _begin_command(self, command: str) -> None:
        from rich.text import Text

        self.end()
        lines = shown_lines(command)
        for number, line in enumerate(first_lines(lines, MOST_COMMAND_LINES)):
            self._print(Text(f"  {'>' if number else '$'} {line}", style="bold yellow"), soft_wrap=True)

    def _lines(self, lines: list[str]) -> None:
        if lines:
            from rich.text import Text

            for line in lines:
                self._print(Text(f"    {line}", style="dim"), soft_wrap=True)

    def _end_command(self, part: ToolPart) -> None:
        state = part.state
        if state.status == "error":
            text = state.shown_error.partition("\n")[0]
            self._note(f"failed: {text}", "dim" if state.is_recovered else "red")
        elif state.status == "completed":
            code = state.metadata.get("exit")
            words = [] if code is None else [f"exit {code}"]
            words.append(seconds(state.end - state.start))
            words += ["outside the sandbox"] if state.metadata.get("sandbox") == "outside" else []
            self._note(", ".join(words), "red" if code else "green")
