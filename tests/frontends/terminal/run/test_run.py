import json
import signal
from pathlib import Path

import pytest

from mcp_support import odd
from run_support import EDIT, Place, Terminal


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_an_allowed_edit_is_made_and_the_exit_code_is_0(place):
    result = place.run("run", "--allow", "edit", "put new for old")

    assert result.returncode == 0, result.stderr
    assert place.file.read_text() == "one\nnew\nthree\n"
    assert "All done." in result.stdout
    assert "-old\n+new\n" in result.stdout

    assert place.run("undo").returncode == 0
    assert place.file.read_text() == "one\nold\nthree\n"


def test_what_a_plugin_sets_holds_and_the_command_line_over_it(place):
    plugin = place.directory / "CONFIG" / "placet" / "plugin" / "config.py"
    plugin.parent.mkdir(parents=True)
    lines = "output['permission'] = {'edit': 'allow'}\n    output['maxSteps'] = 1\n"
    plugin.write_text(
        f"from placet.plugins import hook\n\n\n@hook('config')\ndef configure(input, output):\n    {lines}"
    )

    assert place.run("run", "put new for old").returncode == 5
    assert place.file.read_text() == "one\nold\nthree\n"
    assert place.run("run", "--max-steps", "9", "put new for old").returncode == 0
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_with_nobody_to_ask_it_ends_at_once_with_3_and_says_which_rule_would_allow_it(place):
    result = place.run("run", "put new for old")

    assert result.returncode == 3
    assert "--allow 'edit:a.txt'" in result.stderr
    assert "built in" in result.stderr
    assert place.file.read_text() == "one\nold\nthree\n"
    assert "All done." not in result.stdout
    assert "edit  failed: " in result.stdout
    events = [json.loads(line) for line in place.run("run", "--json", "put new for old").stdout.splitlines()]
    calls = [event["update"]["part"] for event in events if event.get("update", {}).get("kind") == "tool_call_update"]
    assert "there is no terminal to ask at" in calls[-1]["state"]["error"]


def test_what_other_programs_run_is_not_written_by_allowing_edit_alone(place):
    place.script(
        [{"call": "write", "arguments": {"filePath": ".envrc", "content": "export A=1\n"}}], [{"text": "All done."}]
    )
    result = place.run("run", "--allow", "edit", "--allow", "bash", "write it")

    assert result.returncode == 3
    assert "--allow 'edit_sensitive:.envrc'" in result.stderr
    assert not (place.file.parent / ".envrc").exists()
    assert place.run("run", "--allow", "edit", "--allow", "edit_sensitive:.envrc", "write it").returncode == 0
    assert (place.file.parent / ".envrc").read_text() == "export A=1\n"


def test_undo_takes_back_the_last_change_though_other_sessions_came_after(place):
    assert place.run("run", "--allow", "edit", "put new for old").returncode == 0
    place.environment["PLACET_MODEL"] = place.script([{"text": "Hello."}])
    assert place.run("run", "greet me").returncode == 0

    assert "restored   a.txt" in place.run("undo").stdout
    assert place.file.read_text() == "one\nold\nthree\n"
    redone = place.run("redo")
    assert "restored   a.txt" in redone.stdout, redone.stderr
    assert place.file.read_text() == "one\nnew\nthree\n"
    assert place.run("undo").returncode == 0
    again = place.run("undo")
    assert (again.returncode, again.stderr) == (1, "placet: There is no change to undo here.\n")


def test_a_second_undo_asks_before_it_goes_into_another_session(place):
    assert place.run("run", "--allow", "edit", "the first session").returncode == 0
    place.file.write_text("one\nold\nthree\n")
    place.environment["PLACET_MODEL"] = place.begin()
    assert place.run("run", "--allow", "edit", "the second session").returncode == 0
    assert "'the second session'" in place.run("undo").stdout
    place.file.write_text("one\nnew\nthree\n")
    refused = place.run("undo")
    assert refused.returncode == 1
    assert "Every change of 'the second session'" in refused.stderr
    assert "Nothing was undone: confirm with `--session ses_" in refused.stderr
    assert place.file.read_text() == "one\nnew\nthree\n"
    for answer, code in (("n", 0), ("y", 0)):
        terminal = Terminal(place, "undo")
        terminal.wait_for("Undo the last turn of that session? [y/n]")
        terminal.type(answer)
        assert terminal.end() == code
        assert place.file.read_text() == ("one\nold\nthree\n" if answer == "y" else "one\nnew\nthree\n")


def test_an_undo_that_the_user_has_typed_over_says_what_stands_in_its_way(place):
    assert place.run("run", "--allow", "edit", "put new for old").returncode == 0
    place.file.write_text("one\nmine\nthree\n")
    undone = place.run("undo")

    assert undone.returncode == 1
    assert undone.stdout.splitlines()[1:] == [
        "conflict   a.txt  The same lines were edited since, so the file stays as it is.",
        "Line 2 was changed by the user:",
        "  - new",
        "  + mine",
        "Before the change there was:",
        "  + old",
    ]
    assert place.file.read_text() == "one\nmine\nthree\n"


def test_the_rule_it_names_does_allow_it(place):
    assert place.run("run", "--allow", "edit:a.txt", "put new for old").returncode == 0
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_events_are_json_lines_and_the_last_is_the_result(place):
    result = place.run("run", "--json", "--allow", "edit", "put new for old")

    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["seq"] for line in lines[:-1]] == list(range(1, len(lines)))
    assert lines[-1]["exitCode"] == 0
    assert lines[-1]["result"]["stopReason"] == "end_turn"
    assert {line["update"]["kind"] for line in lines[:-1]} >= {"turn_started", "tool_call", "change_applied"}


def test_a_model_that_fails_is_exit_code_1_with_its_reason_and_hint(place):
    place.script([{"error": "authentication", "message": "The key is wrong.", "hint": "Set X_API_KEY."}])
    result = place.run("run", "anything")

    assert result.returncode == 1
    assert "The key is wrong. Set X_API_KEY." in result.stderr


def test_a_setting_that_cannot_be_used_is_told_and_the_run_goes_on_without_it(place):
    (place.directory / "CONFIG" / "placet").mkdir(parents=True)
    (place.directory / "CONFIG" / "placet" / "placet.json").write_text('{"maxSteps": "many"}')
    result = place.run("run", "--allow", "edit", "anything")

    assert result.returncode == 0
    assert "placet.json:1: setting `maxSteps`: Input should be a valid integer" in result.stderr


def test_a_directory_that_is_not_there_is_exit_code_2(place):
    place.project = place.project / "nowhere"

    assert place.run("run", "anything").returncode == 2


def test_the_step_limit_is_exit_code_5(place):
    (place.directory / "CONFIG" / "placet").mkdir(parents=True)
    (place.directory / "CONFIG" / "placet" / "placet.json").write_text('{"maxSteps": 1}')

    assert place.run("run", "put new for old").returncode == 5


def test_continue_goes_on_with_the_last_session(place):
    place.script([{"text": "First."}])
    first = json.loads(place.run("run", "--json", "one").stdout.splitlines()[-1])
    place.script([{"text": "Second."}])
    second = json.loads(place.run("run", "--json", "--continue", "two").stdout.splitlines()[-1])

    assert second["sessionId"] == first["sessionId"]


def test_continue_without_a_session_is_exit_code_2(place):
    result = place.run("run", "--continue", "two")

    assert result.returncode == 2
    assert "no session" in result.stderr


def test_at_a_terminal_the_diff_is_shown_in_colour_and_y_applies_it(place):
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    assert "\x1b[31m-old" in terminal.shown
    assert "\x1b[32m+new" in terminal.shown
    terminal.type("y")

    assert terminal.end() == 0, terminal.shown
    assert terminal.shown.count("-old") == 1
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_at_a_terminal_the_question_stands_below_the_words_of_the_model(place):
    read = {"call": "read", "arguments": {"filePath": "a.txt"}}
    place.script([read], [{"text": "I put it right."}, {"call": "edit", "arguments": EDIT}], [{"text": "Done."}])
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    terminal.type("y")

    assert terminal.end() == 0
    assert "I put it right.\r\n" in terminal.shown


def test_at_a_terminal_n_is_exit_code_4_and_changes_nothing(place):
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    terminal.type("n")

    assert terminal.end() == 4
    assert place.file.read_text() == "one\nold\nthree\n"


def test_a_refusal_with_a_reason_is_told_to_the_model_which_goes_on(place):
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    terminal.type("n use another word")

    assert terminal.end() == 0
    assert "use another word" in terminal.shown
    assert place.file.read_text() == "one\nold\nthree\n"


def test_hunks_are_chosen_one_by_one(place):
    place.file.write_text("old\n1\n2\n3\n4\n5\n6\n7\nold\n")
    place.script(
        [{"call": "read", "arguments": {"filePath": "a.txt"}}],
        [{"call": "edit", "arguments": {**EDIT, "replaceAll": True}}],
        [{"text": "All done."}],
    )
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow?")
    terminal.type("h")
    terminal.wait_for("hunk 1/2: Accept? [y/n/a/d/q/e/j/?]")
    terminal.type("x")
    terminal.wait_for("y [words]  accept this hunk")
    terminal.type("n")
    terminal.wait_for("hunk 2/2: Accept? [y/n/a/d/q/e/?]")
    terminal.type("y")

    assert terminal.end() == 0, terminal.shown
    assert place.file.read_text() == "old\n1\n2\n3\n4\n5\n6\n7\nnew\n"


def test_ctrl_c_cancels_the_turn_with_130(place):
    place.script([{"text": "I wait.\n\n"}, {"wait": "never"}])
    terminal = Terminal(place, "run", "anything")
    terminal.wait_for("I wait.")
    terminal.process.send_signal(signal.SIGINT)

    assert terminal.end() == 130


def test_a_slash_command_is_carried_out_and_a_shell_part_with_nobody_to_ask_ends_it_with_3(place):
    place.environment["PLACET_MODEL"] = place.script([{"text": "Hello."}])
    commands = Path(place.environment["XDG_CONFIG_HOME"]) / "placet" / "commands"
    commands.mkdir(parents=True)
    (commands / "go.md").write_text("Say $1. !`touch made`")

    refused = place.run("run", "/go hi")
    assert (refused.returncode, (place.project / "made").exists()) == (3, False), refused.stderr
    assert "--allow 'edit:made'" in refused.stderr
    assert "Hello." not in refused.stdout

    assert place.run("run", "--allow", "bash:touch made", "/go hi").returncode == 0
    assert (place.project / "made").exists()


def test_the_model_has_the_tools_of_mcp_servers_at_its_first_request_and_what_is_missing_is_said(place):
    config = place.directory / "CONFIG" / "placet"
    config.mkdir(parents=True)
    mcp = {
        "odd": odd("plain", permission="allow"),
        "gone": {"command": ["/nowhere/gone"]},
        "waitSeconds": 60,
    }
    (config / "placet.json").write_text(json.dumps({"mcp": mcp}))
    place.environment["PLACET_MODEL"] = place.script([{"call": "odd_echo"}], [{"text": "All done."}])

    result = place.run("run", "--json", "Go on.")

    assert result.returncode == 0, result.stderr
    updates = [json.loads(line).get("update", {}) for line in result.stdout.splitlines()]
    calls = [update["part"] for update in updates if update.get("kind") == "tool_call_update"]
    assert calls[-1]["state"]["output"] == "echo {}"
    assert any("Missing MCP servers: gone: " in update["message"] for update in updates if update["kind"] == "notice")
