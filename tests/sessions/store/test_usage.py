import time

import pytest

from placet.core.messages import TextPart, Tokens
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
USAGE = {"usage": {"input": 10, "output": 5, "cacheRead": 3}, "cost": 0.25}
TASK = {"call": "task", "arguments": {"description": "look", "prompt": "Look.", "subagent_type": "explore"}}


@pytest.fixture
def services(tmp_path):
    return TempServices(tmp_path)


async def test_a_session_counts_its_steps_and_its_subagents_apart(services):
    model = services.script([TASK, USAGE], [{"text": "Seen."}, USAGE], [{"text": "Done."}, USAGE])
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        usage = (await sessions.info(session.info.id)).usage
        assert usage is not None
        assert usage.cost == 0.75
        assert usage.tokens == Tokens(input=30, output=15, cache_read=9)
        assert usage.subagents is not None
        assert usage.subagents.cost == 0.25
        listed, _ = await sessions.list()
        assert [info.usage for info in listed] == [usage]


async def test_titles_and_summaries_are_counted_too_and_days_and_models_are_told_apart(services):
    async with services.open(services.script([{"text": "One."}, USAGE])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        store = sessions._services.store
        store.accounts.add(session.info.id, "title", "small/model", Tokens(input=100), 0.01)
        store.accounts.add(session.info.id, "compaction", "small/model", Tokens(input=200), 0.02)
        yesterday = int((time.time() - 24 * 3600) * 1000)
        sessions._services.database.write("UPDATE usage SET created = ? WHERE kind = 'compaction'", (yesterday,))

        usage = (await sessions.info(session.info.id)).usage
        assert usage is not None
        assert usage.cost == pytest.approx(0.28)
        today = await store.accounts.by_day(1)
        assert [(day.model.partition("/")[0], day.calls, day.cost) for day in today] == [
            ("scripted", 1, 0.25),
            ("small", 1, 0.01),
        ]
        days = await store.accounts.by_day(2)
        assert [(day.day < today[0].day, day.cost) for day in days] == [(False, 0.25), (False, 0.01), (True, 0.02)]


async def test_what_was_spent_stays_spent_when_the_session_is_deleted(services):
    async with services.open(services.script([{"text": "One."}, USAGE])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await sessions.delete(session.info.id)

        assert [day.cost for day in await sessions._services.store.accounts.by_day(1)] == [0.25]


async def test_an_answer_that_was_asked_for_again_counts_with_all_it_has_cost(services):
    again = {"error": "overloaded", "retry_after": 0.001}
    async with services.open(services.script([USAGE, again], [{"text": "One."}, USAGE])) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).cost == 0.5
        usage = (await sessions.info(session.info.id)).usage
        assert usage is not None
        assert usage.cost == 0.5
