"""What a command prints cannot act on the terminal, wherever its words come from."""

import io
import json
import sys

import pytest
from rich.table import Table
from rich.text import Text

from placet.frontends.terminal.output import complain, guarded_streams, say, say_json
from placet.frontends.terminal.terminal_escape import PipedConsole

HOSTILE = "a\x1b[2J\x1b]0;OWNED\x07b\u202ec\u2028d\x9b1A"


def test_what_anything_writes_while_streams_are_guarded_holds_no_controls(capsys: pytest.CaptureFixture[str]) -> None:
    with guarded_streams():
        sys.stdout.write(HOSTILE)
        sys.stderr.writelines([HOSTILE, "\n"])
    out, err = capsys.readouterr()
    for text in (out, err):
        assert not set(text) & set("\x1b\x07\x9b\u202e\u2028")
        assert "OWNED" in text


def test_a_line_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("tool: t\x1b[1A\x1b[2K.py\ntool: harmless.py")
    assert capsys.readouterr().out == "tool: t\\u001b[1A\\u001b[2K.py\\ntool: harmless.py\n"


def test_no_further_line_of_a_complaint_passes_for_another(capsys: pytest.CaptureFixture[str]) -> None:
    complain("no\nplacet: all is well\x07")
    assert capsys.readouterr().err == "placet: no\n  placet: all is well\\u0007\n"


def test_json_is_the_same_value_without_controls(capsys: pytest.CaptureFixture[str]) -> None:
    with guarded_streams():
        say_json({"name": HOSTILE})
    out = capsys.readouterr().out
    assert json.loads(out) == {"name": HOSTILE}
    assert not set(out) & set("\x1b\x07\x9b\u202e\u2028")


def test_colours_of_our_own_are_kept_and_controls_of_others_are_not() -> None:
    screen = io.StringIO()
    console = PipedConsole(file=screen, force_terminal=True, color_system="standard", highlight=False)
    table = Table(box=None, show_header=False)
    table.add_row(Text(f"cell {HOSTILE}", style="red"))
    for shown in (Text(HOSTILE, style="green"), HOSTILE, table):
        console.print(shown, markup=False, soft_wrap=True)
    shown = screen.getvalue()
    assert "\x1b[32m" in shown
    assert "\x1b[31m" in shown
    for text in ("\x1b[2J", "\x1b]0;", "\x07", "\u202e", "\u2028", "\x9b"):
        assert text not in shown
