"""Command hooks as in Claude Code's settings: real commands around real turns of a scripted model."""

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from extension_support import DONE, Work, Workshop, call, error, output
from placet.core.messages import TextPart
from placet.core.ports import PermissionAnswer
from placet.extensions.command_hooks.condition import read_condition
from placet.extensions.command_hooks.table import HookOwner, read_hooks
from placet.permissions.trust import Trust
from placet.project.inventory import inventory
from placet.sessions.services.command_hooks import command_hooks
from placet.settings import Settings

WRITES = call("write", filePath="made.txt", content="made\n")


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    return Workshop(tmp_path)


def hooks(event: str, *commands: str, matcher: str = "", **fields: Any) -> dict[str, Any]:
    """The setting with the commands for one event; without `sandbox` the commands run with the user's rights."""
    entries = [{"type": "command", "command": command, "sandbox": False, **fields} for command in commands]
    return {event: [{"matcher": matcher, "hooks": entries}]}


def says(answer: dict[str, Any]) -> str:
    """A command that prints the JSON."""
    return f"printf '%s' '{json.dumps(answer)}'"


def before(**specific: Any) -> str:
    """A command with an answer for PreToolUse."""
    return says({"hookSpecificOutput": {"hookEventName": "PreToolUse", **specific}})


def requests(work: Work) -> str:
    """All that the model was told in its last request."""
    (model,) = work.session.models.values()
    request: Any = model.requests[-1]  # pyright: ignore[reportAttributeAccessIssue]
    return "\n".join((*request.system, *(message.model_dump_json() for message in request.messages)))


def notices(workshop: Workshop) -> list[str]:
    updates: list[Any] = [event.update for event in workshop.screen.events]
    return [update.message for update in updates if update.kind == "notice" and update.code == "hook"]


# ---------------------------------------------------------------- before a call


async def test_exit_code_2_blocks_the_call_and_tells_the_model_why(workshop: Workshop) -> None:
    setting = hooks("PreToolUse", "echo 'not this file' >&2; exit 2", matcher="Write")
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        assert "A hook of the user blocked this call of write: not this file" in error((await work.prompt())[0])
    assert not (workshop.project / "made.txt").exists()
    assert workshop.user.asked == []


async def test_another_exit_code_is_told_to_the_user_and_blocks_nothing(workshop: Workshop) -> None:
    async with workshop.work(WRITES, DONE, hooks=hooks("PreToolUse", "echo broken >&2; exit 1")) as work:
        output((await work.prompt())[0])
        assert "failed with exit code 1: broken" in notices(workshop)[0]
        assert "broken" not in requests(work)
    assert (workshop.project / "made.txt").exists()


async def test_the_input_has_the_names_of_claude_code(workshop: Workshop) -> None:
    trace = workshop.directory / "input.json"
    setting = hooks("PreToolUse", f"cat > '{trace}'", matcher="Write")
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        await work.prompt()
        session_id = work.session.info.id
    told = json.loads(trace.read_text())
    assert told["session_id"] == session_id
    assert told["hook_event_name"] == "PreToolUse"
    assert told["cwd"] == str(workshop.project)
    assert told["tool_name"] == "Write"
    assert told["tool_input"] == {"file_path": str(workshop.project / "made.txt"), "content": "made\n"}


async def test_a_hook_changes_the_arguments(workshop: Workshop) -> None:
    changed = {"file_path": str(workshop.project / "other.txt"), "content": "changed\n"}
    async with workshop.work(WRITES, DONE, hooks=hooks("PreToolUse", before(updatedInput=changed))) as work:
        output((await work.prompt())[0])
    assert (workshop.project / "other.txt").read_text() == "changed\n"
    assert not (workshop.project / "made.txt").exists()


async def test_a_hook_that_allows_answers_the_question_of_the_built_in_rules(workshop: Workshop) -> None:
    setting = hooks("PreToolUse", before(permissionDecision="allow"))
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        output((await work.prompt())[0])
    assert workshop.user.asked == []
    assert (workshop.project / "made.txt").exists()


async def test_a_hook_that_allows_never_outranks_a_denial_of_the_user(workshop: Workshop) -> None:
    setting = hooks("PreToolUse", before(permissionDecision="allow"))
    async with workshop.work(WRITES, DONE, hooks=setting, permission={"edit": {"made*": "deny"}}) as work:
        assert "refuses `edit`" in error((await work.prompt())[0])
    assert not (workshop.project / "made.txt").exists()


@pytest.mark.parametrize(
    ("permission", "path"), [({"edit": {"made*": "ask"}}, "made.txt"), ({}, ".claude/settings.json")]
)
async def test_a_hook_that_allows_answers_no_question_for_the_user_himself(
    workshop: Workshop, permission: dict[str, Any], path: str
) -> None:
    setting = hooks("PreToolUse", before(permissionDecision="allow"))
    workshop.user.answer = lambda _: PermissionAnswer("reject")
    writes = call("write", filePath=path, content="{}\n")
    async with workshop.work(writes, DONE, hooks=setting, permission=permission) as work:
        await work.prompt()
    assert len(workshop.user.asked) == 1
    assert not (workshop.project / path).exists()


async def test_a_hook_that_asks_outranks_a_rule_that_allows_and_a_hook_that_allows(workshop: Workshop) -> None:
    setting = hooks("PreToolUse", before(permissionDecision="allow"), before(permissionDecision="ask"))
    workshop.user.answer = lambda _: PermissionAnswer("reject")
    async with workshop.work(WRITES, DONE, hooks=setting, permission={"edit": "allow"}) as work:
        await work.prompt()
    assert len(workshop.user.asked) == 1
    assert not (workshop.project / "made.txt").exists()


async def test_a_hook_that_denies_outranks_a_hook_that_allows(workshop: Workshop) -> None:
    setting = hooks(
        "PreToolUse",
        before(permissionDecision="deny", permissionDecisionReason="no writing"),
        before(permissionDecision="allow"),
    )
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        assert "no writing" in error((await work.prompt())[0])
    assert not (workshop.project / "made.txt").exists()


async def test_a_hook_that_takes_too_long_is_ended_and_blocks_nothing(workshop: Workshop) -> None:
    setting = hooks("PreToolUse", "read forever < /dev/zero; sleep 1000", timeout=0.2)
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        output((await work.prompt())[0])
    assert "took longer than 0.2 seconds" in notices(workshop)[0]


async def test_hooks_run_side_by_side_and_the_same_command_once(workshop: Workshop) -> None:
    """Each of two hooks waits for the other's file."""
    one, two, trace = (workshop.directory / name for name in ("one", "two", "trace"))
    os_wait = "while [ ! -e '{}' ]; do :; done"
    commands = (
        f"touch '{one}'; {os_wait.format(two)}",
        f"touch '{two}'; {os_wait.format(one)}",
        f"echo ran >> '{trace}'",
        f"echo ran >> '{trace}'",
    )
    async with workshop.work(WRITES, DONE, hooks=hooks("PreToolUse", *commands)) as work:
        output((await work.prompt())[0])
    assert trace.read_text() == "ran\n"
    assert notices(workshop) == []


async def test_a_hook_has_the_project_and_no_key_in_its_environment(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = workshop.directory / "environment"
    async with workshop.work(WRITES, DONE, hooks=hooks("PreToolUse", f"env > '{trace}'")) as work:
        monkeypatch.setenv("SOME_API_KEY", "of-the-user")
        await work.prompt()
    lines = trace.read_text().splitlines()
    assert f"CLAUDE_PROJECT_DIR={workshop.project}" in lines
    assert not [line for line in lines if "of-the-user" in line]


async def test_the_turn_ends_when_a_hook_does_not_let_it_continue(workshop: Workshop) -> None:
    setting = hooks("PreToolUse", says({"continue": False, "stopReason": "Enough for today."}))
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        result = await work.session.prompt([TextPart(text="Please.")])
        assert result.error is not None
        assert (result.error.code, result.error.message) == ("hook", "Enough for today.")
    assert not (workshop.project / "made.txt").exists()


# ---------------------------------------------------------------- after a call, prompts, ends


async def test_a_hook_after_the_call_speaks_to_the_model(workshop: Workshop) -> None:
    trace = workshop.directory / "input.json"
    added = says({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "it was formatted"}})
    setting = hooks("PostToolUse", "echo 'lint: unused' >&2; exit 2", added, f"cat > '{trace}'", matcher="Edit|Write")
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        text = output((await work.prompt())[0])
        assert "A hook of the user says about this call: lint: unused" in text
        assert "it was formatted" in requests(work)
    told = json.loads(trace.read_text())
    assert told["tool_response"]["filePath"] == str(workshop.project / "made.txt")
    assert told["tool_response"]["success"] is True


async def test_a_blocked_prompt_reaches_no_model(workshop: Workshop) -> None:
    setting = hooks("UserPromptSubmit", "if grep -q tiger; then echo 'no animals' >&2; exit 2; fi")
    async with workshop.work(DONE, hooks=setting) as work:
        result = await work.session.prompt([TextPart(text="A tiger.")])
        assert result.error is not None
        assert result.error.message == "A hook blocked this prompt: no animals"
        assert notices(workshop) == ["The blocked prompt: A tiger."]
        await work.session.prompt([TextPart(text="A stone.")])
        assert "tiger" not in requests(work)
        assert "A stone." in requests(work)


async def test_the_output_at_a_prompt_and_at_the_start_is_context(workshop: Workshop) -> None:
    trace = workshop.directory / "starts"
    setting = {
        **hooks("UserPromptSubmit", "echo It is Monday."),
        **hooks("SessionStart", f"cat >> '{trace}'; echo Use tabs.", matcher="startup"),
    }
    async with workshop.work(DONE, DONE, hooks=setting) as work:
        await work.prompt()
        assert "Use tabs." in requests(work)
        assert "It is Monday." in requests(work)
        await work.prompt()
    assert trace.read_text().count('"source": "startup"') == 1


async def test_a_hook_keeps_the_model_going_and_is_told_so(workshop: Workshop) -> None:
    trace = workshop.directory / "ends"
    active = '"stop_hook_active": true'
    command = f"cat > '{trace}'; grep -q '{active}' '{trace}' || {{ echo 'run the tests' >&2; exit 2; }}"
    async with workshop.work(DONE, [{"text": "Tested."}], hooks=hooks("Stop", command)) as work:
        await work.prompt()
        assert "A hook of the user does not let you stop yet: run the tests" in requests(work)
        assert work.said == "Tested."
    assert json.loads(trace.read_text())["last_assistant_message"] == "Tested."


async def test_the_end_of_a_session_runs_its_hooks(workshop: Workshop) -> None:
    trace = workshop.directory / "end"
    async with workshop.work(DONE, hooks=hooks("SessionEnd", f"cat > '{trace}'")) as work:
        await work.prompt()
        assert not trace.exists()
    assert json.loads(trace.read_text())["reason"] == "other"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes of this kind")
async def test_a_question_to_the_user_runs_the_hooks_for_notifications(workshop: Workshop) -> None:
    pipe = workshop.directory / "pipe"
    os.mkfifo(pipe)
    setting = hooks("Notification", f"cat > '{pipe}'", matcher="permission_prompt")
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        told, _ = await asyncio.gather(asyncio.to_thread(pipe.read_text), work.prompt())
    assert json.loads(told)["message"] == "Placet needs your permission to use Write"


async def test_subagents_end_with_their_own_event(workshop: Workshop) -> None:
    trace = workshop.directory / "ends"
    work_of_subagent = call("task", description="Look", prompt="Look.", subagentType="general")
    setting = {**hooks("SubagentStop", f"cat >> '{trace}'", matcher="general"), **hooks("Stop", "exit 0")}
    async with workshop.work(work_of_subagent, DONE, DONE, hooks=setting) as work:
        await work.prompt()
    told = json.loads(trace.read_text())
    assert (told["hook_event_name"], told["agent_type"]) == ("SubagentStop", "general")


# ---------------------------------------------------------------- whose hooks


async def test_the_hooks_of_the_users_claude_file_run(workshop: Workshop) -> None:
    file = Path.home() / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"hooks": hooks("PreToolUse", "echo 'from home' >&2; exit 2", matcher="Write")}))
    async with workshop.work(WRITES, DONE) as work:
        assert "from home" in error((await work.prompt())[0])
    async with workshop.work(WRITES, DONE, disableAllHooks=True) as work:
        output((await work.prompt())[0])


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude/settings.local.json", ".placet/placet.json"])
async def test_the_hooks_of_a_project_run_only_once_it_is_trusted(workshop: Workshop, name: str) -> None:
    trace = workshop.directory / "ran"
    file = workshop.project / name
    file.parent.mkdir(exist_ok=True)
    events = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd", "Notification")
    settings = {event: hooks(event, f"touch '{trace}'", sandbox=True)[event] for event in events}
    file.write_text(json.dumps({"hooks": settings}))
    sandbox = {"mode": "off"}
    async with workshop.work(WRITES, DONE, sandbox=sandbox) as work:
        await work.prompt()
    assert not trace.exists()
    workshop.trust()
    async with workshop.work(WRITES, DONE, sandbox=sandbox) as work:
        await work.prompt()
    assert trace.exists()


async def test_a_changed_hook_or_script_of_a_trusted_project_does_not_run(workshop: Workshop) -> None:
    trace = workshop.directory / "ran"
    script = workshop.project / ".claude" / "hooks" / "look.sh"
    script.parent.mkdir(parents=True)
    script.write_text("exit 0\n")
    file = workshop.project / ".claude" / "settings.json"
    setting = hooks("UserPromptSubmit", 'sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/look.sh', sandbox=True)
    file.write_text(json.dumps({"hooks": setting}))
    workshop.trust()
    script.write_text(f"touch '{trace}'\n")
    async with workshop.work(DONE, sandbox={"mode": "off"}) as work:
        await work.prompt()
    assert not trace.exists()
    workshop.trust()
    file.write_text(json.dumps({"hooks": setting, "permissions": {"allow": ["Bash(ls)"]}}))
    async with workshop.work(DONE, sandbox={"mode": "off"}) as work:
        await work.prompt()
    assert trace.exists(), "a change beside the hooks is not asked again"


def test_hooks_that_change_between_the_look_at_the_file_and_its_reading_are_not_used(workshop: Workshop) -> None:
    file = workshop.project / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"hooks": hooks("Stop", "trusted", sandbox=True)}))
    workshop.trust()
    project = Trust(workshop.locations.trust).judge(inventory(workshop.project))
    assert [hook.command for hook in command_hooks(Settings(), (project,), (), [])] == ["trusted"]
    file.write_text(json.dumps({"hooks": hooks("Stop", "changed", sandbox=True)}))
    assert command_hooks(Settings(), (project,), (), []) == ()


async def test_a_project_switches_off_no_hook_of_the_user(workshop: Workshop) -> None:
    (workshop.project / "placet.json").write_text(json.dumps({"disableAllHooks": True}))
    workshop.trust()
    workshop.own("placet.json", json.dumps({"hooks": hooks("PreToolUse", "echo mine >&2; exit 2")}))
    async with workshop.work(WRITES, DONE) as work:
        assert "mine" in error((await work.prompt())[0])


async def test_a_faulty_hook_is_named_and_the_others_run(workshop: Workshop) -> None:
    setting: dict[str, Any] = {
        "PreToolUse": [
            {"matcher": "(", "hooks": [{"type": "command", "command": "exit 2"}]},
            {
                "hooks": [
                    {"type": "prompt", "prompt": "Is it good?"},
                    {"type": "command", "command": "echo ok >&2; exit 2"},
                ]
            },
        ],
        "Never": [],
    }
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        assert "ok" in error((await work.prompt())[0])
        problems = "\n".join(work.sessions.config.problems)
    assert "the matcher `(` is no regular expression" in problems
    assert "only hooks of the type `command`" in problems
    assert "Placet has no such event" in problems


# ---------------------------------------------------------------- summaries, later sessions, changed files


async def test_a_summary_runs_hooks_before_and_at_the_next_prompt(workshop: Workshop) -> None:
    (workshop.project / "long.txt").write_text("old line\n" * 400)
    before_it, after_it = workshop.directory / "before", workshop.directory / "after"
    setting = {
        **hooks("PreCompact", f"cat > '{before_it}'", matcher="manual"),
        **hooks("SessionStart", f"cat > '{after_it}'; echo Use tabs.", matcher="compact"),
    }
    turns = (call("read", filePath="long.txt"), DONE, [{"text": "The sum of it."}], DONE)
    async with workshop.work(*turns, hooks=setting) as work:
        await work.prompt()
        assert not before_it.exists()
        await work.session.compact()
        assert json.loads(before_it.read_text())["trigger"] == "manual"
        assert not after_it.exists()
        await work.prompt()
        assert json.loads(after_it.read_text())["source"] == "compact"
        assert "Use tabs." in requests(work)


async def test_a_session_that_is_opened_again_is_resumed(workshop: Workshop) -> None:
    trace = workshop.directory / "starts"
    async with workshop.work(DONE, DONE, hooks=hooks("SessionStart", f"cat > '{trace}'")) as work:
        await work.prompt()
        assert json.loads(trace.read_text())["source"] == "startup"
        session_id = work.session.info.id
        await work.sessions.unload(session_id)
        work.session = await work.sessions.load(session_id)
        await work.prompt()
    assert json.loads(trace.read_text())["source"] == "resume"


async def test_a_changed_file_of_hooks_counts_from_the_next_turn_on(workshop: Workshop) -> None:
    file = Path.home() / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text("{}")
    async with workshop.work(WRITES, DONE) as work:
        file.write_text(json.dumps({"hooks": hooks("PreToolUse", "echo 'from home' >&2; exit 2")}))
        await work.sessions.config_watcher.reload()
        assert "from home" in error((await work.prompt())[0])


async def test_a_hook_that_always_blocks_the_end_does_not_go_on_for_ever(workshop: Workshop) -> None:
    async with workshop.work(*[DONE] * 12, hooks=hooks("Stop", "echo more >&2; exit 2")) as work:
        await work.prompt()
        (model,) = work.session.models.values()
        made: Any = model
        assert len(made.requests) == 9


async def test_the_user_blocks_words_within_a_turn_too(workshop: Workshop) -> None:
    setting = {
        **hooks("UserPromptSubmit", "if grep -q tiger; then echo 'no animals' >&2; exit 2; fi"),
        **hooks("Stop", "exit 0"),
    }
    workshop.user.answer = lambda _: PermissionAnswer("once")
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        steered: list[asyncio.Task[Any]] = []

        def answer(_: object) -> PermissionAnswer:
            steered.append(asyncio.create_task(work.session.prompt([TextPart(text="A tiger.")], queue="steer")))
            return PermissionAnswer("once")

        workshop.user.answer = answer
        await work.prompt()
        await asyncio.gather(*steered)
        assert "tiger" not in requests(work)
    assert any("no animals" in notice for notice in notices(workshop))


async def test_a_plugin_sets_no_hooks(workshop: Workshop) -> None:
    trace = workshop.directory / "ran"
    setting = hooks("PreToolUse", f"touch '{trace}'", sandbox=True)
    text = (
        f"from placet.plugins import hook\n@hook('config')\ndef c(input, output):\n    output['hooks'] = {setting!r}\n"
    )
    workshop.own("plugin/sly.py", text + "    output['maxSteps'] = 7\n")
    async with workshop.work(WRITES, DONE, sandbox={"mode": "off"}) as work:
        assert work.sessions.settings.max_steps == 7, "the plugin changes other settings"
        await work.prompt()
    assert not trace.exists()


# ---------------------------------------------------------------- args, if, shell, and what stays in the store


async def test_a_hook_with_arguments_runs_without_a_shell(workshop: Workshop) -> None:
    trace = workshop.directory / "words"
    program = workshop.directory / "program"
    program.write_text(f"#!/bin/sh\nprintf '%s|' \"$@\" > '{trace}'\n")
    program.chmod(0o755)
    setting = hooks("PreToolUse", str(program), args=["a b", "$(touch x)", "${CLAUDE_PROJECT_DIR}/y"])
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        output((await work.prompt())[0])
    assert trace.read_text() == f"a b|$(touch x)|{workshop.project}/y|"


@pytest.mark.parametrize(
    ("condition", "runs"),
    [
        ("Write", True),
        ("Write(*.txt)", True),
        ("Write(made.txt)", True),
        ("Write(*.py)", False),
        ("Edit(*.txt)", False),
        ("Write(sub/**)", False),
    ],
)
async def test_a_condition_says_for_which_calls_a_hook_runs(workshop: Workshop, condition: str, runs: bool) -> None:
    trace = workshop.directory / "ran"
    async with workshop.work(WRITES, DONE, hooks=hooks("PreToolUse", f"touch '{trace}'", **{"if": condition})) as work:
        output((await work.prompt())[0])
    assert trace.exists() == runs


@corpus(
    ("condition", "command", "holds"),
    [
        ("Bash(git push *)", "git push origin main", True),
        ("Bash(git push *)", "cd x && git push", True),
        ("Bash(git push:*)", "GIT_TRACE=1 git push -f", True),
        ("Bash(git push *)", "git status", False),
        ("Bash(rm *)", "ls; rm -rf build", True),
        ("Bash(rm *)", "ls rm", False),
        ("Bash(rm *)", "if (", True),
        ("mcp__notes__*", "", False),
    ],
)
def test_a_condition_for_commands_looks_at_each_command_and_holds_where_the_line_cannot_be_read(
    condition: str, command: str, holds: bool, tmp_path: Path
) -> None:
    read = read_condition(condition)
    assert read is not None
    assert read.holds(("Bash", "bash"), {"command": command}, tmp_path) == holds


def test_wrong_fields_of_a_hook_leave_the_hook_out() -> None:
    problems: list[str] = []
    for fields in ({"args": "x"}, {"args": [1]}, {"shell": "fish"}, {"shell": "bash", "args": []}, {"if": "(x)"}):
        assert read_hooks(hooks("PreToolUse", "echo", **fields), "here", HookOwner(), problems) == ()
    assert read_hooks(hooks("Stop", "echo", **{"if": "Bash"}), "here", HookOwner(), problems) == ()
    assert len(problems) == 6
    assert "`if` is about tool calls, and there is none at Stop" in problems[-1]


async def test_a_hook_names_its_shell(workshop: Workshop) -> None:
    trace = workshop.directory / "shell"
    setting = hooks("PreToolUse", f"echo $BASH_VERSION > '{trace}'", shell="bash")
    setting["PreToolUse"] += hooks("PreToolUse", "exit 2", shell="powershell")["PreToolUse"]
    async with workshop.work(WRITES, DONE, hooks=setting) as work:
        output((await work.prompt())[0])
    assert trace.read_text().strip()
    if shutil.which("pwsh") is None:
        assert "powershell was not found on PATH" in notices(workshop)[0]


async def test_a_prompt_is_in_no_file_of_the_store_while_its_hook_runs(workshop: Workshop) -> None:
    """So it does not stay there either, if the daemon is killed meanwhile."""
    seen = workshop.directory / "seen"
    look = f"grep -rlaF tigerword '{workshop.locations.data}' > '{seen}'; echo no >&2; exit 2"
    async with workshop.work(DONE, hooks=hooks("UserPromptSubmit", look)) as work:
        work.session = await work.sessions.create()
        result = await work.session.prompt([TextPart(text="A tigerword.")])
        assert result.error is not None
        assert work.session.info.title == "New session", "a blocked prompt names no session"
    assert seen.read_text() == ""


async def test_a_prompt_that_its_hook_lets_pass_is_stored_and_names_the_session(workshop: Workshop) -> None:
    async with workshop.work(DONE, hooks=hooks("UserPromptSubmit", "exit 0")) as work:
        work.session = await work.sessions.create()
        await work.prompt("Count the files.")
        assert work.session.info.title == "Count the files."
        assert "Count the files." in requests(work)
