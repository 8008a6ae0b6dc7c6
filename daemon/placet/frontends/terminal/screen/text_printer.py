"""Print events as text, as a pipe gets the events and a terminal without abilities.

rich is imported with the first text to show, which comes after the request to the model.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from placet.core.events import (
    AgentMessageChunk,
    AgentThoughtChunk,
    ChangeApplied,
    ChangeReverted,
    Compaction,
    DiagnosticsDelta,
    Notice,
    Plan,
    Retry,
    SessionEvent,
    ToolCall,
    ToolCallUpdate,
    UserMessageAdded,
)
from placet.core.messages import ToolPart
from placet.core.visible_text import command_title
from placet.text.counted import counted

if TYPE_CHECKING:
    from rich.console import Console


class TextPrinter:
    """EventSink; prints the answer as text arrives, and a line per action.

    Events of all sessions are printed alike; prompts are not printed. `console` returns the console of the run.
    """

    def __init__(self, console: "Callable[[], Console]") -> None:
        self._console = console
        self._in_text = False
        self.shows_thinking = True
        """Whether the thinking of the model is printed."""
        self._printed: set[tuple[str, str]] = set()
        self.shown_changes: set[str] = set()
        """Ids of changes whose diff the user has already seen, because a permission request showed the diff."""

    def emit(self, event: SessionEvent) -> None:
        match event.update:
            case AgentMessageChunk(text=text):
                self._write(text)
            case AgentThoughtChunk(text=text):
                if self.shows_thinking:
                    self._write(text, style="dim italic")
            case ToolCall(part=part):
                self.end()  # A question about the call begins on a line of its own.
                self._tool(part)
            case ToolCallUpdate(part=part):
                self._tool(part)
            case ChangeApplied(made_in=str()) | ChangeReverted(made_in=str()):
                pass  # The subagent's session reports the change.
            case ChangeApplied(change_id=change_id, files=files):
                if change_id not in self.shown_changes:
                    from placet.frontends.terminal.hunks.diff_view import applied_text

                    self.end()
                    for file in files:
                        self._console().print(applied_text(file))
                added = sum(file.additions for file in files)
                deleted = sum(file.deletions for file in files)
                self._note(f"applied: {counted(len(files), 'file')}, +{added} -{deleted}", "green")
            case DiagnosticsDelta(added=added, removed=removed, fresh=True) if added or removed:
                self._note(f"diagnostics: {len(removed)} fixed, {len(added)} new", "red" if added else "green")
            case ChangeReverted():
                self._note("change undone", "green")
            case Plan(entries=entries):
                marks = {"completed": "x", "in_progress": ">", "pending": " ", "cancelled": "-"}
                for entry in entries:
                    self._note(f"[{marks[entry.status]}] {entry.content}", "blue")
            case Compaction(part=part):
                self._note(f"summarized: about {part.tokens_after} of {part.tokens_before} tokens are left", "yellow")
            case Retry(wait_seconds=seconds, error=error):
                self._note(f"retrying in {seconds:.0f} s: {error.message}", "yellow")
            case Notice(message=message, hint=hint):
                self._note(f"{message} {hint}".rstrip(), "yellow")
            case UserMessageAdded():
                pass
            case _:
                pass

    def end(self) -> None:
        """End an open line of the answer."""
        if self._in_text:
            self._console().print()
            self._in_text = False

    def _write(self, text: str, style: str = "") -> None:
        if text:
            from rich.text import Text

            self._console().print(Text(text, style=style), end="", soft_wrap=True)
            self._in_text = not text.endswith("\n")

    def _tool(self, part: ToolPart) -> None:
        status = part.state.status
        if (part.id, status) in self._printed:
            return
        self._printed.add((part.id, status))
        match part.state:
            case state if state.status == "completed":
                marks = ["outside the sandbox"] if state.metadata.get("sandbox") == "outside" else []
                if state.metadata.get("exit"):
                    marks.append(f"exit {state.metadata['exit']}")
                mark = f"  ({', '.join(marks)})" if marks else ""
                command = state.input.get("command") if part.tool == "bash" else None
                shown = f"$ {command_title(command)}" if isinstance(command, str) else f"{part.tool}  {state.title}"
                self._note(f"{shown}{mark}", "cyan")
            case state if state.status == "error":
                text = state.shown_error.partition("\n")[0]
                # The title of a call of an unknown tool names the tool that was called.
                name = state.title or part.tool if part.tool == "invalid" else part.tool
                self._note(f"{name}  failed: {text}", "dim" if state.is_recovered else "red")
            case _:
                pass

    def _note(self, text: str, style: str) -> None:
        from rich.text import Text

        self.end()
        self._console().print(Text(f"  {text}", style=style), soft_wrap=True)
