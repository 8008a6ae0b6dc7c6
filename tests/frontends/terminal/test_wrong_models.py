"""A wrong `--model` is refused before a session is made, with exit code 2 and near names."""

import json
import os
from pathlib import Path

import pytest

from run_support import Place, Terminal

WRONG = "antropic/claude-sonnet-4-5"
SAID = "did you mean `anthropic/claude-sonnet-4-5`?"
ENTER, CTRL_D = "\r", "\x04"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def listed(place: Place) -> list[dict[str, object]]:
    return json.loads(place.run("sessions", "list", "--json").stdout)


def test_a_run_with_a_wrong_model_makes_no_session(place: Place) -> None:
    ended = place.ended("--model", WRONG, "go on")

    assert (ended["exitCode"], ended["result"]["error"]["code"]) == (2, "usage")
    assert SAID in ended["result"]["error"]["message"]
    assert listed(place) == []


@pytest.mark.parametrize("further", [(), ("--fork",)])
def test_a_wrong_model_spoils_no_session_that_is_continued(place: Place, further: tuple[str, ...]) -> None:
    place.script([{"text": "First."}], [{"text": "Second."}])
    assert place.ended("begin")["answer"] == "First."
    before = listed(place)
    assert place.ended("--continue", *further, "--model", WRONG, "go on")["exitCode"] == 2
    assert listed(place) == before

    assert place.ended("--continue", "go on")["exitCode"] == 0


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_an_interactive_session_with_a_wrong_model_ends_at_once(place: Place) -> None:
    terminal = Terminal(place, "chat", "--model", WRONG)

    assert terminal.end() == 2
    assert SAID in " ".join(terminal.shown.split())


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_a_wrong_model_chosen_by_command_changes_nothing(place: Place) -> None:
    place.script([{"text": "First.\n\n"}], [{"text": "Second.\n\n"}])
    terminal = Terminal(place, "chat")
    terminal.wait_for("/help")
    for answer in ("First.", "Second."):  # Before there is a session, and in a session.
        terminal.shown = ""
        terminal.press(f"/model {WRONG}{ENTER}")
        terminal.wait_for("did you mean")
        terminal.press(f"go on{ENTER}")
        terminal.wait_for(answer)
        terminal.wait_for("tokens")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
