"""`placet` alone at a terminal: an interactive session, driven by keys."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fork_support.completed import run_forked
from placet.frontends.terminal.interactive.shell import Current
from placet.frontends.terminal.run.run_options import RunOptions
from placet.model.local.offer import COMMAND
from run_support import EDIT, Place, Terminal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a terminal of its own is POSIX's")
ENTER, CTRL_C, CTRL_D, CTRL_Z, ESC, ALT_ENTER = "\r", "\x03", "\x04", "\x1a", "\x1b", "\x1b\r"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.choose_review("ask")
    return place


def opened(place: Place, *arguments: str) -> Terminal:
    terminal = Terminal(place, *arguments)
    terminal.wait_for("/help")
    return terminal


def exported(place: Place, form: str = "markdown") -> str:
    """Return the last session as text."""
    (info, *_) = json.loads(place.run("sessions", "list", "--json").stdout)
    exported = run_forked("sessions", "export", "--format", form, info["id"], environment=place.environment)
    assert exported.returncode == 0, exported.stderr
    return exported.stdout


def test_a_prompt_is_worked_on_and_the_question_is_answered_on_the_line(place: Place) -> None:
    terminal = opened(place)
    terminal.press(f"put new for old{ENTER}")
    terminal.wait_for("Allow? [y/n/a/e/?]")
    terminal.press(f"maybe{ENTER}")
    terminal.wait_for("y [words]  allow once")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(CTRL_D)
    assert terminal.end() == 0, terminal.shown
    assert place.file.read_text() == "one\nnew\nthree\n"
    assert "put new for old" in exported(place)


def test_the_first_screen_offers_the_model_inside_to_a_user_without_a_model(place: Place) -> None:
    terminal = opened(place)
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    assert COMMAND not in terminal.shown
    place.environment["PLACET_MODEL"] = "builtin/rules"
    terminal = opened(place)
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    assert COMMAND in terminal.shown
    assert "No language model is set" in terminal.shown


def test_the_line_below_ends_with_an_ellipsis_where_the_terminal_is_too_narrow(place: Place) -> None:
    script = place.directory / f"{'x' * 100}.json"
    (place.directory / "script.json").rename(script)
    place.environment["PLACET_MODEL"] = f"scripted/{script}"
    terminal = opened(place)
    terminal.wait_for("…")
    terminal.press(CTRL_D)
    assert terminal.end() == 0


def test_a_prompt_typed_before_the_line_is_there_is_sent(place: Place) -> None:
    place.script([{"text": "All done.\n\n"}])
    terminal = Terminal(place, "chat")
    terminal.press(f"go on{ENTER}and mo")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(f"re{ENTER}")
    terminal.wait_for("› and more")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    assert "go on" in exported(place)


def test_words_typed_while_it_works_steer_and_a_draft_outlives_a_question(place: Place) -> None:
    go = place.project / "go"
    place.script(
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"text": "I begin.\n\n"}, {"wait_for_file": str(go)}, {"call": "edit", "arguments": EDIT}],
        [{"text": "All done.\n\n"}],
        [{"text": "Again.\n\n"}],
    )
    terminal = opened(place, "chat")
    terminal.press(f"begin{ENTER}")
    terminal.wait_for("I begin.")
    terminal.press(f"mind the tests{ENTER}")
    terminal.press("and")
    terminal.wait_for("and")
    go.touch()
    terminal.wait_for("Allow? ")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(f" more{ALT_ENTER}lines{ENTER}")
    terminal.wait_for("Again.")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    text = exported(place)
    assert "mind the tests" in text
    assert "and more\nlines" in text


def test_ctrl_c_stops_the_turn_and_a_second_leaves(place: Place) -> None:
    place.script([{"text": "I wait.\n\n"}, {"wait": "never"}])
    terminal = opened(place, "chat")
    terminal.press(f"go{ENTER}")
    terminal.wait_for("I wait.")
    terminal.press(CTRL_C)
    terminal.wait_for("the turn was stopped")
    terminal.press(CTRL_C)
    assert terminal.end() == 0


def test_the_pager_runs_below_the_text_that_came_before(place: Place) -> None:
    pager = place.directory / "pager"
    pager.write_text("#!/bin/sh\ncat > /dev/null\necho THE PAGER\n")
    pager.chmod(0o755)
    place.environment["PAGER"] = str(pager)
    long = {"call": "write", "arguments": {"filePath": "b.txt", "content": "line\n" * 200}}
    place.script([{"text": "Before.\n\nThe end of before.\n\n"}, long], [{"text": "All done.\n\n"}])
    terminal = opened(place, "chat")
    terminal.press(f"go{ENTER}")
    terminal.wait_for("Allow? ")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("All done.")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    places = [terminal.shown.index(text) for text in ("Before.", "The end of before.", "THE PAGER", "Allow? ")]
    assert places == sorted(places)


def test_esc_stops_the_turn_and_leaves_the_line_as_it_is(place: Place) -> None:
    place.script([{"text": "I wait.\n\n"}, {"wait": "never"}], [{"text": "Second.\n\n"}])
    terminal = opened(place, "chat")
    terminal.press(f"go{ENTER}")
    terminal.wait_for("I wait.")
    terminal.press("my next")
    terminal.wait_for("my next")
    terminal.press(ESC)
    terminal.wait_for("the turn was stopped")
    terminal.press(f" words{ENTER}")
    terminal.wait_for("› my next words")
    terminal.wait_for("Second.")
    terminal.press(CTRL_D)
    assert terminal.end() == 0


SHELL = """
import fcntl, os, signal, subprocess, sys, termios

def in_foreground():
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = subprocess.Popen(sys.argv[1:], preexec_fn=in_foreground)
while True:
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    os.tcsetpgrp(0, os.getpgrp())
    print("SUSPENDED", "by lines" if termios.tcgetattr(0)[3] & termios.ICANON else "raw", flush=True)
    input()
    os.tcsetpgrp(0, child.pid)
    os.killpg(child.pid, signal.SIGCONT)
"""
"""Shell of one job: says when the job is suspended, and goes on with a line of the user."""


def test_ctrl_z_suspends_with_the_terminal_as_it_was_and_the_line_goes_on(place: Place) -> None:
    place.script([{"text": "First.\n\n"}])
    terminal = Terminal(place, "chat", before=(sys.executable, "-c", SHELL))
    terminal.wait_for("/help")
    terminal.press("my wor")
    terminal.wait_for("my wor")
    terminal.press(CTRL_Z)
    terminal.wait_for("SUSPENDED by lines")
    terminal.type("fg")
    terminal.wait_for("› my wor")
    terminal.press(f"ds{ENTER}")
    terminal.wait_for("› my words")
    terminal.wait_for("First.")
    terminal.press(CTRL_D)
    assert terminal.end() == 0


def test_a_closed_terminal_ends_the_turn_and_leaves(place: Place) -> None:
    place.script([{"text": "I wait.\n\n"}, {"wait": "never"}])
    terminal = opened(place, "chat")
    terminal.press(f"go{ENTER}")
    terminal.wait_for("I wait.")
    terminal.process.send_signal(signal.SIGHUP)
    assert terminal.end() == 130
    answer = json.loads(exported(place, "json"))["session"]["messages"][-1]
    assert answer["error"]["message"] == "This was interrupted before it finished."


def test_the_way_to_continue_is_said_on_leaving(place: Place) -> None:
    place.script([{"text": "First.\n\n"}], [{"text": "Second.\n\n"}])
    terminal = opened(place)
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    assert "To continue" not in terminal.shown
    terminal = opened(place)
    terminal.press(f"one{ENTER}")
    terminal.wait_for("First.")
    terminal.wait_for("tokens")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    (command,) = re.findall(r"To continue this session: placet (chat --session ses_\w+)\s", terminal.shown)
    terminal = opened(place, *command.split())
    terminal.wait_for("Continues 'one'")
    terminal.press(CTRL_D)
    assert terminal.end() == 0


def test_commands_choose_undo_and_continue(place: Place) -> None:
    terminal = opened(place, "chat")
    terminal.press(f"/undo{ENTER}")
    terminal.wait_for("There is no session yet")
    terminal.press(f"/agent nobody{ENTER}")
    terminal.wait_for("nobody")
    terminal.press(f"/effort high{ENTER}")
    terminal.wait_for("Effort: high")
    terminal.press(f"/profile tiny{ENTER}")
    terminal.wait_for("one of auto, full, small, smallest")
    terminal.press(f"/profile small{ENTER}")
    terminal.wait_for("Profile: small")
    terminal.press(f"/profile auto{ENTER}")
    terminal.wait_for("Profile: full")
    terminal.press(f"put new for old{ENTER}")
    terminal.wait_for("Allow? ")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(f"/undo{ENTER}")
    terminal.wait_for("restored   a.txt")
    assert place.file.read_text() == "one\nold\nthree\n"
    terminal.press(f"/new{ENTER}")
    terminal.wait_for("begins a new session")
    terminal.press(f"/sessions{ENTER}")
    terminal.wait_for("  1  put new for old")
    terminal.press(f"/sessions 1{ENTER}")
    terminal.wait_for("Continues 'put new for old'")
    terminal.press(f"/exit{ENTER}")
    assert terminal.end() == 0


def test_a_word_behind_a_slash_that_names_no_command_is_refused_and_never_sent(place: Place) -> None:
    place.script([{"text": "All done.\n\n"}])
    terminal = opened(place, "chat")
    terminal.press(f"/modell now{ENTER}")
    terminal.wait_for("There is no command `/modell`, so nothing was sent. Did you mean `/model`")
    terminal.press(f"/tmp is full{ENTER}")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    text = exported(place)
    assert "/tmp is full" in text
    assert "/modell now" not in text


def test_the_session_is_shown_and_renamed_and_stays_after_a_no_to_going_back(place: Place) -> None:
    terminal = opened(place, "chat")
    terminal.press(f"/status{ENTER}")
    terminal.wait_for("The next prompt begins a new session.")
    terminal.press(f"/cost{ENTER}")
    terminal.wait_for("There is no session yet")
    terminal.press(f"put new for old{ENTER}")
    terminal.wait_for("Allow? ")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(f"/rename The   new title{ENTER}")
    terminal.wait_for("The title is now: The new title")
    terminal.press(f"/status{ENTER}")
    terminal.wait_for("Review       Ask before each change")
    terminal.wait_for("Placet       ")
    terminal.press(f"/cost{ENTER}")
    terminal.wait_for("This session has spent nothing.")
    terminal.press(f"/jobs{ENTER}")
    terminal.wait_for("This session has no command in the background.")
    terminal.press(f"/permissions{ENTER}")
    terminal.wait_for("Rules (the last matching rule decides):")
    terminal.wait_for("No grants.")
    terminal.press(f"/back 1{ENTER}")
    terminal.wait_for("Go back? [y/n]")
    terminal.press(f"n{ENTER}")
    terminal.wait_for("Nothing was changed.")
    assert place.file.read_text() == "one\nnew\nthree\n"
    terminal.press(CTRL_D)
    assert terminal.end() == 0


def test_files_go_back_with_the_talk_and_forward_again(place: Place) -> None:
    terminal = opened(place, "chat")
    terminal.press(f"put new for old{ENTER}")
    terminal.wait_for("Allow? ")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(f"/back{ENTER}")
    terminal.wait_for("  1  put new for old")
    terminal.press(f"/back 1{ENTER}")
    terminal.wait_for("Go back? [y/n]")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("Went back.")
    assert place.file.read_text() == "one\nold\nthree\n"
    terminal.press(f"{CTRL_C}/back redo{ENTER}")  # The prompt stands on the line again, and Ctrl-C clears the line.
    terminal.wait_for("Forward again.")
    assert place.file.read_text() == "one\nnew\nthree\n"
    terminal.press(CTRL_D)
    assert terminal.end() == 0


def test_the_prompt_stands_on_the_line_again_after_going_back(place: Place) -> None:
    place.script([{"text": "First.\n\n"}], [{"text": "Second.\n\n"}])
    terminal = opened(place, "chat")
    terminal.press(f"count to one{ENTER}")
    terminal.wait_for("First.")
    terminal.wait_for("tokens")
    terminal.press(f"/back 1{ENTER}")
    terminal.wait_for("Go back? [y/n]")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("Went back.")
    terminal.press(f" and two{ENTER}")
    terminal.wait_for("› count to one and two")
    terminal.wait_for("Second.")
    terminal.press(CTRL_D)
    assert terminal.end() == 0


def test_the_thinking_of_the_model_is_hidden_and_shown(place: Place) -> None:
    place.script(
        [{"thought": "Well, the first thought."}, {"text": "First.\n\n"}],
        [{"thought": "Well, the second thought."}, {"text": "Second.\n\n"}],
    )
    terminal = opened(place, "chat")
    terminal.press(f"/thinking off{ENTER}")
    terminal.wait_for("Thinking is hidden.")
    terminal.press(f"one{ENTER}")
    terminal.wait_for("First.")
    terminal.wait_for("tokens")
    terminal.press(f"/thinking maybe{ENTER}")
    terminal.wait_for("Write `/thinking on` or `/thinking off`.")
    terminal.press(f"/thinking on{ENTER}two{ENTER}")
    terminal.wait_for("Well, the second thought.")
    terminal.wait_for("Second.")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    assert "Well, the first thought." not in terminal.shown


def test_the_review_mode_is_shown_and_chosen_before_and_within_a_session(place: Place) -> None:
    terminal = opened(place, "chat", "--review", "ask")
    terminal.press(f"/review-mode never{ENTER}")
    terminal.wait_for("The review mode is one of ask, stage, apply.")
    terminal.press(f"/review-mode apply{ENTER}")
    terminal.wait_for("Review mode: apply (edits are written at once")
    terminal.press(f"put new for old{ENTER}")
    terminal.wait_for("Changes wait for your review: /review")
    assert place.file.read_text() == "one\nnew\nthree\n"
    terminal.press(f"/review-mode stage{ENTER}")
    terminal.wait_for("Review mode: stage (edits are written when you accept")
    terminal.press(CTRL_D)
    assert terminal.end() == 0


def test_the_line_below_names_model_agent_and_review_mode(tmp_path: Path) -> None:
    current = Current(RunOptions(cwd=tmp_path))
    current.know_usual("provider/model", "build", "stage")
    assert current.about() == "provider/model · build · stage · new session"
    current.review = "ask"
    assert current.about() == "provider/model · build · ask · new session"


def test_favourite_and_recent_models_are_listed_and_a_mark_is_set_and_removed(place: Place) -> None:
    terminal = opened(place, "chat")
    terminal.press(f"/favourite openai/gpt-4o{ENTER}")
    terminal.wait_for("openai/gpt-4o is now a favourite.")
    terminal.press(f"/model{ENTER}")
    terminal.wait_for("  * openai/gpt-4o")
    terminal.wait_for("* favourite, + recent; /favourite NAME changes a mark")
    terminal.press(f"/favourite openai/gpt-4o{ENTER}")
    terminal.wait_for("openai/gpt-4o is no longer a favourite.")
    terminal.press(f"/exit{ENTER}")
    assert terminal.end() == 0


def test_mentions_and_commands_are_completed(place: Place) -> None:
    terminal = opened(place, "chat")
    terminal.press("/eff")
    terminal.wait_for("how much the model thinks")
    terminal.press(f"\t{ENTER}{CTRL_C}@a.t")
    terminal.wait_for("a.txt")
    terminal.press(f"{CTRL_C}{CTRL_C}{CTRL_C}")
    assert terminal.end() == 0


def test_changes_wait_for_the_review_where_the_user_has_chosen_no_mode(tmp_path: Path) -> None:
    place = Place(tmp_path)
    terminal = opened(place, "chat")
    terminal.press(f"put new for old{ENTER}")
    terminal.wait_for("Changes wait for your review: /review (1 file not written yet)")
    assert "Allow?" not in terminal.shown
    assert place.file.read_text() == "one\nold\nthree\n"
    terminal.press(f"/review{ENTER}")
    terminal.wait_for("1/1 Accept? [y/n/s/q/?]")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("written    a.txt")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_a_mode_on_the_command_line_outweighs_the_default(tmp_path: Path) -> None:
    place = Place(tmp_path)
    terminal = opened(place, "chat", "--review", "ask")
    terminal.press(f"put new for old{ENTER}")
    terminal.wait_for("Allow? ")
    terminal.press(f"y{ENTER}")
    terminal.wait_for("All done.")
    terminal.wait_for("tokens")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_a_run_in_the_session_of_the_terminal_asks_as_a_run_does(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.script([{"text": "All done."}])
    terminal = opened(place, "chat")
    terminal.press(f"say it{ENTER}")
    terminal.wait_for("tokens")
    terminal.press(CTRL_D)
    assert terminal.end() == 0
    place.begin()
    assert place.ended("--continue", "put new for old")["exitCode"] == 3
    assert "no change waits" in place.run("review", "--list").stderr
    assert place.file.read_text() == "one\nold\nthree\n"


def test_in_a_pipe_it_prints_its_help(place: Place) -> None:
    result = run_forked(environment=place.environment)
    assert (result.returncode, "usage: placet" in result.stdout) == (0, True)
    assert place.run("chat").returncode == 2


def test_a_run_loads_nothing_of_the_prompt_line() -> None:
    code = "import sys, placet.frontends.terminal.run.run, placet.__main__; print('prompt_toolkit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
