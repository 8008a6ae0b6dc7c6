"""Sessions over the true wire: opening, replaying, listing, closing and deleting, also across processes."""

import asyncio
import os
from pathlib import Path

import pytest

from acp_support import ALLOW, EDIT, READ, AcpClient, Refused, run_placet


def opening(place, session_id):
    return {"sessionId": session_id, "cwd": str(place.project), "mcpServers": []}


# ---------------------------------------------------------------- folders


async def test_one_process_serves_sessions_in_different_folders(place):
    other = place.directory / "other"
    other.mkdir()
    (other / "a.txt").write_text("an old place\n")
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        here, there = await client.new_session(), await client.new_session(other)
        prompts = [client.begin_prompt(here), client.begin_prompt(there)]
        assert [(await client.answer(one))["stopReason"] for one in prompts] == ["end_turn", "end_turn"]
        assert place.file.read_text() == "one\nnew\nthree\n"
        assert (other / "a.txt").read_text() == "an new place\n"
        asked = {
            one["params"]["sessionId"]: one["params"]["toolCall"]
            for one in client.requests("session/request_permission")
        }
        assert asked[here]["locations"][0]["path"] == str(place.file)
        assert asked[there]["locations"][0]["path"] == str(other / "a.txt")


async def test_a_file_of_an_additional_folder_is_inside_for_its_session_alone(place):
    other = place.directory / "other"
    other.mkdir()
    (other / "b.txt").write_text("words\n")
    place.script([{"call": "read", "arguments": {"filePath": str(other / "b.txt")}}], [{"text": "Read."}])
    async with AcpClient(place) as client:
        await client.initialize()
        both = await client.new_session(additionalDirectories=[str(other)])
        assert await client.prompt(both) == "end_turn"
        assert client.requests("session/request_permission") == []
        alone = await client.new_session()
        client.begin_prompt(alone)
        assert (await client.asked())["params"]["sessionId"] == alone
        (listed,) = [one for one in (await client.call("session/list", {}))["sessions"] if one["sessionId"] == both]
        assert listed["cwd"] == str(place.project)
        assert listed["additionalDirectories"] == [str(other)]


@pytest.mark.parametrize("cwd", ["project", "", "/no/such/folder", "/etc/passwd", "/a\0b"])
async def test_a_folder_that_is_none_is_refused_with_words(place, cwd):
    async with AcpClient(place) as client:
        await client.initialize()
        with pytest.raises(Refused, match="cwd") as refused:
            await client.call("session/new", {"cwd": cwd, "mcpServers": []})
        assert refused.value.code == -32602


async def test_sessions_opened_at_once_in_one_folder_share_their_services(place):
    async with AcpClient(place) as client:
        await client.initialize()
        params = {"cwd": str(place.project), "mcpServers": []}
        ids = [client.begin("session/new", params) for _ in range(5)]
        sessions = {(await client.answer(one))["sessionId"] for one in ids}
        assert len(sessions) == 5
        files = (os.path.realpath(file) for file in Path(f"/proc/{client.process.pid}/fd").iterdir())
        assert [Path(file).name for file in files].count("placet.db") == 1


# ---------------------------------------------------------------- after the answer


async def test_commands_are_told_behind_the_answer_that_names_the_session(place):
    async with AcpClient(place) as client:
        session_id = await client.opened()
        commands = await client.update("available_commands_update")
        assert "init" in {command["name"] for command in commands["availableCommands"]}
        answered = client.place_of(lambda one: one.get("result", {}).get("sessionId") == session_id)
        assert answered < client.place_of(lambda one: one.get("method") == "session/update")


async def test_the_agents_are_modes_and_a_set_mode_counts_from_the_next_prompt(place):
    place.script([{"text": "Planned."}])
    async with AcpClient(place) as client:
        await client.initialize()
        made = await client.call("session/new", {"cwd": str(place.project), "mcpServers": []})
        assert made["modes"]["currentModeId"] == "build"
        assert {"build", "plan"} <= {mode["id"] for mode in made["modes"]["availableModes"]}
        session_id = made["sessionId"]
        assert await client.call("session/set_mode", {"sessionId": session_id, "modeId": "plan"}) == {}
        assert client.updates("current_mode_update") == []
        with pytest.raises(Refused, match="nobody"):
            await client.call("session/set_mode", {"sessionId": session_id, "modeId": "nobody"})
        loaded = await client.call("session/load", opening(place, session_id))
        assert loaded["modes"]["currentModeId"] == "plan"


async def test_the_options_of_the_command_line_hold_for_every_new_session(place):
    async with AcpClient(place, "--agent", "plan", "--allow", "edit") as client:
        await client.initialize()
        made = await client.call("session/new", {"cwd": str(place.project), "mcpServers": []})
        assert made["modes"]["currentModeId"] == "plan"
    place.script([READ], [EDIT], [{"text": "Done."}])
    async with AcpClient(place, "--allow", "edit") as client:
        assert await client.prompt(await client.opened()) == "end_turn"
        assert client.requests("session/request_permission") == []
        assert place.file.read_text() == "one\nnew\nthree\n"


# ---------------------------------------------------------------- load and resume


async def test_a_session_is_replayed_as_it_was_shown_in_another_process(place):
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        await client.prompt(session_id, "Make it new.")
    async with AcpClient(place) as client:
        await client.initialize()
        since = len(client.messages)
        result = await client.call("session/load", opening(place, session_id))
        assert result["modes"]["currentModeId"] == "build"
        answered = client.messages.index(next(one for one in client.messages if one.get("result") == result))
        updates = [one["params"]["update"] for one in client.messages[since:answered]]
        assert [update["sessionUpdate"] for update in updates] == [
            "user_message_chunk",
            "tool_call",
            "tool_call",
            "agent_message_chunk",
        ]
        assert updates[0]["content"]["text"] == "Make it new."
        assert updates[2]["status"] == "completed"
        diff = updates[2]["content"][0]
        assert (diff["path"], diff["oldText"], diff["newText"]) == (
            str(place.file),
            "one\nold\nthree\n",
            "one\nnew\nthree\n",
        )
        await client.update("available_commands_update")


async def test_a_resumed_session_is_not_replayed_and_goes_on(place):
    place.script([{"text": "First."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        await client.prompt(session_id)
    async with AcpClient(place) as client:
        await client.initialize()
        await client.call("session/resume", {"sessionId": session_id, "cwd": str(place.project)})
        await client.update("available_commands_update")
        assert client.updates("user_message_chunk", "agent_message_chunk") == []
        place.script([{"text": "First."}], [{"text": "Second."}])
        assert await client.prompt(session_id) == "end_turn"


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
async def test_an_unknown_session_cannot_be_opened(place, method):
    async with AcpClient(place) as client:
        await client.initialize()
        with pytest.raises(Refused) as refused:
            await client.call(method, opening(place, "ses_nowhere"))
        assert refused.value.code == -32002


async def test_a_session_at_work_in_another_process_is_shown_and_says_so_when_prompted(place):
    go = place.directory / "go"
    place.script([{"text": "I am at work."}, {"wait_for_file": str(go)}, {"text": " Done."}])
    async with AcpClient(place) as first, AcpClient(place) as second:
        session_id = await first.opened()
        prompt = first.begin_prompt(session_id, "Work long.")
        await first.update("agent_message_chunk")
        await second.initialize()
        await second.call("session/load", opening(place, session_id))
        assert second.updates("user_message_chunk")[0]["content"]["text"] == "Work long."
        with pytest.raises(Refused, match="process"):
            await second.prompt(session_id)
        with pytest.raises(Refused, match="process"):
            await second.call("session/delete", {"sessionId": session_id})
        go.touch()
        assert (await first.answer(prompt))["stopReason"] == "end_turn"


async def test_the_sessions_of_a_killed_process_are_there(place):
    async with AcpClient(place) as client:
        session_id = await client.opened()
        client.begin_prompt(session_id, "Make it new.")
        await client.asked()
        client.process.kill()
        await client.process.wait()
    async with AcpClient(place) as client:
        await client.initialize()
        await client.call("session/load", opening(place, session_id))
        assert client.updates("user_message_chunk")[0]["content"]["text"] == "Make it new."
        assert client.updates("tool_call")[-1]["status"] == "failed"
        assert place.file.read_text() == "one\nold\nthree\n"


# ---------------------------------------------------------------- list, close, delete


async def test_the_list_is_empty_before_the_first_session(place):
    async with AcpClient(place) as client:
        await client.initialize()
        assert await client.call("session/list", {}) == {"sessions": []}


async def test_sessions_are_listed_in_pages_of_50_newest_first(place):
    async with AcpClient(place) as client:
        await client.initialize()
        made = [await client.new_session() for _ in range(53)]
        first = await client.call("session/list", {"cwd": str(place.project)})
        second = await client.call("session/list", {"cwd": str(place.project), "cursor": first["nextCursor"]})
        assert len(first["sessions"]) == 50
        assert "nextCursor" not in second
        listed = [one["sessionId"] for one in (*first["sessions"], *second["sessions"])]
        assert listed == made[::-1]


@pytest.mark.parametrize("cursor", ["nonsense", "1:", ":", "-1:ses_x", "1:x"])
async def test_a_cursor_of_another_make_is_refused(place, cursor):
    async with AcpClient(place) as client:
        await client.initialize()
        with pytest.raises(Refused, match="cursor"):
            await client.call("session/list", {"cursor": cursor})


async def test_the_list_of_a_folder_holds_the_sessions_of_this_folder(place):
    other = place.directory / "other"
    other.mkdir()
    async with AcpClient(place) as client:
        await client.initialize()
        here, there = await client.new_session(), await client.new_session(other)
        listed = (await client.call("session/list", {"cwd": str(other)}))["sessions"]
        assert [(one["sessionId"], one["cwd"]) for one in listed] == [(there, str(other))]
        assert {one["sessionId"] for one in (await client.call("session/list", {}))["sessions"]} == {here, there}
        assert (await client.call("session/list", {"cwd": "/no/such/folder"}))["sessions"] == []


async def test_the_list_of_a_folder_holds_no_session_with_this_folder_as_an_additional_one(place):
    other = place.directory / "other"
    other.mkdir()
    async with AcpClient(place) as client:
        await client.initialize()
        both = await client.new_session(additionalDirectories=[str(other)])
        alone = await client.new_session(other)
        listed = (await client.call("session/list", {"cwd": str(other)}))["sessions"]
        assert [one["sessionId"] for one in listed] == [alone]
        listed = (await client.call("session/list", {"cwd": str(place.project)}))["sessions"]
        assert [one["sessionId"] for one in listed] == [both]


async def test_a_closed_session_is_cancelled_and_can_be_loaded_again(place):
    place.script([{"text": "I begin"}, {"wait_for_file": str(place.directory / "never")}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id, "Work.")
        await client.update("agent_message_chunk")
        assert await client.call("session/close", {"sessionId": session_id}) == {}
        assert await client.answer(prompt) == {"stopReason": "cancelled"}
        with pytest.raises(Refused) as refused:
            await client.prompt(session_id)
        assert refused.value.code == -32002
        await client.call("session/load", opening(place, session_id))
        assert client.updates("user_message_chunk")[0]["content"]["text"] == "Work."
        place.script([{"text": "Read anew."}])
        assert await client.prompt(session_id) == "end_turn"
        assert client.text().endswith("Read anew.")


async def test_a_deleted_session_is_gone_and_deleting_once_more_succeeds(place):
    async with AcpClient(place) as client:
        session_id = await client.opened()
        for _ in range(2):
            assert await client.call("session/delete", {"sessionId": session_id}) == {}
        assert (await client.call("session/list", {}))["sessions"] == []
        with pytest.raises(Refused) as refused:
            await client.call("session/load", opening(place, session_id))
        assert refused.value.code == -32002
    listed = await asyncio.to_thread(run_placet, place, "sessions", "list", "--all", "--json")
    assert session_id not in listed.stdout


async def test_a_mistake_in_the_settings_is_told_in_the_first_session(place):
    settings = place.directory / "CONFIG" / "placet" / "placet.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('{"nonsense": 1}')
    async with AcpClient(place) as client:
        await client.opened()
        assert "nonsense" in (await client.update("agent_thought_chunk"))["content"]["text"]


async def test_the_title_of_a_first_prompt_is_told_before_its_answer(place):
    place.script([{"text": "Done."}])
    async with AcpClient(place) as client:
        await client.prompt(await client.opened(), "Paint the fence")
        ended = client.place_of(lambda one: "stopReason" in one.get("result", {}))
        updates = [one["params"]["update"] for one in client.messages[:ended] if "method" in one]
        assert {"sessionUpdate": "session_info_update", "title": "Paint the fence"} in updates


async def test_a_home_that_cannot_be_written_is_no_hindrance(place):
    (place.directory / "DATA").write_text("a file where a folder should be")
    (place.directory / "tmp").mkdir()
    place.environment["TMPDIR"] = str(place.directory / "tmp")
    place.script([{"text": "Done."}])
    async with AcpClient(place) as client:
        assert await client.prompt(await client.opened()) == "end_turn"
    assert b"not writable" in client.stderr


async def test_a_turn_that_waited_for_an_answer_when_the_client_left_is_stored_as_cancelled(place):
    async with AcpClient(place) as client:
        session_id = await client.opened()
        client.begin_prompt(session_id)
        await client.asked()
    exported = await asyncio.to_thread(run_placet, place, "sessions", "export", session_id)
    assert '"stopReason": "cancelled"' in exported.stdout
