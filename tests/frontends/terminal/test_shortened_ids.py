"""Each command that takes the id of a session takes the beginning of the id, and names the sessions that begin so."""

import json
import os
from pathlib import Path

import pytest

from run_support import EDIT, Place, Terminal

ENTER, CTRL_D = "\r", "\x04"
COMMON = "ses_"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Two sessions, of which only the older one has changed a file."""
    place = Place(tmp_path)
    edit = [{"call": "read", "arguments": {"filePath": "a.txt"}}], [{"call": "edit", "arguments": EDIT}]
    place.script(*edit, [{"text": "Done."}])
    assert place.run("run", "--yes", "the first").returncode == 0
    place.script([{"text": "Done."}])
    assert place.run("run", "the second").returncode == 0
    return place


def ids(place: Place) -> list[str]:
    """Return the ids of the sessions, oldest first."""
    return [info["id"] for info in reversed(json.loads(place.run("sessions", "list", "--json").stdout))]


def beginning(place: Place) -> str:
    """Return the shortest beginning that only the id of the first session has."""
    first, *others = ids(place)
    lengths = range(len(first))
    return next(first[:length] for length in lengths if not any(other.startswith(first[:length]) for other in others))


def test_run_goes_on_with_and_copies_the_session_of_a_shortened_id(place: Place) -> None:
    first, short = ids(place)[0], beginning(place)

    assert place.ended("--session", short, "go on")["sessionId"] == first
    forked = place.ended("--session", short, "--fork", "go on")["sessionId"]
    assert forked not in (first, short)
    infos = json.loads(place.run("sessions", "list", "--json").stdout)
    assert next(info["forkedFrom"] for info in infos if info["id"] == forked) == first


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("undo",), "restored"),
        (("back",), "Prompts of 'the first'"),
        (("review",), "no change waits"),
        (("permissions", "list"), "bash"),
    ],
)
def test_a_command_takes_the_beginning_of_an_id_and_refuses_the_beginning_of_two(
    place: Place, command: tuple[str, ...], said: str
) -> None:
    done = place.run(*command, "--session", beginning(place))
    assert said.lower() in (done.stdout + done.stderr).lower()

    refused = place.run(*command, "--session", COMMON)
    assert refused.returncode in (1, 2)
    for session_id, title in zip(ids(place), ("the first", "the second"), strict=True):
        assert f"{session_id} ({title})" in refused.stderr
    assert "Write more of the id." in refused.stderr


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_an_interactive_session_continues_the_session_of_a_shortened_id(place: Place) -> None:
    terminal = Terminal(place, "chat", "--session", beginning(place))
    terminal.wait_for("Continues 'the first'")
    terminal.press(f"/sessions {COMMON}{ENTER}")
    terminal.wait_for("Several sessions begin with")
    terminal.press(f"/sessions {ids(place)[1]}{ENTER}")
    terminal.wait_for("Continues 'the second'")
    terminal.press(f"/sessions {beginning(place)}{ENTER}")
    terminal.wait_for("Continues 'the first'")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
