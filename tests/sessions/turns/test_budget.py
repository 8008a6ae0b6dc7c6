import asyncio

import pytest

from placet.core.events import Notice
from placet.core.messages import TextPart, ToolPart
from placet.sessions.store.usage import dollars
from services_support import TempServices
from time_support import wait_seconds

GO = [TextPart(text="Please go on.")]
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}


def spends(dollars: float) -> dict:
    return {"usage": {"input": 10, "output": 5}, "cost": dollars}


@pytest.fixture
def services(tmp_path):
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("old\n")
    return services


def asked(session) -> list:
    return session.models[session.info.model].requests


def notices(services: TempServices) -> list[Notice]:
    return [event.update for event in services.screen.events if isinstance(event.update, Notice)]


async def test_a_turn_stops_before_the_call_that_would_go_on_over_its_cap(services):
    model = services.script([READ, spends(0.3)], [READ, spends(0.3)], [{"text": "Never said."}])
    async with services.open(model, maxCost={"turn": 0.5}) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

        assert result.stop_reason == "error"
        assert result.error.code == "cost_cap"
        assert result.error.message == (
            "This turn has cost $0.60, and the cap is $0.50 a turn (setting `maxCost.turn`)."
        )
        assert "raise or remove the cap" in result.error.hint
        calls = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        assert [call.state.status for call in calls] == ["completed", "completed"]
        assert session.messages[-1].error == result.error
        assert len(asked(session)) == 2


async def test_the_next_turn_has_a_cap_of_its_own_and_the_session_one_for_all(services):
    model = services.script([{"text": "One."}, spends(0.3)], [{"text": "Two."}, spends(0.3)], [{"text": "Three."}])
    async with services.open(model, maxCost={"turn": 0.4, "session": 0.5}) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        stopped = await session.prompt(GO)
        assert "This session has cost $0.60" in stopped.error.message
        other = await sessions.create()
        assert (await other.prompt(GO)).stop_reason == "end_turn"


async def test_a_day_has_a_cap_for_all_sessions_over_a_restart_and_after_a_deletion(services):
    async with services.open(services.script([{"text": "One."}, spends(2)]), maxCost={"day": 1}) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        await sessions.delete(session.info.id)
    async with services.open(services.script([{"text": "Two."}]), maxCost={"day": 1}) as sessions:
        result = await (await sessions.create()).prompt(GO)
        assert result.error.code == "cost_cap"
        assert "Today's sessions have cost $2.00" in result.error.message
        assert "tomorrow" in result.error.hint


async def test_a_subagent_spends_for_the_turn_and_session_of_its_parent(services):
    task = {"call": "task", "arguments": {"description": "look", "prompt": "Look.", "subagent_type": "explore"}}
    model = services.script([task, spends(0.1)], [READ, spends(0.5)], [{"text": "Never said."}])
    async with services.open(model, maxCost={"turn": 0.5}) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)

        assert result.error.code == "cost_cap"
        call = next(part for message in session.messages for part in message.parts if isinstance(part, ToolPart))
        assert "cost $0.60" in str(call.state)


async def test_a_stream_that_reports_more_than_the_cap_and_goes_on_is_ended(services):
    model = services.script([{"text": "I"}, spends(0.6), {"text": " go on and on"}, {"wait": "never"}])
    async with services.open(model, maxCost={"turn": 0.5}) as sessions:
        session = await sessions.create()
        result = await asyncio.wait_for(session.prompt(GO), wait_seconds())

        assert result.error.code == "cost_cap"
        assert [part.text for part in session.messages[-1].parts] == ["I"]


async def test_an_answer_that_is_whole_when_it_reaches_the_cap_is_not_cut_off(services):
    async with services.open(services.script([{"text": "All."}, spends(0.6)]), maxCost={"turn": 0.5}) as sessions:
        assert (await (await sessions.create()).prompt(GO)).stop_reason == "end_turn"


async def test_a_cap_of_nothing_stops_at_the_first_cost_and_not_before(services):
    async with services.open(services.script([READ], [READ, spends(0.01)], []), maxCost={"turn": 0}) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).error.code == "cost_cap"
        assert len(asked(session)) == 2


async def test_that_prices_are_not_known_is_said_once_a_turn_and_only_with_a_cap(services):
    unpriced = {"usage": {"input": 10, "output": 5}}
    turn = ([READ, unpriced], [{"text": "Done."}, unpriced])
    async with services.open(services.script(*turn, *turn), maxCost={"turn": 0.5}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert [notice.code for notice in notices(services)] == ["cost_unknown"]
        assert notices(services)[0].turn_id == session.messages[0].id
        await session.prompt(GO)
        assert len(notices(services)) == 2
    services.screen.events.clear()
    async with services.open(services.script(*turn)) as sessions:
        await (await sessions.create()).prompt(GO)
        assert notices(services) == []


def test_amounts_are_read_as_money():
    assert [dollars(cost) for cost in (0, 0.00123, 0.5, 12)] == ["$0.00", "$0.0012", "$0.50", "$12.00"]
