"""Commands that the ACP front end carries out itself, over the true wire."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_support import ALLOW, EDIT, READ, AcpClient
from corpus_support import corpus
from placet.core.events import AvailableCommand
from placet.core.messages import FilePart, TextPart
from placet.frontends.acp.own_commands import COMMANDS, own_call, with_own_commands
from run_support import Place

Json = dict[str, Any]

DONE = [{"text": "Done."}]
OTHER = {"call": "write", "arguments": {"filePath": "b.txt", "content": "fresh\n"}}
TWO_HUNKS = {
    "call": "multiedit",
    "arguments": {
        "filePath": "long.txt",
        "edits": [{"oldString": "one", "newString": "ONE"}, {"oldString": "nine", "newString": "NINE"}],
    },
}
LONG = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"


async def staging(client: AcpClient, mode: str = "stage") -> str:
    """The id of a new session with this way of review."""
    session_id = await client.opened()
    params = {"sessionId": session_id, "configId": "review", "value": mode}
    await client.call("session/set_config_option", params)
    return session_id


async def said(client: AcpClient, session_id: str, command: str) -> str:
    """The words of the agent that answer the command."""
    before = len(client.updates("agent_message_chunk"))
    assert await client.prompt(session_id, command) == "end_turn"
    return "".join(one["content"]["text"] for one in client.updates("agent_message_chunk")[before:])


async def test_the_commands_are_listed_and_take_their_names(place: Place) -> None:
    async with AcpClient(place) as client:
        await client.opened()
        listed = (await client.update("available_commands_update"))["availableCommands"]
        names = [command["name"] for command in listed]
        assert len(names) == len(set(names))
        assert {"changes", "accept", "reject", "undo", "redo", "back", "compact", "status", "init", "review"} <= set(
            names
        )


async def test_cost_permissions_and_jobs_are_shown_and_a_title_is_given(place: Place) -> None:
    place.script(DONE)
    async with AcpClient(place) as client:
        session_id = await client.opened()
        assert "This session has spent nothing." in await said(client, session_id, "/cost")
        assert "Rules (the last matching rule decides):" in await said(client, session_id, "/permissions")
        assert "no command in the background" in await said(client, session_id, "/jobs")
        assert "Write the new title behind `/rename`" in await said(client, session_id, "/rename")
        assert await said(client, session_id, "/rename  A  name") == "The title is now: A name"


async def test_a_staged_change_is_listed_with_its_lines_and_accepted(place: Place) -> None:
    place.script([READ], [EDIT], DONE)
    async with AcpClient(place) as client:
        session_id = await staging(client)
        await client.prompt(session_id)
        assert place.file.read_text() == "one\nold\nthree\n"
        listing = await said(client, session_id, "/changes")
        assert lines(await said(client, session_id, "/status"))["To review"] == "1 file (`/changes`)"
        assert "Proposed" in listing
        assert "a.txt  +1 -1" in listing
        assert "-old\n+new" in listing
        assert "written" in await said(client, session_id, "/accept")
        assert place.file.read_text() == "one\nnew\nthree\n"
        after = await said(client, session_id, "/changes")
        assert "Changes to review" not in after
        assert "applied" in after
        assert await said(client, session_id, "/accept") == "No change waits for a review."
        assert client.requests("session/request_permission") == []


async def test_a_command_runs_no_turn_and_is_not_told_to_the_model(place: Place) -> None:
    place.script(DONE)
    async with AcpClient(place) as client:
        session_id = await client.opened()
        assert await said(client, session_id, "/changes") == "This session has changed no file."
        # The scripted model still has its only answer.
        assert await said(client, session_id, "Go.") == "Done."
        await client.call("session/load", {"sessionId": session_id, "cwd": str(place.project), "mcpServers": []})
        replayed = [one["content"]["text"] for one in client.updates("user_message_chunk")]
        assert replayed == ["Go."]


async def test_a_file_and_hunks_of_a_file_are_decided_by_name(place: Place) -> None:
    (place.project / "long.txt").write_text(LONG)
    read = {"call": "read", "arguments": {"filePath": "long.txt"}}
    place.script([read], [TWO_HUNKS], [OTHER], DONE)
    async with AcpClient(place) as client:
        session_id = await staging(client)
        await client.prompt(session_id)
        listing = await said(client, session_id, "/changes")
        assert "@@ hunk 1, line 1 @@" in listing
        assert "@@ hunk 2, line 9 @@" in listing
        assert "has no hunk 7" in await said(client, session_id, "/accept long.txt 1,7")
        assert "No change of nothing.txt waits" in await said(client, session_id, "/accept nothing.txt")
        assert "written" in await said(client, session_id, "/accept ./long.txt 2")
        assert (place.project / "long.txt").read_text() == LONG.replace("nine", "NINE")
        assert not (place.project / "b.txt").exists()
        assert "rejected" in await said(client, session_id, "/reject b.txt")
        assert "rejected" in await said(client, session_id, "/reject")
        assert (place.project / "long.txt").read_text() == LONG.replace("nine", "NINE")
        assert not (place.project / "b.txt").exists()


async def test_a_hunk_in_conflict_is_accepted_by_its_number_alone(place: Place) -> None:
    file = place.project / "long.txt"
    file.write_text(LONG)
    read = {"call": "read", "arguments": {"filePath": "long.txt"}}
    place.script([read], [TWO_HUNKS], DONE)
    async with AcpClient(place) as client:
        session_id = await staging(client)
        await client.prompt(session_id)
        mine = LONG.replace("nine", "mine")
        file.write_text(mine)
        listing = await said(client, session_id, "/changes")
        assert "1 hunk in conflict" in listing
        assert "@@ hunk 2, line 9, in conflict with your lines @@" in listing
        assert "replaces your lines" in listing
        assert "1 hunk in conflict still waits for your decision." in await said(client, session_id, "/accept")
        left = file.read_text()
        assert left != mine
        assert "mine" in left
        assert "conflict" in await said(client, session_id, "/accept")
        assert file.read_text() == left
        assert "written" in await said(client, session_id, "/accept long.txt 1")
        assert file.read_text() == left.replace("mine", "NINE")


async def test_the_reason_of_a_rejection_reaches_the_model(place: Place) -> None:
    turns: list[Json] = [{"events": [READ]}, {"events": [EDIT]}, {"events": DONE}]
    turns.append({"expect": ["use another word"], "events": [{"text": "Understood."}]})
    place.script()
    (place.directory / "script.json").write_text(json.dumps({"turns": turns}))
    async with AcpClient(place) as client:
        session_id = await staging(client)
        await client.prompt(session_id)
        assert "rejected" in await said(client, session_id, "/reject a.txt use another word")
        assert await said(client, session_id, "Go on.") == "Understood."


async def test_an_unreviewed_change_is_undone_by_reject_and_kept_by_accept(place: Place) -> None:
    place.script([READ], [EDIT], DONE, [READ], [EDIT], DONE)
    async with AcpClient(place) as client:
        session_id = await staging(client, "apply")
        await client.prompt(session_id)
        assert place.file.read_text() == "one\nnew\nthree\n"
        assert "Unreviewed" in await said(client, session_id, "/changes")
        assert "undone" in await said(client, session_id, "/reject")
        assert place.file.read_text() == "one\nold\nthree\n"
        await client.prompt(session_id, "Again.")
        assert "kept" in await said(client, session_id, "/accept")
        assert place.file.read_text() == "one\nnew\nthree\n"


async def test_undo_and_redo_answer_with_the_files(place: Place) -> None:
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        await client.prompt(session_id)
        assert place.file.read_text() == "one\nnew\nthree\n"
        assert "a.txt" in await said(client, session_id, "/undo")
        assert place.file.read_text() == "one\nold\nthree\n"
        assert "a.txt" in await said(client, session_id, "/redo")
        assert place.file.read_text() == "one\nnew\nthree\n"
        await said(client, session_id, "/undo")
        nothing = await said(client, session_id, "/undo")
        assert nothing
        assert place.file.read_text() == "one\nold\nthree\n"


@pytest.mark.parametrize("goes", [True, False])
async def test_going_back_asks_with_the_preview_and_goes_back_and_forward(place: Place, goes: bool) -> None:
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        await client.prompt(session_id, "Change the file.")
        assert "1  Change the file." in await said(client, session_id, "/back")
        client.permission = lambda params: {
            "outcome": {"outcome": "selected", "optionId": "choice:0" if goes else "choice:1"}
        }
        words = await said(client, session_id, "/back 1")
        request = client.requests("session/request_permission")[-1]["params"]
        assert [option["name"] for option in request["options"]][:2] == ["Go back to here", "Stay"]
        assert "hides 1 prompt" in json.dumps(request["toolCall"]["content"])
        if not goes:
            assert words == "Nothing was changed."
            assert place.file.read_text() == "one\nnew\nthree\n"
            return
        assert place.file.read_text() == "one\nold\nthree\n"
        assert "Change the file." in words
        assert "Forward again." in await said(client, session_id, "/back redo")
        assert place.file.read_text() == "one\nnew\nthree\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [("/back 9", "no prompt `9`"), ("/back 1 sideways", "sideways"), ("/compact", ""), ("/redo", "")],
)
async def test_a_command_that_cannot_be_carried_out_says_so_in_words(place: Place, command: str, words: str) -> None:
    place.script(DONE)
    async with AcpClient(place) as client:
        session_id = await client.opened()
        if words:
            await client.prompt(session_id)
        answer = await said(client, session_id, command)
        assert answer
        assert words in answer


async def test_compaction_is_told_in_words(place: Place) -> None:
    place.script([{"text": " ".join(map(str, range(5_000)))}], [{"text": "A summary."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        await client.prompt(session_id)
        assert "tokens became" in await said(client, session_id, "/compact")


def lines(words: str) -> dict[str, str]:
    """The lines of `/status` by their names."""
    return {line[:12].strip(): line[13:] for line in words.splitlines() if line[12:13] == " "}


async def test_the_status_names_the_choices_of_the_session_and_the_unsaved_files(place: Place) -> None:
    place.environment["PLACET_MODEL"] = "builtin/rules"
    fs = {"fs": {"readTextFile": True, "writeTextFile": True}}
    async with AcpClient(place, capabilities=fs, name="some-client") as client:
        client.files = lambda method, params: {"content": "typed\n"} if params["path"] == str(place.file) else None
        session_id = await staging(client)
        shown = lines(await said(client, session_id, "/status"))
        assert (shown["Agent"], shown["Model"]) == ("build", "builtin/rules (needs no key)")
        assert shown["Profile"].startswith("full: ")
        assert (shown["Review"], shown["How careful"]) == ("Collect changes for review", "Ask where it matters")
        assert shown["Unsaved"] == "none of the files read last"
        assert shown["Placet"].endswith("in some-client 1")
        assert shown["Session"] == session_id
        assert shown["Sandbox"]
        assert "To review" not in shown

        model = place.script([READ], [EDIT], DONE)
        for option, value in (("model", model), ("caution", "more")):
            params = {"sessionId": session_id, "configId": option, "value": value}
            await client.call("session/set_config_option", params)
        await client.prompt(session_id)
        shown = lines(await said(client, session_id, "/status"))
        assert (shown["How careful"], shown["Unsaved"]) == ("Ask before every act", "a.txt")


@pytest.mark.parametrize(
    ("capabilities", "words"),
    [
        ({}, "this client shows no unsaved text"),
        ({"fs": {"readTextFile": True}}, "not edited until you save"),
        ({"fs": {"readTextFile": True, "writeTextFile": True}}, "written through this client"),
    ],
)
async def test_the_status_says_how_files_are_read_and_written(place: Place, capabilities: Json, words: str) -> None:
    async with AcpClient(place, capabilities=capabilities) as client:
        assert words in lines(await said(client, await client.opened(), "/status"))["Files"]


async def test_the_status_names_the_terminals_of_the_client_where_commands_run_there(place: Place) -> None:
    folder = place.directory / "CONFIG" / "placet"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "placet.json").write_text('{"acp": {"commandsInTerminal": true}}')
    for capabilities, name in (({"terminal": True}, "Commands"), ({}, "Sandbox")):
        async with AcpClient(place, capabilities=capabilities) as client:
            shown = lines(await said(client, await client.opened(), "/status"))
            assert {"Commands", "Sandbox"} & set(shown) == {name}


async def test_a_command_of_the_user_with_a_name_of_ours_is_told_once(place: Place) -> None:
    folder = place.directory / "CONFIG" / "placet" / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("status", "own"):
        (folder / f"{name}.md").write_text("Do it.\n")
    async with AcpClient(place) as client:
        session_id = await client.opened()
        await said(client, session_id, "/status")
        assert "Your command `/status`" in client.text("agent_thought_chunk")
        await said(client, await client.new_session(), "/status")
        assert client.text("agent_thought_chunk").count("cannot be called here") == 1


@corpus(
    ("text", "name"),
    [("/undo", "undo"), ("  /undo  ", "undo"), ("/accept a.txt 1", "accept"), ("/init", None), ("undo", None)],
)
def test_only_a_prompt_of_one_text_with_a_name_of_ours_calls_a_command(text: str, name: str | None) -> None:
    call = own_call([TextPart(text=text)])
    assert (None if call is None else call.name) == name
    assert own_call([TextPart(text=text), FilePart(uri="file:///a", mime="text/plain")]) is None
    assert own_call([TextPart(text=text, synthetic=True)]) is None


@given(st.lists(st.sampled_from(["undo", "accept", "init", "own"]), unique=True))
def test_every_name_is_listed_once_and_ours_come_first(names: list[str]) -> None:
    theirs = [AvailableCommand(name=name, description="d", source="s") for name in names]
    listed = [command.name for command in with_own_commands(theirs)]
    assert len(listed) == len(set(listed))
    assert listed[: len(COMMANDS)] == [command.name for command in COMMANDS]
    assert set(names) <= set(listed)
