import io
from typing import Any, Literal

from placet.core.events import AgentMessageChunk, AgentThoughtChunk, SessionEvent, ToolCallUpdate, Update
from placet.core.messages import Tokens, ToolCompleted, ToolFailed, ToolPart, ToolRunning
from placet.frontends.terminal.screen.screen_printer import ScreenPrinter
from placet.frontends.terminal.screen.spent import closing_line, seconds
from placet.frontends.terminal.terminal_escape import PipedConsole


class Screen:
    def __init__(
        self, width: int = 60, *, has_markdown: bool = True, colour: Literal["standard"] | None = None
    ) -> None:
        self._shown = io.StringIO()
        console = PipedConsole(
            file=self._shown,
            width=width,
            force_terminal=True,
            color_system=colour,
            highlight=False,
        )
        self.hidden = 0
        self.printer = ScreenPrinter(lambda: console, self._hide, has_markdown=has_markdown)

    def _hide(self) -> None:
        self.hidden += 1

    def emit(self, update: Update, session: str = "ses_1") -> None:
        self.printer.emit(SessionEvent(session_id=session, seq=1, update=update))

    def say(self, text: str, session: str = "ses_1") -> None:
        self.emit(AgentMessageChunk(message_id="m", part_id="p", offset=0, text=text), session)

    def bash(self, state: Any) -> None:
        self.emit(ToolCallUpdate(message_id="m", part=ToolPart(id="p", call_id="c", tool="bash", state=state)))

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self._shown.getvalue().split("\n")]


def test_markdown_is_rendered_block_by_block_within_the_width() -> None:
    screen = Screen(30)
    screen.say("# Head\n\nSome **bold** words which are longer than the width of it.")
    assert screen.lines == ["Head", "", ""]
    screen.say("\n\n")
    assert screen.lines[2:] == ["Some bold words which are", "longer than the width of it.", "", ""]


def test_code_and_links_show_everything_and_html_is_text() -> None:
    screen = Screen()
    screen.say("See [the page](https://example.org/a) and <name>.\n\n```python\ndef f():\n    return 1\n```\n")
    text = "\n".join(screen.lines)
    assert "the page (https://example.org/a)" in text
    assert "<name>" in text
    assert "  def f():\n      return 1\n" in text


def test_code_in_a_line_has_no_background() -> None:
    screen = Screen(colour="standard")
    screen.say("Call `main` now.\n\n")
    assert "\x1b[1;36mmain\x1b[0m" in "\n".join(screen.lines)


def test_an_answer_moves_no_cursor() -> None:
    screen = Screen(colour="standard")
    screen.say("a\x1b[2J [x](http://a\x1b]8;;b) `c\x07`\n\n")
    shown = "\n".join(screen.lines)
    assert "\x1b[2J" not in shown
    assert "\x1b]" not in shown
    assert "\x07" not in shown


def test_thinking_and_the_words_of_two_sessions_do_not_mix() -> None:
    screen = Screen()
    screen.emit(AgentThoughtChunk(message_id="m", part_id="t", offset=0, text="Hm"))
    screen.say("One")
    screen.say("Two", "ses_2")
    screen.say(" more.\n\n")
    assert screen.lines[:2] == ["Hm", "One more."]
    screen.printer.end()
    assert "Two" in screen.lines


def test_without_markdown_the_text_comes_as_it_is() -> None:
    screen = Screen(has_markdown=False)
    screen.say("**bo")
    assert screen.lines == ["**bo"]


def test_a_command_is_seen_when_it_starts_with_its_output_exit_code_and_time() -> None:
    screen = Screen()
    arguments = {"command": "make\nmake check"}
    screen.bash(ToolRunning(input=arguments, start=0))
    assert screen.lines == [""], "the user may still be asked"
    screen.bash(ToolRunning(input=arguments, title="make", metadata={"output": ""}, start=0))
    assert screen.lines == ["  $ make", "  > make check", ""]
    screen.bash(ToolRunning(input=arguments, title="make", metadata={"output": "cc a.c\ncc"}, start=0))
    assert screen.lines[2:] == ["    cc a.c", ""]
    metadata = {"output": "cc a.c\ncc b.c\n", "exit": 2}
    ended = ToolCompleted(input=arguments, title="make", output="", metadata=metadata, start=0, end=12_000)
    screen.bash(ended)
    screen.bash(ended)
    assert screen.lines[3:] == ["    cc b.c", "  exit 2, 12 s", ""]
    assert screen.hidden >= 4, "the sign of life goes before each line"


def test_a_command_that_never_started_says_why() -> None:
    screen = Screen()
    screen.bash(ToolFailed(input={"command": "make"}, error="Rejected.\nmore", start=0, end=1))
    assert screen.lines == ["  bash  failed: Rejected.", ""]


def test_the_closing_line_says_time_tokens_cost_and_session() -> None:
    tokens = Tokens(input=12_000, output=345)
    assert closing_line(3_140, tokens, 0.0123, "ses_1") == "3.1 s · 12,345 tokens · $0.0123 · session ses_1"
    assert closing_line(125_000, Tokens(), 0, None) == "2 min 5 s · 0 tokens"
    covered = closing_line(3_140, tokens, 0, None, model="github_copilot/claude-opus-5.5")
    assert covered == "3.1 s · 12,345 tokens · covered by the subscription"
    assert [seconds(ms) for ms in (0, 9_949, 9_950, 59_400, 60_000)] == ["0.0 s", "9.9 s", "10 s", "59 s", "1 min 0 s"]
