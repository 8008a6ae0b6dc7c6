import io
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from corpus_support import corpus
from placet.core.events import DiagnosticsDelta, Retry, SessionEvent, ToolCallUpdate
from placet.core.messages import ToolCompleted, ToolFailed, ToolPart, TurnError
from placet.frontends.terminal.screen.text_printer import TextPrinter
from placet.frontends.terminal.terminal_escape import PipedConsole


def test_a_retry_says_why_and_when():
    screen = io.StringIO()
    error = TurnError(code="overloaded", message="The provider is busy.")
    retry = Retry(message_id="msg_1", attempt=1, wait_seconds=2.4, error=error)

    TextPrinter(lambda: Console(file=screen)).emit(SessionEvent(session_id="ses_1", seq=1, update=retry))

    assert screen.getvalue() == "  retrying in 2 s: The provider is busy.\n"


@pytest.mark.parametrize(("fresh", "shown"), [(True, "diagnostics: 1 fixed, 2 new"), (False, "")])
def test_what_an_edit_did_to_the_diagnostics_is_told_when_it_is_known(fresh: bool, shown: str) -> None:
    screen = io.StringIO()
    delta = DiagnosticsDelta(message_id="m", change_id="c", added=({}, {}), removed=({},), fresh=fresh)
    TextPrinter(lambda: Console(file=screen)).emit(SessionEvent(session_id="ses_1", seq=1, update=delta))
    assert screen.getvalue().strip() == shown


@corpus(
    ("metadata", "marks"),
    [
        ({"sandbox": "inside", "exit": 0}, ""),
        ({"sandbox": "outside", "exit": 0}, "  (outside the sandbox)"),
        ({"sandbox": "outside", "exit": 97}, "  (outside the sandbox, exit 97)"),
        ({"exit": 2}, "  (exit 2)"),
    ],
)
def test_a_command_says_where_it_ran_and_how_it_failed(metadata: dict[str, Any], marks: str) -> None:
    screen = io.StringIO()
    state = ToolCompleted(input={}, title="make", output="", metadata=metadata, start=1, end=2)
    part = ToolPart(id="p", call_id="c", tool="bash", state=state)
    update = ToolCallUpdate(message_id="m", part=part)
    TextPrinter(lambda: Console(file=screen)).emit(SessionEvent(session_id="ses_1", seq=1, update=update))
    assert screen.getvalue() == f"  bash  make{marks}\n"


@corpus(
    ("command", "shown"),
    [("pytest -q", "$ pytest -q"), ("cd src\nmake all", "$ cd src\\nmake all")],
)
def test_in_a_pipe_a_command_is_shown_by_its_line_and_not_by_the_words_of_the_model(command: str, shown: str) -> None:
    screen = io.StringIO()
    state = ToolCompleted(input={"command": command}, title="Run it", output="", metadata={"exit": 1}, start=1, end=2)
    part = ToolPart(id="p", call_id="c", tool="bash", state=state)
    update = ToolCallUpdate(message_id="m", part=part)
    TextPrinter(lambda: Console(file=screen)).emit(SessionEvent(session_id="ses_1", seq=1, update=update))
    assert screen.getvalue() == f"  {shown}  (exit 1)\n"


DIM, RED = "\x1b[2m", "\x1b[31m"


@corpus(
    ("failure", "text", "style"),
    [
        (None, "edit  failed: The file is read-only.", RED),
        ("missing", "edit  failed: The file is read-only.", DIM),
        ("mistake", "edit  failed: The call did not fit, so nothing was done. The agent is told why.", DIM),
        ("rejected", "edit  failed: You rejected this call.", RED),
    ],
)
def test_a_failure_that_the_agent_corrects_is_dim(failure: str | None, text: str, style: str) -> None:
    state = ToolFailed(
        input={}, error="The file is read-only.\nRead it.", metadata={"failure": failure}, start=1, end=2
    )
    assert _shown(ToolPart(id="p", call_id="c", tool="edit", state=state)).startswith(f"{style}  {text}")


def test_a_call_of_an_unknown_tool_names_the_tool_that_was_called() -> None:
    state = ToolFailed(input={}, title="nope: no such tool", error="x", metadata={"failure": "mistake"}, start=1, end=2)
    assert "  nope: no such tool  failed: " in _shown(ToolPart(id="p", call_id="c", tool="invalid", state=state))


def _shown(part: ToolPart) -> str:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, color_system="standard", no_color=False, width=200)
    update = ToolCallUpdate(message_id="m", part=part)
    TextPrinter(lambda: console).emit(SessionEvent(session_id="ses_1", seq=1, update=update))
    return screen.getvalue()


def test_what_a_terminal_would_obey_is_shown_as_a_sign():
    screen = io.StringIO()
    console = PipedConsole(file=screen, force_terminal=True, highlight=False)

    console.print(Text("  $ echo hi\x1b[2K\x1b[1A # \u202ehsur", style="yellow"))
    console.print("a title\x1b]0;not yours\x07", markup=False)

    assert "\x1b[2K" not in screen.getvalue()
    assert "echo hi\ufffd[2K\ufffd[1A # \ufffdhsur" in screen.getvalue()
    assert "a title\ufffd]0;not yours" in screen.getvalue()
    assert "\x1b[33m" in screen.getvalue(), "its own colours stay"
