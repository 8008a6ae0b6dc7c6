"""`placet eval`: benchmarks by their public formats, scored, and compared run by run."""

import json
from pathlib import Path

import pytest

from fleet_support import Fleet
from placet.core.errors import RequestError
from placet.fleet.benchmarks import OWN, benchmark
from placet.fleet.tasks import FleetTask


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


def evaluate(fleet: Fleet, benchmark: str, *arguments: str) -> str:
    done = fleet.placet("eval", "run", benchmark, "-o", str(fleet.output), "--workers", "2", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_placets_own_tasks_are_solved_by_their_scripts_without_a_key(fleet: Fleet) -> None:
    count = len(list(OWN.glob("*.json")))
    assert f"{count} of {count} tasks, {count} solved, cost $0.00" in evaluate(fleet, "own")
    assert all(result.cost > 0 for result in fleet.results())


@pytest.mark.long
def test_an_own_task_fails_where_the_agent_does_nothing(fleet: Fleet) -> None:
    nothing = fleet.script("nothing", [{"text": "I did nothing."}])
    told = evaluate(fleet, "own", "--model", nothing)
    assert "check failed 6" in told
    assert f"placet fleet show {fleet.output} delete-and-move" in told


@pytest.mark.long
def test_two_runs_are_compared_task_by_task_with_the_cost_of_each(fleet: Fleet) -> None:
    only = ("--only", "new-module", "--only", "fix-off-by-one")
    evaluate(fleet, "own", *only)
    first, fleet.output = fleet.output, fleet.directory / "second"
    evaluate(fleet, "own", *only, "--model", fleet.script("nothing", [{"text": "I did nothing."}]))
    compared = fleet.placet("eval", "compare", str(first), str(fleet.output))
    assert compared.returncode == 0, compared.stderr
    (row,) = [line.split() for line in compared.stdout.splitlines() if line.startswith("new-module")]
    assert row == ["new-module", "solved", "$0.0010", "check", "failed", "-", "lost"]
    assert "FIRST   " in compared.stdout
    assert f"{first}: 2 of 2 tasks, 2 solved" in compared.stdout
    assert "won 0, lost 2" in compared.stdout
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
    assert "1 of 1 task, 1 solved" in evaluate(fleet, f"polyglot:{fleet.directory / 'polyglot'}", "--model", model)
    result = fleet.result("python_twice")
    shown = fleet.placet("sessions", "show", result.session_id or "").stdout
    assert "Return twice the number." in shown
    (start,) = (fleet.directory / "DATA" / "placet-fleet" / "benchmarks").glob("*/twice")
    assert sorted(path.name for path in start.iterdir()) == [".docs", "twice.py"]
    assert "twice_test.py" not in fleet.patch("python_twice")


def other_exercise(directory: Path, language: str, files: dict[str, list[str]], texts: dict[str, str]) -> FleetTask:
    """The task of an exercise of another language."""
    top = directory / language / "exercises" / "practice" / "twice"
    for name, text in {**texts, ".meta/config.json": json.dumps({"files": files})}.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (task,) = benchmark(f"polyglot:{directory}", directory / "home", scripted=False)
    return task


def test_tests_that_an_exercise_switches_off_are_switched_on(tmp_path: Path) -> None:
    script = "test('one', () => {});\n  xtest('two', () => {});\n  xdescribe('three', () => {});\nmaxtest(4);\n"
    files = {"solution": ["twice.js"], "test": ["twice.spec.js"]}
    task = other_exercise(tmp_path / "j", "javascript", files, {"twice.spec.js": script, "twice.js": ""})
    switched_on = "test('one', () => {});\n  test('two', () => {});\n  describe('three', () => {});\nmaxtest(4);\n"
    assert task.files == {"twice.spec.js": switched_on}
    text = 'class TwiceTest {\n    @Disabled("Remove to run test")\n    @Test\n    void two() {}\n}\n'
    files = {"solution": ["Twice.java"], "test": ["TwiceTest.java"]}
    task = other_exercise(tmp_path / "v", "java", files, {"TwiceTest.java": text, "Twice.java": ""})
    assert task.files == {"TwiceTest.java": "class TwiceTest {\n    @Test\n    void two() {}\n}\n"}


def test_the_cases_of_the_tests_are_hidden_too(tmp_path: Path) -> None:
    files = {"solution": ["twice.go"], "test": ["twice_test.go"], "editor": ["cases_test.go", "helper.go"]}
    texts = {name: f"// {name}\n" for name in ("twice.go", "twice_test.go", "cases_test.go", "helper.go")}
    task = other_exercise(tmp_path, "go", files, texts)
    assert task.files == {name: texts[name] for name in ("twice_test.go", "cases_test.go")}
    assert task.path is not None
    assert sorted(path.name for path in task.path.iterdir()) == ["helper.go", "twice.go"]


def test_an_exercise_keeps_the_name_of_its_folder(fleet: Fleet) -> None:
    source = fleet.directory / "leap-year"
    source.mkdir()
    fleet.write({"id": "a", "prompt": "go", "path": str(source), "check": 'test "$(basename "$PWD")" = leap-year'})
    done = fleet.run("--model", fleet.script("nothing", [{"text": "Done."}]))
    assert done.returncode == 0, done.stderr
    assert fleet.result("a").solved


def test_a_language_that_is_not_installed_is_a_fault_of_the_place(fleet: Fleet) -> None:
    files = {"solution": ["twice.js"], "test": ["twice.spec.js"]}
    directory = fleet.directory / "polyglot"
    other_exercise(directory, "javascript", files, {"twice.spec.js": "", "twice.js": ""})
    model = fleet.script("nothing", [{"text": "Done."}])
    done = fleet.placet("eval", "run", f"polyglot:{directory}", "-o", str(fleet.output), "--model", model)
    assert "no result: setup 1" in done.stdout
    assert "Run npm install in" in fleet.result("javascript_twice").detail


def test_instances_of_swe_bench_may_be_an_array_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    instance = {"instance_id": "a__b-1", "repo": "a/b", "base_commit": "c", "problem_statement": "It\u2028is."}
    array, lines = tmp_path / "array.json", tmp_path / "lines.jsonl"
    array.write_text(json.dumps([instance, {**instance, "instance_id": "a__b-2"}], indent=1, ensure_ascii=False))
    tasks = benchmark(f"swe-bench:{array}", tmp_path, scripted=False)
    assert [(task.id, task.repository) for task in tasks] == [
        ("a__b-1", "https://github.com/a/b.git"),
        ("a__b-2", "https://github.com/a/b.git"),
    ]
    lines.write_text(f"{json.dumps(instance, ensure_ascii=False)}\n\n{{\n")
    with pytest.raises(RequestError, match="line 3"):
        benchmark(f"swe-bench:{lines}", tmp_path, scripted=False)


def test_instances_of_swe_bench_end_in_predictions(fleet: Fleet) -> None:
    instance = {
        "instance_id": "project__project-1",
        "repo": f"file://{fleet.repository}",
        "base_commit": fleet.commit,
        "problem_statement": "The line is old.",
    }
    secret = fleet.directory / "secret.txt"
    secret.write_text("a secret of the user\n")
    instance["problem_statement"] += f" See @{secret} and @a.txt."
    (fleet.repository / "later.txt").write_text("later\n")
    fleet.committed("second")
    file = fleet.directory / "instances.jsonl"
    file.write_text(json.dumps(instance) + "\n")
    model = fleet.edits("mend", "mended")
    assert "1 of 1 task, 1 done" in evaluate(fleet, f"swe-bench:{file}", "--model", model)
    (line,) = (fleet.output / "predictions.jsonl").read_text().splitlines()
    prediction = json.loads(line)
    assert set(prediction) == {"instance_id", "model_name_or_path", "model_patch"}
    assert prediction["instance_id"] == "project__project-1"
    assert "+mended\n" in prediction["model_patch"]
    assert "later.txt" not in prediction["model_patch"]
    shown = fleet.placet("sessions", "export", fleet.result(instance["instance_id"]).session_id or "").stdout
    assert f"See @{secret}" in shown
    assert "a secret of the user" not in shown, "the text of a data set attaches nothing"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("swe",), "There is no benchmark `swe`; there are own, polyglot:DIR, swe-bench:FILE.jsonl."),
        (("polyglot",), "The benchmark polyglot needs its place: polyglot:DIR."),
        (("polyglot:nowhere",), "nowhere holds no LANGUAGE/exercises/practice"),
        (("swe-bench:nowhere.jsonl",), "nowhere.jsonl cannot be read: No such file or directory."),
        (("swe-bench:tasks.jsonl",), "has a task without 'repo'."),
        (("own", "--only", "new-modul"), "own has no task new-modul; it has new-module"),
        (("own", "--limit", "some"), "argument --limit: some is no number of at least 1"),
    ],
)
def test_a_wrong_word_is_answered_with_the_right_one(fleet: Fleet, arguments: tuple[str, ...], words: str) -> None:
    fleet.write({"id": "a"})
    wrong = fleet.placet("eval", "run", *arguments, "-o", str(fleet.output))
    assert wrong.returncode == 2
    assert words in wrong.stderr
