"""`placet fleet` on this machine: one result for each task, whatever is killed on the way."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from fleet_support import Fleet
from process_support import has_ended
from run_support import Place, Terminal
from time_support import wait_seconds

TASKS = int(os.environ.get("PLACET_FLEET_TASKS", "8"))
"""Number of tasks of the test with kills; the acceptance was with 200."""


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


def until(holds: Callable[[], object]) -> None:
    """Wait for a state outside of this process, which nothing tells of."""
    deadline = time.monotonic() + wait_seconds()
    while not (now := holds()):
        assert time.monotonic() < deadline, f"waited in vain; the last state was {now}"
        time.sleep(0.02)


def turns_of(process: int) -> list[psutil.Process]:
    """The processes `placet run` of a fleet."""
    found = []
    for child in psutil.Process(process).children(recursive=True):
        try:
            if "run" in child.cmdline() and "--json" in child.cmdline():
                found.append(child)
        except psutil.Error:
            continue
    return found


def test_each_task_has_a_result_and_a_patch_and_the_repository_stays_as_it_is(fleet: Fleet) -> None:
    fleet.write(fleet.task("one"), fleet.task("two", check="grep -q two a.txt"), fleet.task("no", check="exit 3"))
    done = fleet.run("--workers", "2")
    assert done.returncode == 0, done.stderr
    assert "3 of 3 tasks, 2 solved, cost $0.03" in done.stdout
    assert "check failed 1" in done.stdout
    assert {result.id: (result.status, result.solved) for result in fleet.results()} == {
        "one": ("done", None),
        "two": ("done", True),
        "no": ("done", False),
    }
    one = fleet.result("one")
    assert (one.base, one.additions, one.deletions, one.cost, one.attempts) == (fleet.commit, 1, 1, 0.01, 1)
    assert one.session_id
    assert "-old\n+one\n" in fleet.patch("one")
    assert fleet.git("status", "--porcelain") == ""
    assert fleet.git("branch", "--list") == "* main"
    left = (fleet.directory / "DATA").glob("placet-fleet/tasks/*")
    assert not [path for path in left if path.is_dir() or os.name != "nt"], "Windows keeps the lock files"


@pytest.mark.long
def test_a_second_run_does_the_tasks_without_a_result_alone(fleet: Fleet) -> None:
    fleet.write(fleet.task("one"))
    fleet.run()
    before = fleet.result("one")
    fleet.write(fleet.task("one"), fleet.task("two"))
    lines = [json.loads(line) for line in fleet.run("--json").stdout.splitlines()]
    assert [line["id"] for line in lines] == ["two"]
    assert fleet.result("one") == before


def test_another_task_with_a_known_id_is_refused(fleet: Fleet) -> None:
    fleet.write(fleet.task("one"))
    fleet.run()
    fleet.write(fleet.task("one", check="true"))
    refused = fleet.run()
    assert refused.returncode == 2
    assert "another task one" in refused.stderr


@pytest.mark.long
def test_the_limit_of_steps_and_of_cost_ends_a_task_and_is_not_tried_again(fleet: Fleet) -> None:
    costly = fleet.edits("costly", "x", cost=5.0)
    tasks = [fleet.task("steps", limits={"steps": 1}), fleet.task("cost", model=costly, limits={"cost": 1.0})]
    fleet.write(*tasks)
    assert fleet.run().returncode == 0
    ended = {result.id: (result.status, result.reason, result.attempts) for result in fleet.results()}
    assert ended == {"steps": ("limit", "steps", 1), "cost": ("limit", "cost", 1)}


@pytest.mark.long
def test_the_limit_of_time_ends_a_task(fleet: Fleet) -> None:
    model = fleet.edits("slow", "x", {"wait_for_file": str(fleet.directory / "never")})
    fleet.write(fleet.task("slow", model=model, limits={"seconds": 3}))
    assert fleet.run().returncode == 0
    assert (fleet.result("slow").status, fleet.result("slow").reason) == ("limit", "time")


@pytest.mark.long
def test_a_fault_of_the_place_is_tried_again_and_a_fault_of_the_agent_is_not(fleet: Fleet) -> None:
    lost = fleet.script("lost", [{"text": "I begin."}, {"error": "connection", "message": "The server is gone."}])
    wrong = fleet.script("wrong", [{"error": "authentication", "message": "The key is wrong."}])
    setup = fleet.task("setup", setup="echo no such package; exit 1")
    fleet.write(fleet.task("lost", model=lost), fleet.task("wrong", model=wrong), setup)
    done = fleet.run("--retries", "1")
    assert done.returncode == 1
    ended = {result.id: (result.status, result.reason, result.attempts) for result in fleet.results()}
    assert ended["wrong"] == ("error", "authentication", 1)
    assert ended["setup"] == ("place", "setup", 2)
    assert ended["lost"][0] == "place"
    assert ended["lost"][2] == 2
    assert fleet.result("setup").detail == "no such package"


@pytest.mark.long
def test_retry_runs_the_failures_of_the_place_again(fleet: Fleet) -> None:
    fleet.write(fleet.task("one"), fleet.task("late", setup="test -e flag"))
    assert fleet.run("--retries", "0").returncode == 1
    first = fleet.result("one")
    (fleet.repository / "flag").touch()
    fleet.committed("The setup works from here on.")
    again = fleet.placet("fleet", "retry", str(fleet.output))
    assert again.returncode == 0, again.stderr
    assert fleet.result("late").status == "done"
    assert fleet.result("one") == first


@pytest.mark.long
def test_hidden_files_come_after_the_turn_and_are_no_part_of_the_patch(fleet: Fleet) -> None:
    hidden = {"tests/check.sh": "grep -q one a.txt\n"}
    fleet.write(fleet.task("one", files=hidden, check="sh tests/check.sh"))
    fleet.run()
    assert fleet.result("one").solved is True
    assert "check.sh" not in fleet.patch("one")


def test_a_check_writes_nowhere_but_in_the_clone(fleet: Fleet) -> None:
    outside = fleet.directory / "outside.txt"
    fleet.write(fleet.task("one", check=f"echo x > {outside}"))
    fleet.run()
    assert fleet.result("one").status == "done"
    assert not outside.exists()


@pytest.mark.long
def test_a_task_begins_with_its_commit_and_a_repository_is_fetched_once(fleet: Fleet) -> None:
    old = fleet.commit
    (fleet.repository / "b.txt").write_text("b\n")
    fleet.committed("second")
    address = f"file://{fleet.repository}"
    task = fleet.task("one", commit=old, check="! test -e b.txt", repository=address)
    del task["path"]
    fleet.write(task, fleet.task("two", check="test -e b.txt"))
    assert fleet.run().returncode == 0
    assert [result.solved for result in fleet.results()] == [True, True]
    assert fleet.result("one").base == old


@pytest.mark.long
def test_killed_worker_and_killed_driver_leave_one_result_for_each_task(fleet: Fleet) -> None:
    go = fleet.directory / "go"
    tasks = [fleet.task(f"t{number}") for number in range(TASKS)]
    for number in (0, 1):
        waits = fleet.edits(f"w{number}", f"w{number}", {"wait_for_file": str(go)})
        tasks.insert(number, fleet.task(f"w{number}", model=waits))
    fleet.write(*tasks)
    driver = fleet.start("--workers", "2")
    until(lambda: len(turns_of(driver.pid)) == 2)
    victim, *_ = turns_of(driver.pid)
    os.kill(victim.pid, signal.SIGKILL)
    until(lambda: [turn for turn in turns_of(driver.pid) if turn != victim] and len(turns_of(driver.pid)) == 2)
    turns = turns_of(driver.pid)
    driver.kill()
    driver.communicate()
    until(lambda: all(has_ended(turn.pid) for turn in turns))
    go.touch()
    again = fleet.run("--workers", "2")
    assert again.returncode == 0, again.stderr
    results = fleet.results()
    assert sorted(result.id for result in results) == sorted(task["id"] for task in tasks)
    assert {result.status for result in results} == {"done"}
    for task in tasks:
        assert f"+{task['id']}\n" in fleet.patch(task["id"])


def test_a_killed_worker_is_replaced_by_another_attempt(fleet: Fleet) -> None:
    go = fleet.directory / "go"
    fleet.write(fleet.task("one", model=fleet.edits("one", "one", {"wait_for_file": str(go)})))
    driver = fleet.start()
    until(lambda: turns_of(driver.pid))
    (victim,) = turns_of(driver.pid)
    os.kill(victim.pid, signal.SIGKILL)
    go.touch()
    driver.communicate()
    assert (fleet.result("one").status, fleet.result("one").attempts) == ("done", 2)


@pytest.mark.long
def test_sigterm_stops_the_tasks_and_a_second_run_goes_on(fleet: Fleet) -> None:
    go = fleet.directory / "go"
    fleet.write(fleet.task("one", model=fleet.edits("one", "one", {"wait_for_file": str(go)})))
    driver = fleet.start()
    until(lambda: turns_of(driver.pid))
    (turn,) = turns_of(driver.pid)
    driver.terminate()
    _, errors = driver.communicate()
    assert driver.returncode == 130
    assert "goes on with the tasks without a result" in errors
    assert has_ended(turn.pid)
    assert not (fleet.output / "results" / "one.json").exists()
    go.touch()
    assert fleet.run().returncode == 0


@pytest.mark.long
def test_show_prints_results_and_one_patch(fleet: Fleet) -> None:
    fleet.write(fleet.task("one", check="true"))
    fleet.run()
    shown = fleet.placet("fleet", "show", str(fleet.output)).stdout
    assert "one" in shown
    assert "$0.0100 per solved task" in shown
    assert "+one" in fleet.placet("fleet", "show", str(fleet.output), "one").stdout
    data = json.loads(fleet.placet("fleet", "show", str(fleet.output), "--json").stdout)
    assert (data["tasks"], data["cost"], data["results"][0]["id"]) == (1, 0.01, "one")


@pytest.mark.long
def test_apply_stages_the_patch_merged_with_later_changes_for_review(fleet: Fleet) -> None:
    fleet.write(fleet.task("one"))
    fleet.run()
    file = fleet.repository / "a.txt"
    file.write_text("zero\none\nold\nthree\n")
    applied = fleet.placet("fleet", "apply", str(fleet.output), "one", "--cwd", str(fleet.repository))
    assert applied.returncode == 0, applied.stderr
    assert file.read_text() == "zero\none\nold\nthree\n"
    *_, session = applied.stdout.split()
    review = ["review", "--session", session, "--accept", "--cwd", str(fleet.repository)]
    accepted = fleet.placet(*review)
    assert accepted.returncode == 0, accepted.stderr
    assert file.read_text() == "zero\none\none\nthree\n"


@pytest.mark.long
def test_a_retry_of_a_status_runs_the_failures_of_this_status_again(fleet: Fleet) -> None:
    wrong = fleet.script("wrong", [{"error": "authentication", "message": "The key is wrong."}])
    fleet.write(fleet.task("one"), fleet.task("two", model=wrong))
    assert "two  error: authentication (The key is wrong.)" in fleet.run().stdout
    first = fleet.result("one")
    fleet.edits("wrong", "two")  # The key is right from here on.
    again = fleet.placet("fleet", "retry", str(fleet.output), "--status", "error")
    assert again.returncode == 0, again.stderr
    assert fleet.result("two").status == "done"
    assert fleet.result("one") == first


def test_an_unknown_repository_is_named_with_the_words_of_git(fleet: Fleet) -> None:
    task = fleet.task("one", repository=f"file://{fleet.directory}/nothing.git")
    del task["path"]
    fleet.write(task)
    done = fleet.run("--retries", "0")
    assert done.returncode == 1
    assert "no result: clone (git fetch failed: " in done.stdout
    assert "nothing.git' does not appear to be a git repository" in done.stdout
    assert f"placet fleet retry {fleet.output}" in done.stdout


@pytest.mark.long
def test_an_output_that_takes_no_patch_keeps_the_tasks_without_a_result(fleet: Fleet) -> None:
    fleet.write(fleet.task("one"), fleet.task("two"))
    fleet.output.mkdir()
    (fleet.output / "patches").touch()
    failed = fleet.run()
    assert failed.returncode == 1
    assert "2 of 2 tasks, 0 done" in failed.stdout
    assert "no result: worker (" in failed.stdout
    (fleet.output / "patches").unlink()
    again = fleet.run()
    assert again.returncode == 0, again.stderr
    assert {result.status for result in fleet.results()} == {"done"}


@pytest.mark.long
def test_a_result_comes_through_a_pipe_while_other_tasks_run(fleet: Fleet) -> None:
    go = fleet.directory / "go"
    waits = fleet.edits("two", "two", {"wait_for_file": str(go)})
    fleet.write(fleet.task("one"), fleet.task("two", model=waits))
    fleet.environment.pop("PYTHONUNBUFFERED", None)
    driver = fleet.start("--workers", "2", "--json")
    assert driver.stdout is not None
    assert json.loads(driver.stdout.readline())["id"] == "one"
    go.touch()
    rest, _ = driver.communicate()
    assert json.loads(rest)["id"] == "two"


@pytest.mark.long
def test_the_progress_at_a_terminal_is_one_line_that_the_terminal_obeys(fleet: Fleet) -> None:
    go = fleet.directory / "go"
    waits = fleet.edits("two", "two", {"wait_for_file": str(go)})
    fleet.write(fleet.task("one"), fleet.task("two", model=waits))
    command = ("fleet", "run", str(fleet.file), "--workers", "2")
    (fleet.directory / "place").mkdir()
    terminal = Terminal(Place(fleet.directory / "place"), *command, knows_cwd=False)
    terminal.wait_for("1/2  one  done")
    terminal.wait_for("1 of 2 tasks, 1 done, cost $0.0100, ")
    go.touch()
    assert terminal.end() == 0
    assert "\x1b[2K" in terminal.shown
    assert "\ufffd" not in terminal.shown
    assert "2 of 2 tasks, 2 done, cost $0.0200" in terminal.shown


def test_a_wrong_line_is_named(fleet: Fleet) -> None:
    fleet.file.write_text(json.dumps(fleet.task("one")) + '\n{"id": "../up", "prompt": "x"}\n')
    wrong = fleet.run()
    assert wrong.returncode == 2
    assert "tasks.jsonl:2: `id`" in wrong.stderr
