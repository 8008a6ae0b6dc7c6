"""`placet eval`: benchmarks by their public formats, scored, and compared run by run."""

import json
from pathlib import Path

import pytest

from fleet_support import Fleet
from placet.fleet.benchmarks import OWN


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


def evaluate(fleet: Fleet, benchmark: str, *arguments: str) -> str:
    done = fleet.placet("eval", "run", benchmark, "-o", str(fleet.output), "--workers", "2", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_placets_own_tasks_are_solved_by_their_scripts_without_a_key(fleet: Fleet) -> None:
    count = len(list(OWN.glob("*.json")))
    assert f"{count} of {count} tasks, {count} solved, cost $0.00" in evaluate(fleet, "own")
    assert all(result.cost > 0 for result in fleet.results())


def test_an_own_task_fails_where_the_agent_does_nothing(fleet: Fleet) -> None:
    nothing = fleet.script("nothing", [{"text": "I did nothing."}])
    assert "check failed 6" in evaluate(fleet, "own", "--model", nothing)


def test_two_runs_are_compared_task_by_task_with_the_cost_of_each(fleet: Fleet) -> None:
    only = ("--only", "new-module", "--only", "fix-off-by-one")
    evaluate(fleet, "own", *only)
    first, fleet.output = fleet.output, fleet.directory / "second"
    evaluate(fleet, "own", *only, "--model", fleet.script("nothing", [{"text": "I did nothing."}]))
    compared = fleet.placet("eval", "compare", str(first), str(fleet.output))
    assert compared.returncode == 0, compared.stderr
    (row,) = [line.split() for line in compared.stdout.splitlines() if line.startswith("new-module")]
    assert row == ["new-module", "solved", "$0.0010", "check", "failed", "-", "lost"]
    assert "first: 2 of 2 tasks, 2 solved" in compared.stdout
    back = fleet.placet("eval", "compare", str(fleet.output), str(first), "--json")
    rows = json.loads(back.stdout)
    assert [(row["first"]["solved"], row["second"]["cost"]) for row in rows] == [(False, 0.001), (False, 0.001)]


def exercise(directory: Path) -> None:
    """An exercise in the form of Aider's polyglot benchmark."""
    top = directory / "python" / "exercises" / "practice" / "twice"
    files = {
        ".meta/config.json": json.dumps({"files": {"solution": ["twice.py"], "test": ["twice_test.py"]}}),
        ".meta/example.py": "def twice(n):\n    return 2 * n\n",
        ".docs/instructions.md": "# Instructions\n\nReturn twice the number.\n",
        "twice.py": "def twice(n):\n    pass\n",
        "twice_test.py": "import unittest\nfrom twice import twice\n\n\nclass Twice(unittest.TestCase):\n"
        "    def test_it(self):\n        self.assertEqual(twice(2), 4)\n",
    }
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def test_an_exercise_of_polyglot_hides_tests_and_solution_and_is_judged_by_the_tests(fleet: Fleet) -> None:
    exercise(fleet.directory / "polyglot")
    edit = {"filePath": "twice.py", "oldString": "    pass", "newString": "    return n + n"}
    model = fleet.script(
        "twice",
        [{"call": "list", "arguments": {}}, {"call": "read", "arguments": {"filePath": "twice.py"}}],
        [{"call": "edit", "arguments": edit}],
        [{"text": "Done."}],
    )
    assert "1 of 1 tasks, 1 solved" in evaluate(fleet, f"polyglot:{fleet.directory / 'polyglot'}", "--model", model)
    result = fleet.result("python_twice")
    shown = fleet.placet("sessions", "show", result.session_id or "").stdout
    assert "Return twice the number." in shown
    (start,) = (fleet.directory / "DATA" / "placet-fleet" / "benchmarks").glob("*/twice")
    assert sorted(path.name for path in start.iterdir()) == [".docs", "twice.py"]
    assert "twice_test.py" not in fleet.patch("python_twice")


def test_instances_of_swe_bench_end_in_predictions(fleet: Fleet) -> None:
    instance = {
        "instance_id": "project__project-1",
        "repo": f"file://{fleet.repository}",
        "base_commit": fleet.commit,
        "problem_statement": "The line is old.",
    }
    (fleet.repository / "later.txt").write_text("later\n")
    fleet.committed("second")
    file = fleet.directory / "instances.jsonl"
    file.write_text(json.dumps(instance) + "\n")
    model = fleet.edits("mend", "mended")
    assert "1 of 1 tasks, 1 done" in evaluate(fleet, f"swe-bench:{file}", "--model", model)
    (line,) = (fleet.output / "predictions.jsonl").read_text().splitlines()
    prediction = json.loads(line)
    assert set(prediction) == {"instance_id", "model_name_or_path", "model_patch"}
    assert prediction["instance_id"] == "project__project-1"
    assert "+mended\n" in prediction["model_patch"]
    assert "later.txt" not in prediction["model_patch"]


def test_an_unknown_benchmark_names_the_known(fleet: Fleet) -> None:
    wrong = fleet.placet("eval", "run", "swe", "-o", str(fleet.output))
    assert wrong.returncode == 2
    assert "there are own, polyglot:DIR, swe-bench:FILE.jsonl" in wrong.stderr
