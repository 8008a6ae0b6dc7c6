"""What `placet run` prints: the answer alone, data, or events."""

import json
import os
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from fork_support.completed import run_forked
from placet.frontends.terminal.run.run_events import run_schema
from run_support import Place, Terminal

PUBLISHED = Path(__file__).parents[3] / "docs" / "run-events.schema.json"
SCHEMA = {"type": "object", "required": ["lines"], "properties": {"lines": {"type": "integer"}}}
PAID = {"usage": {"input": 10, "output": 5}, "cost": 0.01}


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    return place


def test_quiet_prints_the_last_answer_alone(place):
    place.script([{"text": "I look."}, {"call": "read", "arguments": {"filePath": "a.txt"}}], [{"text": "It is old."}])
    result = place.run("run", "--quiet", "what is it?")

    assert (result.returncode, result.stdout, result.stderr) == (0, "It is old.\n", "")


def test_an_answer_that_does_not_fit_is_sent_back_and_the_data_alone_is_on_stdout(place):
    place.script([{"text": "Three."}], [{"text": '{"lines": "3"}'}], [{"text": '{"lines": 3}'}])
    result = place.run("run", "--output-schema", "schema.json", "how many lines?")

    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {"lines": 3}
    assert "Three." in result.stderr


def test_after_three_answers_that_do_not_fit_it_is_exit_code_1_and_stdout_is_empty(place):
    place.script(*[[{"text": "Three."}]] * 4)
    result = place.run("run", "--output-schema", "schema.json", "how many lines?")

    assert (result.returncode, result.stdout) == (1, "")
    assert "None of 3 answers satisfied the schema" in result.stderr


def test_all_answers_together_cost_no_more_than_the_cap(place):
    place.script([{"text": "Three."}, PAID], [{"text": "Three!"}, PAID], [{"text": '{"lines": 3}'}])
    ended = place.ended("--max-cost", "0.015", "--output-schema", "schema.json", "how many lines?")

    assert (ended["exitCode"], ended["result"]["error"]["code"]) == (5, "cost_cap")
    assert ended["result"]["cost"] == pytest.approx(0.02)


def test_every_line_is_as_the_published_schema_says(place):
    validator = Draft202012Validator(json.loads(PUBLISHED.read_text("utf-8")))
    place.script(
        [{"thought": "Hm."}, {"call": "read", "arguments": {"filePath": "a.txt"}}, PAID],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}],
        [{"text": '{"lines": 3}'}],
    )
    result = place.run("run", "--json", "--allow", "edit", "--output-schema", "schema.json", "how many lines?")

    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) > 8
    assert [error.message for line in lines for error in validator.iter_errors(line)] == []
    assert lines[-1]["output"] == {"lines": 3}
    assert [line.get("kind") for line in lines].count("run_ended") == 1


def test_the_published_schema_is_up_to_date_and_is_what_is_printed(place):
    assert json.loads(PUBLISHED.read_text("utf-8")) == run_schema(), "make docs"
    printed = run_forked("schema", "run")
    assert printed.stdout == PUBLISHED.read_text("utf-8")


def test_no_color_has_no_colours_at_a_terminal(place):
    place.environment["NO_COLOR"] = "1"
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    terminal.type("y")

    assert terminal.end() == 0
    assert "\x1b[3" not in terminal.shown.replace("\x1b[3m", "")


def test_with_own_language_servers_the_lsp_tool_answers_and_edits_are_judged(place):
    (place.directory / "CONFIG" / "placet").mkdir(parents=True)
    servers = {"basedpyright": {"enabled": False}, "ruff": {"enabled": False}}
    settings = {"languages": {"own": True, "servers": servers}, "permission": {"edit": "allow", "lsp": "allow"}}
    (place.directory / "CONFIG" / "placet" / "placet.json").write_text(json.dumps(settings))
    place.environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), place.environment["PATH"]))
    (place.project / "shapes.py").write_text(
        "def area(side: int) -> int:\n    return side * side\n\n\nprint(area(2))\n"
    )
    edit = {"filePath": "shapes.py", "oldString": "area(2)", "newString": 'area("2")'}
    lsp = {"operation": "hover", "filePath": "shapes.py", "line": 5, "character": 8}
    place.script(
        [{"call": "read", "arguments": {"filePath": "shapes.py"}}],
        [{"call": "lsp", "arguments": lsp}],
        [{"call": "edit", "arguments": edit}],
        [{"text": "Done."}],
    )
    result = place.run("run", "--json", "make it fail")

    updates = [json.loads(line).get("update", {}) for line in result.stdout.splitlines()]
    done = [one["part"] for one in updates if one.get("kind") == "tool_call_update"]
    said = {part["tool"]: part["state"] for part in done if part["state"]["status"] == "completed"}
    assert "(side: int) -> int" in said["lsp"]["output"]
    deltas = [one for one in updates if one.get("kind") == "diagnostics_delta"]
    assert [one["message"].splitlines()[0] for delta in deltas for one in delta["added"]], deltas
    assert "Diagnostics (pyright; fresh" in said["edit"]["output"]
