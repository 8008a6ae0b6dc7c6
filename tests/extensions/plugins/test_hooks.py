"""Every hook is called at its place, in order, within its time; one that fails is named and passed over."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from extension_support import DONE, Workshop, call, error, output
from placet.core.messages import TextPart
from placet.core.ports import PermissionAnswer
from placet.extensions.plugins import process
from process_support import has_ended, written_pid
from time_support import LoopClock, limited


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def plugin(hook: str, *lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"import json\nfrom placet.plugins import hook\n@hook({hook!r})\ndef called(input, output):\n{body}\n"


async def test_a_call_has_the_arguments_that_plugins_give_it(workshop: Workshop) -> None:
    workshop.own("plugin/before.py", plugin("tool.execute.before", "output['args']['pattern'] = '*.md'"))
    (workshop.project / "a.md").touch()
    async with workshop.work(call("glob", pattern="*.txt"), DONE) as work:
        (state,) = await work.prompt()
    assert state.input == {"pattern": "*.md"}
    assert output(state).endswith("a.md")


async def test_a_result_is_as_plugins_leave_it(workshop: Workshop) -> None:
    lines = "output['output'] = input['tool'] + ' ' + input['args']['pattern']", "output['title'] = 'Looked'"
    workshop.own("plugin/after.py", plugin("tool.execute.after", *lines))
    async with workshop.work(call("glob", pattern="*.txt"), DONE) as work:
        (state,) = await work.prompt()
    assert output(state) == "glob *.txt"
    assert state.title == "Looked"


async def test_plugins_are_called_in_order_and_each_has_what_the_one_before_left(workshop: Workshop) -> None:
    for name in ("b", "a"):
        workshop.own(f"plugin/{name}.py", plugin("tool.execute.after", f"output['output'] += ' own-{name}'"))
        workshop.brought(f"plugin/{name}.py", plugin("tool.execute.after", f"output['output'] += ' project-{name}'"))
    workshop.trust()
    async with workshop.work(call("glob", pattern="*.txt"), DONE) as work:
        (state,) = await work.prompt()
    assert output(state).endswith("own-a own-b project-a project-b")


async def test_a_prompt_is_as_plugins_would_have_it(workshop: Workshop) -> None:
    text = "output['parts'].append({'type': 'text', 'text': input['agent'] + ' heard: ' + output['parts'][0]['text']})"
    workshop.own("plugin/message.py", plugin("chat.message", text))
    async with workshop.work(DONE) as work:
        await work.prompt("Hello.")
        texts = [part.text for part in work.session.messages[0].parts if isinstance(part, TextPart)]
    assert texts == ["Hello.", "build heard: Hello."]


async def test_what_steers_a_turn_is_as_plugins_would_have_it(workshop: Workshop) -> None:
    lines = "output['parts'].append({'type': 'text', 'text': 'heard: ' + output['parts'][0]['text']})"
    workshop.own("plugin/message.py", plugin("chat.message", lines))
    gate = workshop.directory / "go"
    async with workshop.work([{"text": "Hm."}, {"wait_for_file": str(gate)}], DONE) as work:
        running = asyncio.create_task(work.session.prompt([TextPart(text="Hello.")]))
        await workshop.screen.wait_for("agent_message_chunk")
        steering = asyncio.create_task(work.session.prompt([TextPart(text="Louder.")], queue="steer"))
        while not any(getattr(message, "steers", None) for message in work.session.messages):
            await workshop.screen.wait_for_more()
        gate.touch()
        await asyncio.gather(running, steering)
        [steered] = [message for message in work.session.messages if getattr(message, "steers", None)]
    texts = [part.text for part in steered.parts if isinstance(part, TextPart)]
    assert texts[:2] == ["Louder.", "heard: Louder."]


async def test_a_command_says_what_plugins_make_of_it(workshop: Workshop) -> None:
    line = (
        "output['parts'].append({'type': 'text', 'text': input['command'] + ' of ' + input['arguments'] + ' @a.txt'})"
    )
    workshop.own("plugin/command.py", plugin("command.execute.before", line))
    workshop.own("commands/explain.md", "Explain $ARGUMENTS.")
    (workshop.project / "a.txt").write_text("hidden")
    async with workshop.work(DONE) as work:
        await work.prompt("/explain the loop")
        parts = [part for part in work.session.messages[0].parts if isinstance(part, TextPart) and part.synthetic]
    assert [part.text for part in parts][1:] == ["Explain the loop.", "explain of the loop @a.txt"]


async def test_an_answer_is_kept_as_plugins_leave_it(workshop: Workshop) -> None:
    workshop.own("plugin/text.py", plugin("experimental.text.complete", "return {'text': output['text'].upper()}"))
    async with workshop.work(DONE) as work:
        await work.prompt()
        assert work.said == "DONE."
    async with workshop.open() as again:
        session = await again.load(work.session.info.id)
        assert "DONE." in str(session.messages)


async def test_commands_have_the_variables_that_plugins_add(workshop: Workshop) -> None:
    workshop.own("plugin/env.py", plugin("shell.env", "output['env']['WHERE'] = input['cwd']"))
    async with workshop.work(call("bash", command="echo at $WHERE"), DONE) as work:
        (state,) = await work.prompt()
    assert output(state).strip() == f"at {workshop.project}"


async def test_plugins_hear_of_events_in_order(workshop: Workshop) -> None:
    heard = workshop.directory / "heard"
    line = f"open({str(heard)!r}, 'a').write(input['event']['update']['kind'] + chr(10))"
    workshop.own("plugin/event.py", plugin("event", line))
    async with workshop.work(DONE) as work:
        await work.prompt()
        async with limited(lambda: "the end of the turn to be heard"):
            while "turn_ended" not in (heard.read_text() if heard.exists() else ""):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.02)
    kinds = heard.read_text().split()
    assert kinds.index("turn_started") < kinds.index("agent_message_chunk") < kinds.index("turn_ended")


async def test_dispose_is_called_at_the_end(workshop: Workshop) -> None:
    trace = workshop.directory / "trace"
    workshop.own("plugin/dispose.py", plugin("dispose", f"open({str(trace)!r}, 'w').write('gone')"))
    async with workshop.work():
        assert not trace.exists()
    assert trace.read_text() == "gone"


async def test_the_model_sees_tools_as_plugins_describe_them(workshop: Workshop) -> None:
    lines = "if input['toolID'] == 'glob': output['description'] = 'Find.'", "else: output['parameters'] = 'nonsense'"
    workshop.own("plugin/definition.py", plugin("tool.definition", *lines))
    async with workshop.work(DONE) as work:
        await work.prompt()
    # What cannot be used is named once for each tool's call, in the same words.
    assert len(work.told) == 1
    assert "`tool.definition` returned an invalid result: parameters: not a JSON Schema of type object" in work.told[0]


async def test_the_settings_are_as_plugins_would_have_them_and_again_without_them(workshop: Workshop) -> None:
    lines = "assert output['maxSteps'] is None", "output['maxSteps'] = 7", "output['plugin'] = ['evil']"
    file = workshop.own("plugin/config.py", plugin("config", *lines))
    async with workshop.work() as work:
        assert work.sessions.settings.max_steps == 7
        assert work.sessions.settings.plugin == ()
        file.write_text(plugin("config", *lines).replace("7", "8"))
        await work.sessions.config_watcher.reload()
        await work.custom.settled()
        assert work.sessions.settings.max_steps == 8
        file.unlink()
        await work.sessions.config_watcher.reload()
        await work.custom.settled()
        assert work.sessions.settings.max_steps is None


# ---------------------------------------------------------------- permission.ask


async def test_a_plugin_may_refuse_what_the_rules_allow(workshop: Workshop) -> None:
    workshop.own("plugin/ask.py", plugin("permission.ask", "output['status'] = 'deny'"))
    async with workshop.work(call("glob", pattern="*"), DONE) as work:
        assert "A plugin of the user refuses `glob`" in error((await work.prompt())[0])


async def test_a_plugin_may_have_the_user_asked(workshop: Workshop) -> None:
    workshop.own("plugin/ask.py", plugin("permission.ask", "output['status'] = 'ask'"))
    async with workshop.work(call("glob", pattern="*"), DONE) as work:
        await work.prompt()
    assert [request.permission for request in workshop.user.asked] == ["glob"]


async def test_a_plugin_may_allow_what_would_be_asked(workshop: Workshop) -> None:
    workshop.own("plugin/ask.py", plugin("permission.ask", "output['status'] = 'allow'"))
    workshop.user.answer = lambda _: PermissionAnswer("reject")
    async with workshop.work(call("bash", command="echo hello"), DONE) as work:
        assert output((await work.prompt())[0]).strip() == "hello"
    assert workshop.user.asked == []


async def test_no_plugin_allows_what_a_rule_denies(workshop: Workshop) -> None:
    workshop.own("plugin/ask.py", plugin("permission.ask", "output['status'] = 'allow'"))
    settings = {"permission": {"bash": {"*": "ask", "echo *": "deny"}}}
    async with workshop.work(call("bash", command="echo hello"), DONE, **settings) as work:
        assert "refuses `bash`" in error((await work.prompt())[0])


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("raise ValueError('no')", "failed: ValueError: no"),
        ("import sys; sys.exit(1)", "failed: SystemExit: 1"),
        ("output['output'] = 7", "returned an invalid result: title and output: not both strings"),
        ("output['attachments'] = [{'uri': 3}]", "returned an invalid result: 0.uri"),
        ("output['output'] = {1, 2}", "failed: TypeError"),
        ("return 'text'", "failed: TypeError: a hook gives a dict or nothing, not str"),
        ("import os; os._exit(1)", "did not answer"),
        ("while True: pass", "took longer than 60 seconds"),
        ("import threading; threading.Event().wait()", "took longer than 60 seconds"),
    ],
)
async def test_a_hook_that_fails_is_named_and_passed_over(
    workshop: Workshop, line: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, clock = workshop.directory / "mark", LoopClock(monkeypatch)

    async def let_time_pass() -> None:
        while not mark.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.02)
        if "took longer" in how:
            clock.skip(60)

    workshop.own("plugin/broken.py", plugin("tool.execute.after", f"open({str(mark)!r}, 'w').close()", line))
    workshop.brought("plugin/well.py", plugin("tool.execute.after", "output['output'] = 'well'"))
    workshop.trust()
    plugins = {"waitSeconds": 30, "timeoutSeconds": 60}
    async with workshop.work(call("glob", pattern="*"), DONE, plugins=plugins) as work:
        states, _ = await asyncio.gather(work.prompt(), let_time_pass())
        assert output(states[0]) == "well"
    assert (
        f"`broken` ({workshop.locations.config / 'plugin' / 'broken.py'}): its hook `tool.execute.after` {how}"
        in (work.told[0])
    )


async def test_an_async_hook_that_blocks_its_loop_is_ended(workshop: Workshop) -> None:
    text = plugin("tool.execute.after", "while True: pass").replace("def called", "async def called")
    workshop.own("plugin/blocks.py", text)
    async with workshop.work(
        call("glob", pattern="*"), DONE, plugins={"waitSeconds": 30, "timeoutSeconds": 0.3}
    ) as work:
        await work.prompt()
    assert "took longer than 0.3 seconds" in work.told[0]


async def test_a_hook_that_blocks_is_ended_however_often_the_turn_is_stopped(workshop: Workshop) -> None:
    pid = workshop.directory / "pid"
    lines = (f"import os; print(os.getpid(), file=open({str(pid)!r}, 'w'), flush=True)", "while True: pass")
    workshop.own("plugin/blocks.py", plugin("chat.message", *lines))
    plugins = {"waitSeconds": 30, "timeoutSeconds": 60}
    async with workshop.work(call("glob", pattern="*"), DONE, plugins=plugins) as work:
        turn = asyncio.create_task(work.prompt())
        number = await written_pid(pid)
        while not turn.done():
            turn.cancel()
            await asyncio.sleep(0)
        assert has_ended(number)


async def test_a_hook_that_is_too_slow_three_times_is_left_out(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "CANCEL_SECONDS", 60)
    clock = LoopClock(monkeypatch)
    count, go = workshop.directory / "count", workshop.directory / "go"
    lines = (
        f"open({str(count)!r}, 'a').write('x')",
        "import os, time",
        f"while not os.path.exists({str(go)!r} + str(os.path.getsize({str(count)!r}))): time.sleep(0.01)",
    )
    workshop.own("plugin/slow.py", plugin("tool.execute.before", *lines))
    turns = [call("glob", pattern=f"*{number}") for number in range(5)]
    plugins = {"waitSeconds": 30, "timeoutSeconds": 60}
    async with workshop.work(*turns, DONE, plugins=plugins) as work:
        turn = asyncio.create_task(work.prompt())
        for number in range(1, 4):
            while not count.exists() or count.stat().st_size < number:  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.02)
            clock.skip(60)
            go.with_name(f"go{number}").touch()
        assert len(await turn) == 5
    assert count.read_text() == "xxx"
    assert "disabled until the plugin's file changes" in work.told[-1]


# ---------------------------------------------------------------- what the model is given


async def test_a_request_is_as_plugins_shape_it(workshop: Workshop) -> None:
    """By the real wire: tests/extensions/test_hooks_on_the_wire.py; here that each is called with its shapes."""
    trace = workshop.directory / "trace"
    note = f"open({str(trace)!r}, 'a').write(json.dumps([called_as, sorted(input), sorted(output)]) + chr(10))"
    hooks = [
        "experimental.chat.messages.transform",
        "experimental.chat.system.transform",
        "chat.params",
        "chat.headers",
    ]
    for number, hook in enumerate(hooks):
        workshop.own(f"plugin/p{number}.py", plugin(hook, note.replace("called_as", repr(hook))))
    async with workshop.work(DONE) as work:
        await work.prompt()
        assert work.told == []
    calls: list[Any] = [json.loads(line) for line in trace.read_text().splitlines()]
    assert [call[0] for call in calls] == hooks
    assert all(call[1] == ["agent", "messageID", "model", "sessionID"] for call in calls)
    assert [call[2] for call in calls] == [
        ["messages"],
        ["system"],
        ["maxOutputTokens", "options", "temperature", "topK", "topP"],
        ["headers"],
    ]
