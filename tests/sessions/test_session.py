import asyncio
import sys

import pytest

from changes_support.answers import Comment, answering
from placet.agent.turn import tool_calls
from placet.core.errors import RequestError
from placet.core.messages import AssistantMessage, FilePart, LineRange, TextPart, ToolPart
from placet.core.ports import PermissionAnswer
from placet.core.transcript import Transcript
from placet.project.processes import commands
from placet.sessions.turns import recorder
from process_support import is_gone, written_pid
from services_support import TempServices
from time_support import HeldClock, limited

GO = [TextPart(text="Please go on.")]


@pytest.fixture
def services(tmp_path):
    return TempServices(tmp_path)


def calls(session) -> list[ToolPart]:
    messages = Transcript()
    for event in session.replay():
        messages.apply(event.update)
    return [part for message in messages.messages for part in message.parts if isinstance(part, ToolPart)]


def reading_and_editing(services: TempServices, *after: list[dict]) -> str:
    """A model that reads a.txt and puts `new` for `old` in it."""
    path = str(services.project / "a.txt")
    edit = {"filePath": path, "oldString": "old", "newString": "new"}
    return services.script(
        [{"call": "read", "arguments": {"filePath": path}}],
        [{"call": "edit", "arguments": edit}],
        [{"text": "Done."}],
        *after,
    )


async def test_an_edit_is_asked_applied_and_undone(services):
    (services.project / "a.txt").write_bytes(b"one\r\nold\r\nthree\r\n")
    async with services.open(reading_and_editing(services)) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

        assert result.stop_reason == "end_turn"
        assert (services.project / "a.txt").read_bytes() == b"one\r\nnew\r\nthree\r\n"
        assert [request.permission for request in services.user.asked] == ["edit"]
        assert services.user.asked[0].change.files[0].new_text == "one\nnew\nthree\n"

        undone = await session.undo()
        assert [(file.path.name, file.status) for file in undone] == [("a.txt", "restored")]
        assert (services.project / "a.txt").read_bytes() == b"one\r\nold\r\nthree\r\n"

        await session.redo()
        assert (services.project / "a.txt").read_bytes() == b"one\r\nnew\r\nthree\r\n"


async def test_a_rejected_edit_ends_the_turn_and_changes_nothing(services):
    (services.project / "a.txt").write_text("old\n")
    services.user.answer = lambda _: PermissionAnswer("reject")
    async with services.open(reading_and_editing(services)) as sessions:
        session = await sessions.create()

        assert (await session.prompt(GO)).stop_reason == "rejected"
        assert (services.project / "a.txt").read_text() == "old\n"
        assert [call.state.status for call in calls(session)] == ["completed", "error"]
        (file,) = calls(session)[1].state.metadata["files"]
        assert [hunk["newLines"] for hunk in file["refusedHunks"]] == [["new\n"]]


async def test_a_rejection_with_comments_is_told_to_the_model_and_the_turn_goes_on(services):
    path = services.project / "a.txt"
    path.write_text("old\n")
    services.user.answer = answering(outcome="reject", comments=(Comment(path, "not that word", 1),))
    async with services.open(reading_and_editing(services)) as sessions:
        session = await sessions.create()

        assert (await session.prompt(GO)).stop_reason == "end_turn"
        told = calls(session)[1].state.error
        assert "On this part of a.txt (rejected):\n```diff\n@@ -1,1 +1,1 @@\n-old\n+new\n```\nnot that word" in told


async def test_a_session_is_as_it_was_when_it_is_loaded_again(services):
    (services.project / "a.txt").write_text("old\n")
    async with services.open(reading_and_editing(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        info, events = session.info, session.replay()

    async with services.open() as sessions:
        again = await sessions.load(info.id)
        assert again.info == info
        assert again.replay() == events
        assert [file.status for file in await again.undo()] == ["restored"]
        assert (services.project / "a.txt").read_text() == "old\n"


async def test_a_replay_tells_of_changes_and_usage_as_they_were_told(services):
    path = services.project / "a.txt"
    path.write_text("old\nx\ny\nold\n")
    edit = {"filePath": str(path), "oldString": "old", "newString": "new", "replaceAll": True}
    usage = {"usage": {"input": 10, "output": 5}, "cost": 0.5}
    model = services.script(
        [{"call": "read", "arguments": {"filePath": str(path)}}, usage],
        [{"call": "edit", "arguments": edit}, usage],
        [{"call": "bash", "arguments": {"command": "echo made > b.txt", "description": "make it"}}],
        [{"text": "Done."}, usage],
    )
    services.user.answer = lambda request: answering({path: {1}} if request.permission == "edit" else None)(request)
    kept = ("change_applied", "change_reverted", "usage_update")
    async with services.open(model) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        await session.undo(change_ids=[(await session.changes())[1]["id"]])
        live = [event.update for event in services.screen.events if event.update.kind in kept]
        messages = session.messages
    async with services.open(model) as sessions:
        session = await sessions.load(session.info.id)
        told = [event.update for event in session.replay() if event.update.kind in kept]
        again = Transcript()
        for event in session.replay():
            again.apply(event.update)

        assert [update.kind for update in told] == [
            "change_applied",
            "change_applied",
            "change_reverted",
            "usage_update",
        ]
        assert told == [*(update for update in live if update.kind.startswith("change")), live[-2]]
        assert [hunk.id for hunk in told[0].refused[0].hunks] == [2]
        assert "+made" in told[1].files[0].diff
        assert again.messages == session.messages
        assert [message.id for message in messages] == [message.id for message in again.messages]
        await session.prompt(GO)
        assert session.replay()[-1].update.message_id != told[-1].message_id
        assert session.replay(since=session.replay()[-1].seq + 1000) == []


async def test_a_replay_tells_only_what_changed_since(services):
    model = services.script([{"text": "First."}], [{"text": "Second."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        seen = services.screen.events[-1].seq
        await session.prompt(GO)

        news = session.replay(since=seen)
        assert [event.update.kind for event in news] == [
            "user_message",
            "turn_started",
            "agent_message",
            "agent_message_chunk",
            "turn_ended",
        ]
        assert session.replay(since=services.screen.events[-1].seq) == []


async def test_numbers_of_events_only_grow_also_over_a_restart(services):
    async with services.open(services.script([{"text": "First."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        info = session.info
    seen = [event.seq for event in services.screen.events]
    async with services.open() as sessions:
        session = await sessions.load(info.id)
        await session.choices.set_title("A better title")
    later = [event.seq for event in services.screen.events[len(seen) :]]

    assert seen == sorted(set(seen))
    assert min(later) > max(seen)


async def test_words_before_a_silence_are_stored_though_none_follow(services, monkeypatch):
    monkeypatch.setattr(recorder, "STORE_GROWING_TEXT_EVERY_SECONDS", 0.01)
    model = services.script([{"text": "I wait."}, {"wait": "never"}])
    async with services.open(model) as sessions:
        session = await sessions.create(title="T")
        prompt = asyncio.create_task(session.prompt(GO))
        read = sessions._services.store.read
        while not any("I wait." in str(message.parts) for message in (await read(session.info.id)).messages):
            pass
        await session.cancel()
        await prompt


async def test_cancelling_a_prompt_is_a_normal_end(services):
    model = services.script([{"text": "I wait."}, {"wait": "never"}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        prompt = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")

        await session.cancel()

        assert (await prompt).stop_reason == "cancelled"
        assert services.screen.kinds()[-1] == "turn_ended"


async def test_cancelling_the_caller_of_a_prompt_cancels_the_turn(services):
    model = services.script([{"text": "I wait."}, {"wait": "never"}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        prompt = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")

        prompt.cancel()

        assert (await prompt).stop_reason == "cancelled"
        assert not session.running


async def test_a_second_prompt_waits_for_the_first(services):
    model = services.script([{"text": "First."}], [{"text": "Second."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        results = await asyncio.gather(session.prompt(GO), session.prompt(GO))

        assert [result.stop_reason for result in results] == ["end_turn", "end_turn"]
        assert [kind for kind in services.screen.kinds() if kind.startswith("turn_")] == [
            "turn_started",
            "turn_ended",
        ] * 2


async def test_a_model_that_fails_ends_the_turn_with_the_reason_and_a_hint(services):
    model = services.script([{"error": "authentication", "message": "The key is wrong.", "hint": "Set X_API_KEY."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

        assert result.stop_reason == "error"
        assert (result.error.code, result.error.hint) == ("authentication", "Set X_API_KEY.")
        answer = (await sessions.load(session.info.id)).replay()[-1].update
        assert answer.error.message == "The key is wrong."


async def test_an_attached_file_stands_in_the_prompt_with_its_lines(services):
    (services.project / "a.txt").write_text("one\ntwo\nthree\n")
    part = FilePart(uri=(services.project / "a.txt").as_uri(), range=LineRange(start=2, end=3))
    async with services.open(services.script([{"text": "Seen."}])) as sessions:
        session = await sessions.create()
        await session.prompt([*GO, part])

        attached = session.replay()[0].update.message.parts[-1]
        assert attached.synthetic
        assert "lines 2 to 3 of a.txt" in attached.text
        assert "2: two\n3: three" in attached.text


async def test_an_attached_file_that_is_not_there_is_said_and_the_turn_goes_on(services):
    part = FilePart(uri=(services.project / "gone.txt").as_uri())
    async with services.open(services.script([{"text": "I see."}])) as sessions:
        session = await sessions.create()

        assert (await session.prompt([*GO, part])).stop_reason == "end_turn"
        assert "cannot be read" in session.replay()[0].update.message.parts[-1].text


async def test_the_first_prompt_gives_the_title(services):
    async with services.open(services.script([{"text": "Yes."}])) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="Mend the\n  parser, please")])

        assert session.info.title == "Mend the parser, please"


async def test_sessions_are_listed_newest_first_page_by_page(services):
    async with services.open() as sessions:
        made = [(await sessions.create(title=f"Title {number}")).info for number in range(5)]
        first, cursor = await sessions.list(limit=3)
        second, end = await sessions.list(limit=3, cursor=cursor)
        found, _ = await sessions.list(query="title 3")

    assert sorted(info.id for info in first + second) == sorted(info.id for info in made)
    assert end is None
    assert [info.title for info in found] == ["Title 3"]


async def test_a_deleted_session_leaves_nothing_behind(services):
    (services.project / "a.txt").write_text("old\n")
    async with services.open(reading_and_editing(services)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        moved_away = services.locations.kept / session.info.id / "kept_1"
        moved_away.mkdir(parents=True)
        await sessions.delete(session.info.id)

        assert not moved_away.parent.exists()
        with pytest.raises(RequestError, match="no session"):
            await sessions.load(session.info.id)
        for table in ("session", "message", "part", "change", "change_file", "content"):
            assert await sessions._services.database.read(f"SELECT * FROM {table}") == [], table


async def test_an_unknown_session_agent_and_model_are_clear_errors(services):
    async with services.open() as sessions:
        with pytest.raises(RequestError, match="no session `ses_nowhere`"):
            await sessions.load("ses_nowhere")
        with pytest.raises(RequestError, match="no agent `nobody`"):
            await sessions.create(agent="nobody")


async def test_usage_is_summed_over_the_steps_of_a_turn(services):
    (services.project / "a.txt").write_text("old\n")
    usage = {"usage": {"input": 10, "output": 5}, "cost": 0.25}
    read = {"call": "read", "arguments": {"filePath": "a.txt"}}
    async with services.open(services.script([read, usage], [{"text": "Yes."}, usage])) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

    assert (result.tokens.input, result.tokens.output, result.cost) == (20, 10, 0.5)
    answers = [event.update for event in session.replay() if event.update.kind == "agent_message"]
    assert [isinstance(answer.message, AssistantMessage) for answer in answers] == [True, True]


async def test_a_session_at_work_in_another_process_is_not_taken_from_it(services):
    async with services.open(services.script([{"text": "I wait."}, {"wait": "never"}])) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        other = "import asyncio, sys; sys.path[:0] = sys.argv[3:]\n" + OTHER_PROCESS
        arguments = [str(services.directory), session.info.id, *sys.path]
        loaded = await asyncio.create_subprocess_exec(
            sys.executable, "-c", other, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        said, _ = await loaded.communicate()
        assert b"is in use by another Placet" in said
        assert not turn.done()


OTHER_PROCESS = """
from pathlib import Path
from services_support import TempServices
async def main():
    async with TempServices(Path(sys.argv[1])).open() as sessions:
        await sessions.load(sys.argv[2])
asyncio.run(main())
"""


async def test_a_turn_whose_end_cannot_be_stored_is_an_error_and_not_an_end(services):
    async with services.open(services.script([{"text": "I say."}, {"wait": "go"}, {"text": " Done."}])) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        sessions._services.database.write("INSERT INTO nowhere VALUES (1)")
        session.models[session.info.model].release("go")
        result = await turn

        assert result.stop_reason == "error"
        assert "store" in result.error.message


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
async def test_a_command_that_will_not_end_does_not_keep_the_turn(services, monkeypatch):
    pid, go = services.directory / "pid", services.directory / "go"
    monkeypatch.setattr(commands, "time", HeldClock(go.exists))  # It is not forced to end before that.
    command = f"trap '' TERM; echo $$ > {pid}; echo started up; while :; do sleep 0.05; done"
    model = services.script([{"call": "bash", "arguments": {"command": command, "description": "Stays"}}])
    async with services.open(model, permission="allow") as sessions:
        session = await sessions.create()
        running = asyncio.create_task(session.prompt([TextPart(text="Run it.")]))
        while "started up\\n" not in str(session.messages):  # noqa: ASYNC110 - A cancelled start ends at once.
            await asyncio.sleep(0.02)
        stays = await written_pid(pid)
        async with limited(lambda: "the end of the cancellation"):
            await session.cancel()

        assert not is_gone(stays)
        assert tool_calls.CANCEL_SECONDS < 0.5, "and no longer than that"
        assert (await running).stop_reason == "cancelled"
        part = session.messages[-1].parts[0]
        assert part.state.status == "error"
        go.touch()
