"""Every exit code of `placet run`, in a pipe."""

import json
import os
import shutil
import signal
import sys
from typing import get_args

import pytest

from fork_support.started import StartedProcess
from placet.core.messages import StopReason
from placet.frontends.terminal.exit_codes import STOP_TEXTS
from run_support import EDIT, Place

READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
PAID = {"usage": {"input": 10, "output": 5}, "cost": 0.01}
WAITING = [{"text": "I wait."}, {"wait": "never"}]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def reached(process: StartedProcess, text: str) -> None:
    """Once the process has printed it."""
    assert process.stdout is not None
    while text not in process.stdout.readline():
        assert process.poll() is None


def test_0_done_and_the_last_line_says_what_it_cost(place):
    place.script([READ, PAID], [{"text": "It says old."}, PAID])
    ended = place.ended("what does a.txt say?")

    assert ended["kind"] == "run_ended"
    assert ended["exitCode"] == 0
    assert ended["result"]["stopReason"] == "end_turn"
    assert ended["result"]["cost"] == pytest.approx(0.02)
    assert ended["result"]["tokens"]["input"] == 20
    assert ended["answer"] == "It says old."
    assert ended["sessionId"].startswith("ses_")


def test_1_the_model_failed(place):
    place.script([{"error": "authentication", "message": "The key is wrong."}])
    ended = place.ended("anything")

    assert (ended["exitCode"], ended["result"]["error"]["code"]) == (1, "authentication")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "There is no prompt"),
        (("--fork", "go on"), "--fork copies a session"),
        (("--session", "ses_none", "go on"), "ses_none"),
        (("--agent", "nobody", "go on"), "nobody"),
        (("--attach", "none.txt", "look"), "The file to attach does not exist: none.txt"),
        (("--file", "none.txt"), "none.txt cannot be read"),
        (("--file", "none.txt", "look"), "two prompts"),
        (("--output-schema", "none.json", "look"), "none.json cannot be read"),
    ],
)
def test_2_what_the_command_line_asks_for_cannot_be(place, arguments, said):
    ended = place.ended(*arguments)

    assert (ended["exitCode"], ended["result"]["error"]["code"]) == (2, "usage")
    assert said in ended["result"]["error"]["message"]


def test_2_an_effort_that_is_neither_a_level_nor_a_number_is_refused(place):
    result = place.run("run", "--effort", "huge", "go on")

    assert result.returncode == 2
    assert "none, minimal, low, medium, high, xhigh, max, or a number of tokens" in result.stderr


def test_3_something_must_be_asked(place):
    ended = place.ended("put new for old")

    assert (ended["exitCode"], ended["result"]["error"]["code"]) == (3, "needs_permission")
    asked = ended["unanswered"][0]
    assert (asked["kind"], asked["permission"], asked["patterns"]) == ("permission", "edit", ["a.txt"])
    assert place.file.read_text() == "one\nold\nthree\n"


def test_4_the_model_declined(place):
    place.script([{"text": "No."}, {"finish": "content_filter"}])

    assert place.ended("something bad")["exitCode"] == 4


def test_4_the_built_in_planner_could_not_do_it_and_says_so_in_words(place):
    place.environment["PLACET_MODEL"] = "builtin/rules"
    result = place.run("run", "write me a poem")

    assert result.returncode == 4
    assert "No model is set" in result.stdout
    assert result.stderr.splitlines()[-1].endswith("the model declined")


def test_every_end_of_a_turn_but_its_own_has_words():
    assert set(get_args(StopReason)) - {"end_turn"} == set(STOP_TEXTS)


def test_5_the_steps(place):
    ended = place.ended("--max-steps", "1", "put new for old")

    assert (ended["exitCode"], ended["result"]["stopReason"]) == (5, "max_steps")


def test_5_the_cost(place):
    place.script([READ, PAID], [{"text": "More."}, PAID])
    ended = place.ended("--max-cost", "0.005", "look")

    assert (ended["exitCode"], ended["result"]["error"]["code"]) == (5, "cost_cap")


def test_5_the_time(place):
    place.script([{"text": "I wait."}, PAID, {"wait": "never"}])
    ended = place.ended("--timeout", "4", "look")

    assert (ended["exitCode"], ended["result"]["error"]["code"]) == (5, "timeout")
    assert ended["result"]["stopReason"] == "cancelled"


SIGNALS = [signal.SIGINT, signal.SIGTERM, *([] if sys.platform == "win32" else [signal.SIGHUP])]


@pytest.mark.parametrize("number", SIGNALS)
def test_130_cancelled_by_a_signal(place, number):
    place.script(WAITING)
    process = place.start("run", "--json", "look")
    reached(process, "I wait.")
    process.send_signal(number)
    out, _ = process.communicate()

    assert process.returncode == 130
    last = json.loads(out.splitlines()[-1])
    assert (last["exitCode"], last["result"]["stopReason"]) == (130, "cancelled")


def test_1_the_reason_stands_on_stderr_beside_json_too(place):
    place.script([{"error": "bad_request", "message": "No such thing."}])
    done = place.run("run", "--json", "look")
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1])["result"]["error"]["message"] == "No such thing."
    assert done.stderr.startswith("placet: No such thing.")


def test_141_the_reader_has_gone_and_nothing_is_said_of_it(place):
    go = place.directory / "go"
    place.script([{"wait_for_file": str(go)}, READ], [{"text": "End."}])
    process = place.start("run", "--json", "look")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    go.touch()
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == ""

    assert process.wait() == 141


def test_with_stderr_in_the_same_pipe_it_is_as_quiet(place):
    read, write = os.pipe()
    os.close(read)
    process = place.start("run", "put new for old", stdout=write, stderr=write)
    os.close(write)

    assert process.wait() == 141


def test_a_denied_ask_is_told_to_the_model_which_goes_on(place):
    ended = place.ended("--ask", "deny", "put new for old")

    assert (ended["exitCode"], ended["answer"]) == (0, "All done.")
    assert ended["unanswered"][0]["permission"] == "edit"
    assert place.file.read_text() == "one\nold\nthree\n"


def test_yes_does_what_would_be_asked_and_not_what_is_denied(place):
    (place.directory / "CONFIG" / "placet").mkdir(parents=True)
    settings = place.directory / "CONFIG" / "placet" / "placet.json"
    settings.write_text('{"permission": {"edit": "deny"}}')
    assert place.ended("--yes", "put new for old")["exitCode"] == 0
    assert place.file.read_text() == "one\nold\nthree\n"

    settings.write_text("{}")
    assert place.ended("--yes", "put new for old")["exitCode"] == 0
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_yes_does_not_widen_the_sandbox_and_the_model_goes_on(place):
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    place.script(
        [{"call": "bash", "arguments": {"command": "touch made", "description": "Make"}}],
        [{"call": "bash", "arguments": {"command": "git config --global user.name x", "description": "Leave"}}],
        [{"text": "All done."}],
    )
    script = place.directory / "script.json"
    turns = json.loads(script.read_text())["turns"]
    turns[-1]["expect"] = "`--yes` does not allow this"
    script.write_text(json.dumps({"turns": turns}))
    ended = place.ended("--yes", "go")

    assert (ended["exitCode"], ended["answer"]) == (0, "All done.")
    assert [asked["permission"] for asked in ended["unanswered"]] == ["sandbox"]
    assert (place.project / "made").exists()


def test_a_loop_is_not_let_go_on_by_yes(place):
    again = [{"call": "edit", "arguments": {**EDIT, "oldString": "none"}}]
    place.script([READ], *[again] * 12, [{"text": "End."}])
    ended = place.ended("--yes", "look")

    assert ended["exitCode"] in (1, 3)
    assert ended["result"]["stopReason"] != "end_turn"
