"""Commands in the terminals of a client, over the true wire and with real processes."""

import json
from pathlib import Path

import pytest

from acp_support import ALLOW, REJECT, AcpClient
from acp_support.shared import SharedPlace
from acp_support.terminals import CAPABILITY, NO_ANSWER, SETTINGS_FILE, ClientTerminals, switch_on

MEBIBYTE = 1 << 20


@pytest.fixture
def place(shared_place: SharedPlace) -> SharedPlace:
    shared_place.lasting.add(SETTINGS_FILE)
    switch_on(shared_place)
    return shared_place


def bash(command, **arguments):
    return [{"call": "bash", "arguments": {"command": command, "description": "Do it", **arguments}}]


def client_of(place, *arguments, capabilities=CAPABILITY, answer=ALLOW):
    client = AcpClient(place, *arguments, capabilities=capabilities)
    client.terminals = ClientTerminals()
    client.permission = lambda params: answer
    return client


async def output_of(place, client, session_id):
    """The words about the command that the model has got."""
    await client.call("session/load", {"sessionId": session_id, "cwd": str(place.project), "mcpServers": []})
    return "\n".join(
        content["content"]["text"]
        for update in client.updates("tool_call", "tool_call_update")
        for content in update.get("content", [])
        if content["type"] == "content"
    )


async def test_a_command_runs_in_the_clients_terminal_and_the_call_shows_the_terminal(place):
    command = 'echo "found $FROM_CLIENT in $PWD"; exit 3'
    place.script(bash(command), [{"text": "Done."}])
    async with client_of(place) as client:
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        created = client.terminals.created
        assert created["sessionId"] == session_id
        assert created["args"] == ["-c", command]
        assert Path(created["command"]).name == "bash"
        assert created["cwd"] == str(place.project)
        assert created["outputByteLimit"] == MEBIBYTE
        assert [method.removeprefix("terminal/") for method in client.terminals.methods()] == [
            "create",
            "wait_for_exit",
            "output",
            "release",
        ]
        shown = [update for update in client.updates("tool_call_update") if "content" in update]
        terminal = {"type": "terminal", "terminalId": "term_1"}
        assert [terminal] in [update["content"] for update in shown if update["status"] == "in_progress"]
        assert shown[-1]["status"] == "completed"
        assert shown[-1]["content"] == [terminal]
        words = await output_of(place, client, session_id)
        assert f"found yes in {place.project}" in words
        assert "exit code 3" in words
        assert client.terminals.are_all_released
    assert b"Traceback" not in client.stderr


async def test_the_terminal_is_shown_before_the_command_has_ended(place):
    place.script(bash(f"until [ -e {place.directory}/go ]; do sleep 0.05; done"), [{"text": "Done."}])
    async with client_of(place) as client:
        prompt = client.begin_prompt(await client.opened())
        update = await client.update("tool_call_update", content=[{"type": "terminal", "terminalId": "term_1"}])
        assert update["status"] == "in_progress"
        (place.directory / "go").touch()
        assert (await client.answer(prompt))["stopReason"] == "end_turn"


async def test_without_the_setting_the_client_is_asked_for_no_terminal(place):
    switch_on(place, False)
    place.script(bash("echo ours"), [{"text": "Done."}])
    async with client_of(place) as client:
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert client.terminals.requests == []
        assert "ours" in await output_of(place, client, session_id)


async def test_a_client_without_terminals_is_logged_once_and_the_command_runs_in_our_runner(place):
    place.script(bash("echo one"), bash("echo two"), [{"text": "Done."}])
    async with client_of(place, capabilities={}) as client:
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert client.terminals.requests == []
        words = await output_of(place, client, session_id)
        assert "one" in words
        assert "two" in words
    assert client.stderr.count(b"acp.commandsInTerminal") == 1


async def test_a_project_does_not_switch_it_on_even_when_trusted(place):
    switch_on(place, False)
    (place.project / "placet.json").write_text(json.dumps({"acp": {"commandsInTerminal": True}}))
    place.script(bash("echo ours"), [{"text": "Done."}])
    async with client_of(place) as client:
        assert await client.prompt(await client.opened()) == "end_turn"
        assert client.terminals.requests == []


async def test_a_sandbox_that_is_required_keeps_commands_in_our_runner(place):
    switch_on(place, sandbox={"mode": "require"})
    place.script(bash("echo ours"), [{"text": "Done."}])
    async with client_of(place) as client:
        assert await client.prompt(await client.opened()) == "end_turn"
        assert client.terminals.requests == []


async def test_a_background_job_stays_in_our_runner(place):
    place.script(bash("echo ours", background=True), [{"text": "Done."}])
    async with client_of(place) as client:
        assert await client.prompt(await client.opened()) == "end_turn"
        assert client.terminals.requests == []


async def test_a_command_that_the_user_rejects_reaches_no_terminal(place):
    place.script(bash("touch made"), [{"text": "Done."}])
    async with client_of(place, answer=REJECT) as client:
        await client.prompt(await client.opened())
        assert len(client.requests("session/request_permission")) == 1
        assert client.terminals.requests == []
    assert not (place.project / "made").exists()


async def test_what_was_asked_is_what_runs(place):
    command = "printf '%s\\n' \"a  b\" 'c;d' > made; cat made"
    place.script(bash(command), [{"text": "Done."}])
    async with client_of(place) as client:
        await client.prompt(await client.opened())
        asked = (await client.asked())["params"]["toolCall"]["content"][0]["content"]["text"]
        assert command in asked
        assert client.terminals.created["args"] == ["-c", command]
    assert (place.project / "made").read_text() == "a  b\nc;d\n"


async def test_the_environment_has_no_secret_and_nothing_that_changes_how_bash_reads(place):
    place.environment |= {"SOME_API_KEY": "sk-123", "GREETING": "hello", "CDPATH": "/tmp", "TERM": "dumb"}
    place.script(bash("echo $GREETING"), [{"text": "Done."}])
    async with client_of(place) as client:
        await client.prompt(await client.opened())
        sent = {variable["name"]: variable["value"] for variable in client.terminals.created["env"]}
    assert sent["GREETING"] == "hello"
    assert sent["CDPATH"] == ""
    assert sent["GIT_PAGER"] == "cat"
    assert not {"SOME_API_KEY", "TERM", "PWD"} & set(sent)
    assert "sk-123" not in sent.values()


async def test_changes_by_the_command_are_shown_as_diffs_and_undone(place):
    place.script(bash("echo more >> a.txt"), [{"text": "Done."}])
    async with client_of(place) as client:
        session_id = await client.opened()
        await client.prompt(session_id)
        assert place.file.read_text() == "one\nold\nthree\nmore\n"
        last = [update for update in client.updates("tool_call_update") if "content" in update][-1]
        assert [content["type"] for content in last["content"]] == ["diff", "terminal"]
        assert await client.prompt(session_id, "/undo") == "end_turn"
    assert place.file.read_text() == "one\nold\nthree\n"


async def test_a_command_of_a_subagent_runs_under_the_clients_session(place):
    task = {"description": "look", "prompt": "Look.", "subagent_type": "general"}
    place.script([{"call": "task", "arguments": task}], bash("touch made"), [{"text": "Made."}], [{"text": "Done."}])
    async with client_of(place) as client:
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert {params["sessionId"] for _, params in client.terminals.requests} == {session_id}
        terminal = {"type": "terminal", "terminalId": "term_1"}
        assert any(terminal in update.get("content", []) for update in client.updates("tool_call_update"))
    assert (place.project / "made").exists()


# ---------------------------------------------------------------- ends


async def test_the_time_limit_kills_then_reads_and_releases(place):
    place.script(bash("echo begun; sleep 300", timeout=1000), [{"text": "Done."}])
    async with client_of(place) as client:
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        methods = [method for method in client.terminals.methods() if method != "terminal/wait_for_exit"]
        assert methods == ["terminal/create", "terminal/kill", "terminal/output", "terminal/release"]
        words = await output_of(place, client, session_id)
        assert "begun" in words
        assert "time limit of 1000 ms" in words


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"exitCode": None, "signal": "SIGTERM"}, "exit code -15"),
        ({"signal": "kill"}, "exit code -9"),
        ({"exitCode": None, "signal": "Bad luck"}, "Ended by the signal Bad luck."),
        ({}, "The client told no exit code."),
        ({"exitCode": "3"}, "The client told no exit code."),
        ({"exitCode": True}, "The client told no exit code."),
    ],
)
async def test_odd_ends_are_told(place, answer, words):
    place.script(bash("echo begun"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.quirks["terminal/wait_for_exit"] = lambda params: answer
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert words in await output_of(place, client, session_id)
        assert client.terminals.are_all_released


async def test_a_command_that_a_signal_ends_is_told_by_the_signal(place):
    place.script(bash("kill -TERM $$"), [{"text": "Done."}])
    async with client_of(place) as client:
        session_id = await client.opened()
        await client.prompt(session_id)
        assert "exit code -15" in await output_of(place, client, session_id)


async def test_an_output_cut_at_a_character_is_told_and_its_end_is_whole(place):
    command = "for i in $(seq 40000); do echo 'ö€𝄞ö€𝄞ö€𝄞'; done; echo end"
    place.script(bash(command), [{"text": "Done."}])
    async with client_of(place) as client:
        session_id = await client.opened()
        await client.prompt(session_id)
        words = await output_of(place, client, session_id)
        assert "The beginning of the output is missing" in words
        assert "end" in words
        assert "\ufffd" not in words


@pytest.mark.parametrize("text", ["half \ud83d", "\x1b[31mred\x1b[0m\r\nnext\r\n", ""])
async def test_odd_output_harms_nothing(place, text):
    place.script(bash("echo x"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.quirks["terminal/output"] = lambda params: {"output": text, "truncated": False}
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        words = await output_of(place, client, session_id)
        assert "\x1b" not in words
        assert client.terminals.are_all_released


# ---------------------------------------------------------------- faults of clients


async def test_a_refused_terminal_is_told_to_the_model_and_nothing_runs(place):
    place.script(bash("touch made"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.quirks["terminal/create"] = lambda params: RuntimeError("no room for a terminal")
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        words = await output_of(place, client, session_id)
        assert "The client did not run the command in its terminal: no room for a terminal" in words
        assert client.terminals.methods() == ["terminal/create"]
    assert not (place.project / "made").exists()


@pytest.mark.parametrize("answer", [{"terminalId": None}, {"terminalId": 7}, {"terminalId": ""}, {"id": "x"}])
async def test_a_terminal_without_a_name_is_told_as_unknown(place, answer):
    place.script(bash("touch made"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.quirks["terminal/create"] = lambda params: answer
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert "Nobody knows whether the command has run" in await output_of(place, client, session_id)


@pytest.mark.parametrize("method", ["terminal/wait_for_exit", "terminal/output", "terminal/release"])
@pytest.mark.parametrize("answer", [RuntimeError("broken"), {"odd": 1}], ids=["error", "odd"])
async def test_a_fault_of_one_method_leaves_the_turn_and_the_release(place, method, answer):
    place.script(bash("echo begun"), [{"text": "Done."}], [{"text": "Next."}])
    async with client_of(place) as client:
        client.terminals.quirks[method] = lambda params: answer
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert client.terminals.methods().count("terminal/release") == 1
        assert await client.prompt(session_id, "Go on.") == "end_turn"
    assert b"Traceback" not in client.stderr


async def test_a_command_whose_end_the_client_cannot_tell_is_killed(place):
    place.script(bash("sleep 300"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.quirks["terminal/wait_for_exit"] = lambda params: RuntimeError("broken")
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert client.terminals.methods()[-3:] == ["terminal/kill", "terminal/output", "terminal/release"]
        assert "could not tell the end of the command (broken)" in await output_of(place, client, session_id)


async def test_a_fault_of_kill_leaves_the_output_and_the_release(place):
    place.script(bash("echo begun; sleep 300", timeout=1000), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.quirks["terminal/kill"] = lambda params: RuntimeError("broken")
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert "begun" in await output_of(place, client, session_id)
        assert client.terminals.are_all_released
    assert b"terminal/kill of the terminal term_1 failed: broken" in client.stderr


async def test_a_terminal_opened_after_the_cancel_is_killed_and_released(place):
    place.script(bash("touch made; sleep 300"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.held.clear()
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        await client.terminals.until(lambda one: "terminal/create" in one.methods())
        client.notify("session/cancel", {"sessionId": session_id})
        assert await client.answer(prompt) == {"stopReason": "cancelled"}
        client.terminals.held.set()
        await client.terminals.until(lambda one: one.opened and one.are_all_released)
        assert client.terminals.methods()[-2:] == ["terminal/kill", "terminal/release"]
        place.script([{"text": "Next."}])
        assert await client.prompt(await client.new_session(), "Go on.") == "end_turn"


async def test_a_client_that_dies_with_an_open_terminal_leaves_no_process_of_ours(place):
    place.script(bash("sleep 300"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.terminals.quirks["terminal/release"] = lambda params: NO_ANSWER
        session_id = await client.opened()
        client.begin_prompt(session_id)
        await client.terminals.until(lambda one: "terminal/wait_for_exit" in one.methods())
        client.close_input()
        assert await client.ended() == 0
        await client.terminals.until(lambda one: "terminal/release" in one.methods())
    assert b"Traceback" not in client.stderr


async def test_a_signal_to_placet_releases_the_open_terminal(place):
    place.script(bash("sleep 300"), [{"text": "Done."}])
    async with client_of(place) as client:
        client.begin_prompt(await client.opened())
        await client.terminals.until(lambda one: "terminal/wait_for_exit" in one.methods())
        client.process.terminate()
        assert await client.ended() == 0
        await client.terminals.until(lambda one: one.are_all_released)
