"""`placet back` lists the prompts, shows the effect of going back, and goes back and forward."""

import json
import os
from pathlib import Path

import pytest

from run_support import Place, Terminal

OLD = "one\nold\nthree\n"
NEW = OLD.replace("old", "new")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.file.write_text(OLD)
    place.environment["PLACET_MODEL"] = place.script([{"text": "Hello."}])
    assert place.run("run", "first prompt").returncode == 0
    place.environment["PLACET_MODEL"] = place.script(
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}],
        [{"text": "All done."}],
    )
    run = place.run("run", "--continue", "--allow", "edit", "second prompt")
    assert run.returncode == 0, run.stderr
    assert place.file.read_text() == NEW
    return place


def test_the_prompts_are_listed_with_their_numbers(place: Place) -> None:
    listed = place.run("back").stdout
    assert [line.split(maxsplit=1) for line in listed.splitlines()[1:]] == [
        ["1", "first prompt"],
        ["2", "second prompt"],
    ]
    assert [prompt["text"] for prompt in json.loads(place.run("back", "--json").stdout)] == [
        "first prompt",
        "second prompt",
    ]


def test_a_preview_changes_nothing_and_an_act_is_redone(place: Place) -> None:
    preview = place.run("back", "2", "--preview")
    assert "restored   a.txt  +1 -1" in preview.stdout
    assert "hides 1 prompt with the answers" in preview.stdout
    assert json.loads(place.run("back", "2", "--json").stdout)["prompts"] == 1
    unconfirmed = place.run("back", "2")
    assert "confirm with --yes" in unconfirmed.stderr
    assert place.file.read_text() == NEW

    went = place.run("back", "2", "--yes")
    assert went.returncode == 0, went.stderr
    assert went.stdout.splitlines()[-1] == "second prompt"
    assert place.file.read_text() == OLD
    listed = place.run("back").stdout
    assert "second prompt" not in listed
    assert "placet back --redo" in listed
    assert "restored   a.txt" in place.run("back", "--redo").stdout
    assert place.file.read_text() == NEW
    assert "second prompt" in place.run("back").stdout


def test_the_list_tells_that_the_files_alone_went_back(place: Place) -> None:
    assert place.run("back", "2", "--files", "--yes").returncode == 0
    listed = place.run("back").stdout
    assert "second prompt" in listed
    assert "The files went back and the talk stayed; `placet back --redo`" in listed
    assert place.run("back", "--redo").returncode == 0
    assert "--redo" not in place.run("back").stdout


def test_a_conflict_is_named_and_the_exit_code_tells_of_it(place: Place) -> None:
    place.file.write_text(NEW.replace("new", "mine"))
    stays = "conflict   a.txt  The same lines were edited since, so the file stays as it is."
    assert stays in place.run("back", "2", "--files", "--preview").stdout
    went = place.run("back", "2", "--files", "--yes")
    assert went.returncode == 1
    assert stays in went.stdout
    assert place.file.read_text() == NEW.replace("new", "mine")


def test_an_unknown_prompt_is_an_error(place: Place) -> None:
    refused = place.run("back", "7", "--yes")
    assert refused.returncode == 1
    assert "no prompt `7`" in refused.stderr


def test_a_command_of_an_agent_cannot_go_back(place: Place) -> None:
    place.environment["PLACET_COMMAND"] = "x"
    assert place.run("back", "2", "--yes").returncode == 2
    assert place.file.read_text() == NEW


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_at_a_terminal_the_effect_is_shown_and_confirmed(place: Place) -> None:
    terminal = Terminal(place, "back", "2")
    terminal.wait_for("Go back? [y/n]")
    assert "restored   a.txt" in terminal.shown
    terminal.type("y")
    terminal.wait_for("to be edited and sent again")
    assert terminal.end() == 0
    assert place.file.read_text() == OLD
