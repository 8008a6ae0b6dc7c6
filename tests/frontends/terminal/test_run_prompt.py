"""Where the prompt of `placet run` comes from, and what goes with it."""

import json
import os

import pytest

from run_support import Place


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    place.script([{"text": "Yes."}])
    return place


def parts(place: Place, *arguments: str, stdin: str | None = None) -> list[dict]:
    """Of the user's message as the session has it."""
    result = place.run("run", "--json", *arguments, stdin=stdin)
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    said = [one["update"] for one in events if one.get("update", {}).get("kind") == "user_message"]
    return said[-1]["message"]["parts"]


def texts(parts: list[dict]) -> list[str]:
    return [part["text"] for part in parts if part["type"] == "text"]


@pytest.mark.parametrize("arguments", [(), ("-",), ("--file", "-")])
def test_stdin_is_the_prompt_where_there_is_no_other(place, arguments):
    assert texts(parts(place, *arguments, stdin="what is it?\n"))[0].strip() == "what is it?"


def test_stdin_beside_a_prompt_is_context_that_points_at_nothing(place):
    found = texts(parts(place, "look", "at", "this", stdin="see @a.txt\n"))

    assert found == ["look at this", "<stdin>\nsee @a.txt\n</stdin>"]


def test_a_file_is_the_prompt_and_may_point_at_others(place):
    (place.directory / "prompt.md").write_text("explain @a.txt\n")
    found = texts(parts(place, "--file", "prompt.md"))

    assert found[0].strip() == "explain @a.txt"
    assert "old" in found[1]


def test_a_literal_prompt_points_at_nothing_and_calls_no_command(place):
    commands = place.directory / "CONFIG" / "placet" / "command"
    commands.mkdir(parents=True)
    (commands / "look.md").write_text("Look at @a.txt.\n")

    assert texts(parts(place, "/look"))[1:], "the prompt calls the command"
    for prompt in ("/look", "explain @a.txt", "see @project/", "ask @explore"):
        assert texts(parts(place, "--literal", prompt)) == [prompt]
    found = parts(place, "--literal", "--attach", "project/a.txt", "see @a.txt")
    assert [part["type"] for part in found] == ["text", "file", "text"], "an attached file is the user's own choice"


def test_an_attached_file_is_shown(place):
    found = parts(place, "--attach", "project/a.txt", "look")

    assert [part["type"] for part in found] == ["text", "file", "text"]
    assert "old" in found[2]["text"]


def test_an_empty_prompt_is_refused(place):
    assert "empty" in place.ended(stdin="  \n")["result"]["error"]["message"]


def test_a_pipe_that_is_never_written_to_is_left_alone(place):
    read, write = os.pipe()
    process = place.start("run", "look", stdin=read)
    out, said = process.communicate()
    os.close(read)
    os.close(write)

    assert (process.returncode, out.strip()) == (0, "Yes.")
    assert "stdin was silent" in said


def test_a_fork_goes_on_with_a_copy_and_leaves_the_session(place):
    first = place.ended("one")
    forked = place.ended("--session", first["sessionId"], "--fork", "two")
    again = place.ended("--continue", "--fork", "three")

    assert len({first["sessionId"], forked["sessionId"], again["sessionId"]}) == 3
    shown = json.loads(place.run("sessions", "list", "--json").stdout)
    assert len(shown if isinstance(shown, list) else shown["sessions"]) == 3
