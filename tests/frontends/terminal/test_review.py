"""`placet review` shows the proposed and unreviewed changes of a session, and carries out the user's decisions."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from fork_support.started import StartedProcess
from run_support import Place, Terminal, editor_that

OLD = "one\nold\nthree\n" + "".join(f"{number}\n" for number in range(9)) + "last\n"

NEW = OLD.replace("old", "new").replace("last", "end")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.file.write_text(OLD)
    (place.project / "b.txt").write_text("b\n")
    place.environment["PLACET_MODEL"] = place.script(
        [{"call": "read", "arguments": {"filePath": "a.txt"}}, {"call": "read", "arguments": {"filePath": "b.txt"}}],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "last", "newString": "end"}}],
        [{"call": "edit", "arguments": {"filePath": "b.txt", "oldString": "b", "newString": "B"}}],
        [{"text": "All done."}],
    )
    run = place.run("run", "--review", "stage", "go")
    assert run.returncode == 0, run.stderr
    assert "`placet review --session ses_" in run.stderr
    assert place.file.read_text() == OLD
    return place


@pytest.fixture
def applied(place: Place) -> Place:
    """Place in which two hunks of a file are written and unreviewed."""
    assert place.run("review", "--reject").returncode == 0
    place.environment["PLACET_MODEL"] = place.script(
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}],
        [{"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "last", "newString": "end"}}],
        [{"text": "All done."}],
    )
    run = place.run("run", "--review", "apply", "go")
    assert run.returncode == 0, run.stderr
    assert "changes wait for your review: `placet review --session ses_" in run.stderr
    assert place.file.read_text() == NEW
    return place


def test_unreviewed_changes_are_listed_and_undone(applied: Place) -> None:
    assert "Unreviewed  modify  a.txt  +2 -2" in applied.run("review").stdout
    (data,) = json.loads(applied.run("review", "--json").stdout)
    assert data["state"] == "unreviewed"
    undone = applied.run("review", "--reject")
    assert (undone.returncode, undone.stdout.split()) == (0, ["undone", "a.txt"]), undone.stderr
    assert applied.file.read_text() == OLD
    assert "no change waits for a review here" in applied.run("review").stderr


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_at_a_terminal_unreviewed_hunks_are_kept_and_undone(applied: Place) -> None:
    terminal = Terminal(applied, "review")
    terminal.wait_for("1/1 Keep? [y/n/h/s/q/?]")
    terminal.type("?")
    terminal.wait_for("undo the change")
    terminal.type("h")
    terminal.wait_for("hunk 1/2: Keep? [y/n/a/d/q/e/j/?]")
    terminal.type("n")
    terminal.wait_for("hunk 2/2: Keep? [y/n/a/d/q/e/?]")
    terminal.type("y")
    terminal.wait_for("undone")
    assert terminal.end() == 0
    assert applied.file.read_text() == OLD.replace("last", "end")
    assert applied.run("review", "--json").stdout.strip() == "[]"


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_at_a_terminal_an_unreviewed_file_that_is_no_text_by_now_can_only_be_kept(applied: Place) -> None:
    applied.file.write_bytes(b"\0\xff")
    terminal = Terminal(applied, "review")
    terminal.wait_for("1/1 Keep? [y/s/q/?]")
    terminal.type("y")
    terminal.wait_for("kept")
    assert terminal.end() == 0
    assert applied.run("review", "--json").stdout.strip() == "[]"
    assert applied.file.read_bytes() == b"\0\xff"


def test_the_list_and_the_data_name_each_staged_change(place: Place) -> None:
    listed = place.run("review")
    assert listed.returncode == 0, listed.stderr
    assert "modify  a.txt  +2 -2" in listed.stdout
    assert "modify  b.txt  +1 -1" in listed.stdout
    data = json.loads(place.run("review", "--json").stdout)
    assert [(Path(file["path"]).name, file["additions"]) for file in data] == [("a.txt", 2), ("b.txt", 1)]
    assert "+new" in data[0]["diff"]
    assert place.file.read_text() == OLD


def test_the_diffs_of_all_changes_are_printed(place: Place) -> None:
    printed = place.run("review", "--diff")
    assert printed.returncode == 0, printed.stderr
    assert [line for line in printed.stdout.split("\n") if line.startswith(("+", "-"))] == [
        *("-old", "+new", "-last", "+end"),
        *("-b", "+B"),
    ]
    assert place.file.read_text() == OLD


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_at_a_terminal_the_diffs_go_through_the_pager(place: Place) -> None:
    place.environment["PAGER"] = "sed 's/^.*+end/paged: &/'"
    terminal = Terminal(place, "review", "--diff")
    terminal.wait_for("paged: ")
    assert terminal.end() == 0


def test_changes_are_accepted_and_rejected_by_name(place: Place) -> None:
    rejected = place.run("review", "--reject", "b.txt")
    assert (rejected.returncode, rejected.stdout.split()) == (0, ["rejected", "b.txt"]), rejected.stderr
    accepted = place.run("review", "--accept")
    assert (accepted.returncode, accepted.stdout.split()) == (0, ["written", "a.txt"]), accepted.stderr
    assert place.file.read_text() == OLD.replace("old", "new").replace("last", "end")
    assert (place.project / "b.txt").read_text() == "b\n"
    assert "no change waits for a review here" in place.run("review").stderr
    assert "restored" in place.run("undo").stdout
    assert place.file.read_text() == OLD


def test_a_file_without_a_staged_change_is_named(place: Place) -> None:
    refused = place.run("review", "--accept", "c.txt")
    assert refused.returncode == 1
    assert "No change of c.txt waits for a review" in refused.stderr


def test_a_command_of_an_agent_cannot_decide(place: Place) -> None:
    place.environment["PLACET_COMMAND"] = "x"
    refused = place.run("review", "--accept")
    assert refused.returncode == 2
    assert place.file.read_text() == OLD


@pytest.fixture
def at_work(place: Place, at_work_process: StartedProcess) -> Place:
    """Place in which a run with the staged changes is at work."""
    assert at_work_process.returncode is None
    return place


@pytest.fixture
def at_work_process(place: Place) -> Iterator[StartedProcess]:
    """Run with the staged changes, at work until the test ends."""
    place.environment["PLACET_MODEL"] = place.script(
        [{"call": "write", "arguments": {"filePath": "c.txt", "content": "c\n"}}],
        [{"wait_for_file": str(place.directory / "go")}, {"text": "The run went on."}],
    )
    process = place.start("run", "--json", "--continue", "--review", "stage", "go")
    assert process.stdout is not None
    while '"change_set_update"' not in (line := process.stdout.readline()):
        assert line, process.stderr and process.stderr.read()
    yield process
    (place.directory / "go").touch()
    rest, errors = process.communicate()
    assert "The run went on." in rest, errors


def test_the_changes_of_a_run_at_work_are_listed_accepted_and_rejected(at_work: Place) -> None:
    listed = at_work.run("review", "--list")
    assert listed.returncode == 0, listed.stderr
    assert "create  c.txt  +1 -0" in listed.stdout
    data = json.loads(at_work.run("review", "--json").stdout)
    assert [Path(file["path"]).name for file in data] == ["a.txt", "b.txt", "c.txt"]
    rejected = at_work.run("review", "--reject", "b.txt")
    assert (rejected.returncode, rejected.stdout.split()) == (0, ["rejected", "b.txt"]), rejected.stderr
    accepted = at_work.run("review", "--accept", "a.txt", "c.txt")
    assert (accepted.returncode, accepted.stdout.split()) == (0, ["written", "a.txt", "written", "c.txt"])
    assert at_work.file.read_text() == NEW
    assert (at_work.project / "c.txt").read_text() == "c\n"
    assert at_work.run("review", "--json").stdout.strip() == "[]"


@pytest.fixture
def heeds_interruption() -> Iterator[None]:
    """Commands started meanwhile heed Ctrl-C, also where the tests run in the background of a shell and ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="needs SIGSTOP")
@pytest.mark.usefixtures("heeds_interruption")
def test_a_decision_that_a_stopped_run_does_not_take_says_so_and_is_taken_back_by_a_cancellation(
    place: Place, at_work_process: StartedProcess
) -> None:
    at_work_process.send_signal(signal.SIGSTOP)
    try:
        review = place.start("review", "--accept", "a.txt")
        assert review.stderr is not None
        waits = review.stderr.readline()
        assert f"in use by another Placet (process {at_work_process.pid})" in waits
        assert "has not taken your decision yet" in waits
        assert waits.endswith("A cancellation (Ctrl-C) takes the decision back.\n")
        review.send_signal(signal.SIGINT)
        _, rest = review.communicate()
        assert (review.returncode, rest) == (130, "placet: The decision was taken back. Nothing was decided.\n")
    finally:
        at_work_process.send_signal(signal.SIGCONT)
    assert place.run("review", "--reject", "a.txt").stdout.split() == ["rejected", "a.txt"]
    assert place.file.read_text() == OLD


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_at_a_terminal_the_hunks_of_a_run_at_work_are_decided(at_work: Place) -> None:
    terminal = Terminal(at_work, "review", "b.txt")
    terminal.wait_for("1/1 Accept? [y/n/s/q/?]")
    assert "+B" in terminal.shown
    terminal.type("y")
    terminal.wait_for("written    b.txt")
    assert terminal.end() == 0
    assert (at_work.project / "b.txt").read_text() == "B\n"


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
def test_at_a_terminal_each_change_is_shown_and_decided_hunk_by_hunk(place: Place) -> None:
    terminal = Terminal(place, "review")
    terminal.wait_for("1/2 Accept? [y/n/h/s/q/?]")
    assert "+new" in terminal.shown
    terminal.type("?")
    terminal.wait_for("decide hunk by hunk")
    terminal.type("h")
    terminal.wait_for("hunk 1/2: Accept? [y/n/a/d/q/e/j/?]")
    terminal.type("y")
    terminal.wait_for("hunk 2/2: Accept? [y/n/a/d/q/e/?]")
    terminal.type("q")
    terminal.wait_for("written")
    terminal.wait_for("2/2 Accept? [y/n/s/q/?]")
    terminal.type("q")
    assert terminal.end() == 0
    assert "The rest stays undecided." in terminal.shown
    assert place.file.read_text() == OLD.replace("old", "new")
    assert "modify  a.txt  +1 -1" in place.run("review", "--list").stdout


def test_the_acceptance_of_all_leaves_a_hunk_in_conflict_and_says_so(place: Place) -> None:
    place.file.write_text(OLD.replace("old", "mine"))
    assert "modify  a.txt  +2 -2  1 hunk in conflict" in place.run("review").stdout
    accepted = place.run("review", "--accept")
    assert accepted.returncode == 1
    assert "written    a.txt  1 hunk in conflict still waits for your decision." in accepted.stdout
    assert place.file.read_text() == OLD.replace("old", "mine").replace("last", "end")
    (data,) = json.loads(place.run("review", "--json").stdout)
    assert "same lines" in data["conflict"]
    place.file.write_text(NEW.replace("new", "old"))
    assert place.run("review", "--accept").returncode == 0
    assert place.file.read_text() == NEW


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
@pytest.mark.parametrize(("keys", "now"), [("yn", "new"), ("nn", "mine"), ("en", "both")], ids=["take", "keep", "edit"])
def test_at_a_terminal_a_hunk_in_conflict_is_taken_kept_or_edited(place: Place, keys: str, now: str) -> None:
    place.file.write_text(OLD.replace("old", "mine"))
    place.environment["EDITOR"] = editor_that(place, "text = 'both\\n'")
    terminal = Terminal(place, "review")
    terminal.wait_for("In conflict, as you have changed these lines too:")
    terminal.wait_for("<<<<<<< the file now")
    terminal.wait_for("1/2 Accept? [y/e/n/h/s/q/?]")
    terminal.type("h")
    terminal.wait_for("which `y` replaces and `n` keeps")
    terminal.type(keys[0])
    terminal.wait_for("hunk 2/2")
    terminal.type(keys[1])
    terminal.wait_for("2/2 Accept?")
    terminal.type("q")
    terminal.wait_for("The rest stays undecided.")
    assert terminal.end() == 0
    assert place.file.read_text() == OLD.replace("old", now)


def test_where_nobody_can_be_asked_a_command_runs_without_the_staged_files_and_the_run_goes_on(place: Place) -> None:
    place.environment["PLACET_MODEL"] = place.script(
        [{"call": "bash", "arguments": {"command": "wc -l a.txt > count; cat a.txt > copy"}}],
        [{"text": "The run went on."}],
    )
    run = place.run("run", "--continue", "--review", "stage", "--allow", "bash:*", "go")
    assert (run.returncode, "The run went on." in run.stdout) == (0, True), run.stderr
    assert (place.project / "copy").read_text() == OLD
