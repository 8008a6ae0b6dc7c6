import asyncio

import pytest

from placet.core.errors import NobodyToAsk
from placet.core.events import Retry
from placet.core.messages import TextPart
from placet.core.ports import PermissionAnswer
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
DONE = [{"text": "Done."}]


@pytest.fixture
def services(tmp_path):
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("old\n")
    return services


async def test_a_loop_is_a_question_to_the_user_and_goes_on_when_allowed(services):
    async with services.open(services.script(*[[READ]] * 6, DONE)) as sessions:
        session = await sessions.create()

        assert (await session.prompt(GO)).stop_reason == "end_turn"
    [asked] = services.user.asked
    assert (asked.permission, asked.patterns, asked.tool) == ("doom_loop", ("read",), "read")
    assert "3 times in a row" in asked.title


async def test_a_loop_that_is_refused_ends_the_turn_with_the_reason(services):
    services.user.answer = lambda _: PermissionAnswer("reject")
    async with services.open(services.script(*[[READ]] * 6, DONE)) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

    assert result.stop_reason == "error"
    assert result.error.code == "doom_loop"
    assert "the same call of `read` 3 times in a row" in result.error.message
    assert len(session.messages) == 4


async def test_a_loop_ends_the_turn_when_nobody_is_there(services):
    def nobody(_):
        raise NobodyToAsk("Nobody is there.")

    services.user.answer = nobody
    async with services.open(services.script(*[[READ]] * 6, DONE)) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

    assert "nobody was there" in result.error.message


async def test_a_rule_may_let_loops_of_a_tool_go_on(services):
    async with services.open(
        services.script(*[[READ]] * 6, DONE), permission={"doom_loop": {"read": "allow"}}
    ) as sessions:
        session = await sessions.create()

        assert (await session.prompt(GO)).stop_reason == "end_turn"
    assert services.user.asked == []


async def test_a_loop_of_a_subagent_stops_it_and_its_caller_hears_why(services):
    services.user.answer = lambda _: PermissionAnswer("reject")
    wanted = {"description": "a piece of work", "prompt": "Do it.", "subagent_type": "general"}
    task = {"call": "task", "arguments": wanted}
    async with services.open(services.script([task], *[[READ]] * 3, DONE)) as sessions:
        session = await sessions.create()

        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert "goes in circles" in session.messages[1].parts[0].state.output
    assert [asked.origin for asked in services.user.asked] == [("general",)]


async def test_a_provider_that_is_busy_is_asked_again_and_the_screen_hears_of_it(services):
    busy = {"error": "overloaded", "message": "Busy.", "retry_after": 0}
    async with services.open(services.script([busy], [busy], DONE)) as sessions:
        session = await sessions.create()

        assert (await session.prompt(GO)).stop_reason == "end_turn"
    retries = [event.update for event in services.screen.events if isinstance(event.update, Retry)]
    assert [(retry.attempt, retry.error.code) for retry in retries] == [(1, "overloaded"), (2, "overloaded")]


async def test_how_long_a_provider_is_waited_for_is_a_setting(services):
    busy = {"error": "rate_limit", "message": "Busy.", "retry_after": 30}
    options = {"modelOptions": {"maxRetryWaitSeconds": 20}}
    async with services.open(services.script([busy], DONE), **options) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

    assert (result.stop_reason, result.error.code) == ("error", "rate_limit")
    assert "30 seconds" in result.error.hint


async def test_a_loop_is_seen_across_the_turns_that_placet_opens_by_itself(services):
    async with services.open(services.script(*[[READ], DONE] * 4)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.prompt([TextPart(text="A task is done.", synthetic=True)])
        assert services.user.asked == []
        await session.prompt([TextPart(text="A task is done.", synthetic=True)])
        assert [asked.permission for asked in services.user.asked] == ["doom_loop"]

        await session.prompt(GO)
        assert len(services.user.asked) == 1


async def test_a_loop_over_subagents_is_seen_though_none_of_them_makes_it(services):
    """Three subagents in a row that each make the same one call: the third is asked about."""
    services.user.answer = lambda asked: PermissionAnswer("reject" if asked.permission == "doom_loop" else "once")
    tasks = [
        [{"call": "task", "arguments": {"description": f"go {n}", "prompt": f"Do {n}.", "subagent_type": "general"}}]
        for n in range(3)
    ]
    async with services.open(services.script(*(turn for task in tasks for turn in (task, [READ], DONE)))) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert [(asked.permission, asked.origin) for asked in services.user.asked] == [("doom_loop", ("general",))]
        outputs = [part.state.output for message in session.messages[1:4] for part in message.parts]
        assert ["goes in circles" in output for output in outputs] == [False, False, True]


async def test_subagents_side_by_side_may_begin_alike(services):
    tasks = [
        {"call": "task", "arguments": {"description": f"go {n}", "prompt": f"Do {n}.", "subagent_type": "explore"}}
        for n in range(4)
    ]
    go = services.directory / "go"
    first = [{"text": "I look."}, {"wait_for_file": str(go)}, READ]  # Until all have asked, as one might ask twice.
    async with services.open(services.script(tasks, *[first] * 4, *[DONE] * 4, DONE)) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        while services.screen.kinds().count("agent_message_chunk") < 4:
            await services.screen.wait_for_more()
        go.touch()

        assert (await turn).stop_reason == "end_turn"
    assert services.user.asked == []
