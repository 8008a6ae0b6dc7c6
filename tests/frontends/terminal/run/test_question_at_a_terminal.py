"""The user's pager, editor and keyboard at the question of `placet run`, at a terminal of its own."""

import os
from pathlib import Path

import pytest

from run_support import EDIT, Place, Terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_long_diff_goes_through_the_pager_of_the_user(place: Place) -> None:
    place.file.write_text("old\n" * 60)
    place.script(
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"call": "edit", "arguments": {**EDIT, "replaceAll": True}}],
        [{"text": "All done."}],
    )
    place.environment["PAGER"] = "sed 's/^.*-old/paged: &/'"
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow? [y/n/a/e/v/?]")
    assert terminal.shown.count("paged: ") == 60
    terminal.type("v")
    terminal.wait_for("Allow? [y/n/a/e/v/?] v")
    terminal.type("y")
    assert terminal.end() == 0
    assert terminal.shown.count("paged: ") == 120
    assert place.file.read_text() == "new\n" * 60


def test_the_text_as_left_in_the_editor_of_the_user_is_written(place: Place) -> None:
    place.environment["EDITOR"] = "sed -i s/new/mine/"
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    terminal.type("e")
    assert terminal.end() == 0, terminal.shown
    assert place.file.read_text() == "one\nmine\nthree\n"


def test_an_editor_that_fails_asks_again(place: Place) -> None:
    place.environment["EDITOR"] = "false"
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    terminal.type("e")
    terminal.wait_for("the editor ended with 1; nothing was taken over")
    terminal.type("n")
    assert terminal.end() == 4
    assert place.file.read_text() == "one\nold\nthree\n"


def test_what_was_typed_before_the_question_is_no_answer(place: Place) -> None:
    go = place.directory / "go"
    place.script(
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"text": "I begin.\n\n"}, {"wait_for_file": str(go)}, {"call": "edit", "arguments": EDIT}],
        [{"text": "All done."}],
    )
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("I begin.")
    terminal.type("y")
    terminal.wait_for("y\r\n")
    go.touch()
    terminal.wait_for("Allow?")
    terminal.type("n")
    assert terminal.end() == 4, terminal.shown
    assert place.file.read_text() == "one\nold\nthree\n"
