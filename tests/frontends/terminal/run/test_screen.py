"""What `placet run` shows at a terminal of its own."""

import os
import re
from pathlib import Path

import pytest

from run_support import Place, Terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
ANSWER = "Some **bold** words.\n\n```python\nreturn 1\n```\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_command_is_seen_from_its_start_to_its_end_and_one_line_closes_the_run(place: Place) -> None:
    go = place.project / "go"
    command = f"echo begun; until test -e {go.name}; do sleep 0.05; done; echo ended; exit 3"
    place.script([{"call": "bash", "arguments": {"command": command, "description": "Wait"}}], [{"text": ANSWER}])
    terminal = Terminal(place, "run", "--allow", "bash:*", "go")
    terminal.wait_for("begun")
    assert f"$ {command[:40]}" in plain(terminal.shown).replace("\r\n", "")
    assert "ended\r\n" not in terminal.shown
    terminal.wait_for("(Ctrl-C stops)")
    go.touch()
    assert terminal.end() == 0, terminal.shown
    shown = plain(terminal.shown)
    assert re.search(r"ended\r\n  exit 3, [\d.]+ s", shown)
    assert "Some bold words." in shown
    assert "```" not in shown
    assert re.search(r"[\d.]+ s · [\d,]+ tokens · session ses_\w+\r\n$", shown)


@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colour_and_dumb_terminals_are_plain(place: Place, variable: tuple[str, str]) -> None:
    place.environment["PLACET_MODEL"] = place.script([{"text": ANSWER}])
    terminal = Terminal(place, "run", "go", before=("env", "=".join(variable)))
    assert terminal.end() == 0
    assert ANSWER.replace("\n", "\r\n") in terminal.shown
    assert "\x1b[3" not in terminal.shown
    assert "\x1b[9" not in terminal.shown


def test_a_pipe_gets_the_text_as_it_is_and_no_line_of_figures(place: Place) -> None:
    place.environment["PLACET_MODEL"] = place.script([{"text": ANSWER}])
    result = place.run("run", "go")
    assert (result.returncode, result.stdout, result.stderr) == (0, ANSWER, "")
