import asyncio
import json

import pytest

from placet.agent.turn import tool_calls
from placet.core.messages import TextPart, ToolPart
from placet.core.ports import PermissionAnswer
from services_support import TempServices

GO = [TextPart(text="Please go on.")]


@pytest.fixture
def services(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("old\n")
    return TempServices(tmp_path)


def task(agent: str = "general", **arguments) -> dict:
    wanted = {"description": "a piece of work", "prompt": "Do it.", "subagent_type": agent}
    return {"call": "task", "arguments": {**wanted, **arguments}}


def results(session, tool: str = "task") -> list[ToolPart]:
    return [
        part
        for message in session.messages
        for part in message.parts
        if isinstance(part, ToolPart) and part.tool == tool
    ]


READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}


async def test_the_last_words_of_a_subagent_are_the_result_of_the_call(services):
    model = services.script([task()], [{"text": "It is done: a.txt:1."}], [{"text": "So it is done."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

        assert result.stop_reason == "end_turn"
        [call] = results(session)
        assert call.state.output.splitlines()[1:] == [
            "<task_result>",
            "It is done: a.txt:1.",
            "</task_result>",
            "</task>",
        ]
        child = await sessions.load(call.state.metadata["sessionId"])
        assert (child.info.parent_id, child.info.agent) == (session.info.id, "general")
        listed, _ = await sessions.list()
        assert [info.id for info in listed] == [session.info.id]


async def test_a_running_call_tells_the_subagents_session_before_anything_happens_in_it(services):
    model = services.script([task()], [{"text": "Done."}], [{"text": "So it is done."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        own, others = (
            [event for event in services.screen.events if (event.session_id == session.info.id) == is_own]
            for is_own in (True, False)
        )
        running = next(
            event
            for event in own
            if event.update.kind == "tool_call_update" and "sessionId" in event.update.part.state.metadata
        )
        state = running.update.part.state
        assert (state.status, state.title) == ("running", "a piece of work")
        assert state.metadata == {"agent": "general", "sessionId": others[0].session_id, "state": "running"}
        assert services.screen.events.index(running) < services.screen.events.index(others[0])


async def test_the_asks_of_a_subagent_reach_the_user_with_their_origin(services):
    model = services.script([task()], [READ], [EDIT], [{"text": "Edited."}], [{"text": "Done."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

    assert [(request.permission, request.origin) for request in services.user.asked] == [("edit", ("general",))]
    assert (services.project / "a.txt").read_text() == "new\n"


async def test_a_rejection_stops_the_subagent_and_is_told_to_the_one_that_asked(services):
    services.user.answer = lambda _: PermissionAnswer("reject")
    model = services.script([task()], [READ], [EDIT], [{"text": "I see."}])
    async with services.open(model) as sessions:
        session = await sessions.create()

        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert "The user rejected" in results(session)[0].state.output


async def test_explore_can_look_but_neither_change_nor_delegate_whatever_the_settings_allow(services):
    model = services.script([task("explore")], [EDIT], [task()], [{"text": "I cannot."}], [{"text": "Done."}])
    async with services.open(model, permission={"edit": "allow", "task": "allow"}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        child = await sessions.load(results(session)[0].state.metadata["sessionId"])
        tools = [
            part.state.status for message in child.messages for part in message.parts if isinstance(part, ToolPart)
        ]

    assert tools == ["error", "error"]
    assert (services.project / "a.txt").read_text() == "old\n"


async def test_what_binds_an_agent_binds_its_subagents(services):
    model = services.script([task()], [READ], [EDIT], [{"text": "I cannot."}], [{"text": "Done."}])
    async with services.open(model, permission={"edit": "allow"}) as sessions:
        session = await sessions.create(agent="plan")
        await session.prompt(GO)

    assert (services.project / "a.txt").read_text() == "old\n"


async def test_a_task_is_gone_on_with_by_its_id(services):
    file = services.directory / "script.json"
    model = services.script([task()], [{"text": "First."}], [{"text": "Half done."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        task_id = results(session)[0].state.metadata["sessionId"]

        turns = [[task(task_id=task_id)], [{"text": "Second."}], [{"text": "Done."}]]
        file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
        await session.choices.set_model(model)
        await session.prompt(GO)

        assert "Second." in results(session)[1].state.output
        assert results(session)[1].state.metadata["sessionId"] == task_id
        assert len((await sessions.load(task_id)).messages) == 4


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"subagent_type": "nobody"}, "There is no subagent `nobody`. Subagents: general, explore."),
        ({"subagent_type": "build"}, "There is no subagent `build`"),
        ({"task_id": "ses_nowhere"}, "There is no session `ses_nowhere`"),
        ({"task_id": "elsewhere"}, "task_id"),
    ],
)
async def test_a_task_that_cannot_be_given_says_why(services, wrong, told):
    async with services.open(services.script([task(**wrong)], [{"text": "I see."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert results(session)[0].state.status == "error"
        assert told in results(session)[0].state.error


async def test_cancelling_the_turn_ends_its_subagents(services, monkeypatch):
    monkeypatch.setattr(tool_calls, "CANCEL_SECONDS", 60)  # However slow it is, it is not left behind.
    model = services.script([task()], [{"text": "I wait."}, {"wait": "never"}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        await session.cancel()

        assert (await turn).stop_reason == "cancelled"
        assert sessions.running == []
        assert results(session)[0].state.status == "error"


async def test_a_background_task_returns_at_once_and_its_result_comes_as_a_message(services):
    # The parent's next answer and the child's first come from one script, in whatever order they are asked.
    script = services.script(
        [task(background=True)], [{"text": "Either of them."}], [{"text": "Or the other."}], [{"text": "Thanks."}]
    )
    async with services.open(script) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert 'state="running"' in results(session)[0].state.output
        while len([event for event in services.screen.kinds() if event == "turn_ended"]) < 3:
            await services.screen.wait_for_more()

        told = [message for message in session.messages if message.role == "user"][-1].parts[0]
        assert told.synthetic
        assert "<task_result>" in told.text


async def test_two_tasks_of_one_answer_run_side_by_side(services):
    go = services.directory / "go"
    wait = {"wait_for_file": str(go)}
    tasks = [task(), task("explore")]
    model = services.script(tasks, [wait, {"text": "One."}], [wait, {"text": "Two."}], [{"text": "Both."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        while services.screen.kinds().count("turn_started") < 3:
            await services.screen.wait_for_more()
        go.touch()
        await turn

        started = [kind for kind in services.screen.kinds() if kind in {"turn_started", "turn_ended"}]
        assert started[:3] == ["turn_started"] * 3
        assert {call.state.status for call in results(session)} == {"completed"}


async def test_work_is_handed_on_three_deep_and_no_deeper(services):
    model = services.script(*[[task()]] * 4, *[[{"text": "Done."}]] * 4)
    async with services.open(model, agent={"general": {"permission": {"task": "allow"}}}) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        below = []
        while found := results(session):
            session = await sessions.load(found[0].state.metadata["sessionId"]) if len(below) < 3 else session
            below.append(found[0].state)
            if len(below) == 4:
                break

    assert [state.status for state in below] == ["completed", "completed", "completed", "error"]
    assert "3 deep at most, and you are as deep as that (general > general > general)" in below[3].error
