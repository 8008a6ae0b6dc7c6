import asyncio
from pathlib import Path

import pytest

from placet.core.errors import ModelError, RequestError, TurnStopped
from placet.core.events import Compaction
from placet.core.messages import AssistantMessage, TextPart
from placet.sessions.session import Session
from services_support import TempServices

DONE = [{"text": "Done."}]
SUMMARY = [{"text": "## Goal\nThe sum of it."}]
OLD = "old line\n" * 400


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    for name in ("a.txt", "b.txt", "c.txt"):
        (services.project / name).write_text(OLD)
    return services


def go() -> list[TextPart]:
    return [TextPart(text="Please go on.")]


def read(name: str) -> dict:
    return {"call": "read", "arguments": {"filePath": name}}


def edit(name: str) -> dict:
    return {"call": "edit", "arguments": {"filePath": name, "oldString": OLD, "newString": "new\n"}}


def full() -> dict:
    return {"usage": {"input": 29_000}}


def script(services: TempServices, *turns: list[dict]) -> str:
    model = services.script(*turns)
    file = Path(model.removeprefix("scripted/"))
    file.write_text(file.read_text().replace('{"turns"', '{"context_size": 30000, "turns"', 1))
    return model


def errors(session: Session) -> list[str]:
    return [
        getattr(part.state, "error", "")
        for message in session.messages
        for part in message.parts
        if part.type == "tool" and part.state.status == "error"
    ]


async def test_a_file_that_was_summed_up_is_read_again_before_it_is_edited(services):
    model = script(
        services,
        *([read("a.txt")], [read("b.txt")], [read("c.txt"), full()], SUMMARY),
        *([edit("c.txt")], [edit("a.txt")], [read("a.txt")], [edit("a.txt")], DONE),
    )
    async with services.open(model, compaction={"keepTokens": 2000}) as sessions:
        session = await sessions.create()
        assert (await session.prompt(go())).stop_reason == "end_turn"

    assert services.screen.kinds().count("compaction") == 1
    [error] = errors(session)
    assert "a.txt" in error
    assert "read" in error.lower()
    assert [(services.project / name).read_text() for name in ("a.txt", "c.txt")] == ["new\n", "new\n"]


async def test_the_screen_keeps_everything_and_a_session_that_is_loaded_again_goes_on_from_the_summary(services):
    model = script(services, [read("a.txt")], [read("b.txt"), full()], SUMMARY, DONE)
    async with services.open(model) as sessions:
        session = await sessions.create()
        await session.prompt(go())
        events = session.replay()
        assert len(session.messages) == 5
    assert [event.update.kind for event in events].count("compaction") == 1

    again = services.script(SUMMARY, DONE, name="again.json")
    async with services.open(again) as sessions:
        session = await sessions.load(session.info.id)
        assert session.replay() == events
        await session.choices.set_model(again)
        part = await session.compact()
        assert part.auto is False
        await session.prompt(go())
        [first, *_] = session.models[again].requests[-1].messages
        assert "The sum of it." in first.parts[0].text


async def test_the_user_can_have_it_summed_up_and_hears_what_was_freed(services):
    model = services.script(*[[read(name)] for name in ("a.txt", "b.txt", "c.txt")], DONE, DONE, DONE, SUMMARY, DONE)
    async with services.open(model) as sessions:
        session = await sessions.create()
        for _ in range(3):
            await session.prompt(go())
        part = await session.compact()

        assert 0 < part.tokens_after < part.tokens_before
        assert (await session.prompt(go())).stop_reason == "end_turn"
        request = session.models[model].requests[-1]
        assert len(request.messages) == 6
        usage = [message for message in session.messages if isinstance(message, AssistantMessage) and message.summary]
        assert len(usage) == 1


async def test_what_it_costs_is_counted_as_its_own(services):
    usage = {"usage": {"input": 700}, "cost": 0.25}
    model = script(services, [read("a.txt")], [read("b.txt"), full()], [*SUMMARY, usage], DONE)
    async with services.open(model) as sessions:
        session = await sessions.create()
        result = await session.prompt(go())
        [call] = await sessions._services.store.accounts.other_calls(session.info.id)

    assert result.cost == 0.25
    assert (call.kind, call.cost, call.tokens.input) == ("compaction", 0.25, 700)


async def test_what_cannot_be_summed_up_says_why(services):
    async with services.open() as sessions:
        session = await sessions.create()
        with pytest.raises(RequestError, match="cannot summarize"):
            await session.compact()

    async with services.open(services.script(DONE, SUMMARY)) as sessions:
        session = await sessions.create()
        with pytest.raises(RequestError, match="has nothing to summarize yet"):
            await session.compact()
        await session.prompt(go())
        with pytest.raises(TurnStopped, match="free too little: the conversation has about") as stopped:
            await session.compact()
        assert "too long" not in stopped.value.message
        assert not session.running


async def test_what_was_summed_up_is_not_summed_up_again_and_that_is_said(services):
    model = services.script([read("a.txt")], [read("b.txt")], DONE, SUMMARY)
    async with services.open(model, compaction={"keepTokens": 1}) as sessions:
        session = await sessions.create()
        await session.prompt(go())
        await session.compact()
        with pytest.raises(RequestError, match="nothing since the last summary"):
            await session.compact()


async def test_another_model_sums_up_where_the_one_for_it_fails(services):
    down = services.script([{"error": "overloaded", "message": "Busy."}], name="down.json")
    other = services.script(SUMMARY, name="other.json")
    settings = {
        "agent": {"compaction": {"model": down}, "title": {"disable": True}},
        "fallbackModels": ["builtin/rules", other],
        "modelOptions": {"maxRetryWaitSeconds": 0},
    }
    async with services.open(services.script([read("a.txt")], [read("b.txt")], DONE, DONE), **settings) as sessions:
        session = await sessions.create()
        await session.prompt(go())
        assert (await session.compact()).summary.endswith("The sum of it.")
        [message] = [one for one in session.messages if isinstance(one, AssistantMessage) and one.summary]
        assert (message.model, message.error) == (other, None)
        assert "notice" in services.screen.kinds()
        await session.prompt(go())
        assert session.messages[-1].model == session.info.model, "the turn's own model has not failed"


async def test_a_summary_that_fails_leaves_everything_as_it_was(services):
    failing = [{"error": "authentication", "message": "No key."}]
    async with services.open(services.script([read("a.txt")], [read("b.txt")], DONE, failing, DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(go())
        with pytest.raises(ModelError, match="No key"):
            await session.compact()

        assert "compaction" not in services.screen.kinds()
        assert (await session.prompt(go())).stop_reason == "end_turn"


@pytest.mark.parametrize("by", ["the session", "the caller"])
async def test_it_can_be_cancelled_and_nothing_is_lost(services, by):
    never = [{"text": "## Goal"}, {"wait": "never"}]
    async with services.open(services.script([read("a.txt")], [read("b.txt")], DONE, never, DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(go())
        before = len(session.messages)
        compacting = asyncio.create_task(session.compact())
        while len(session.messages) == before:
            await services.screen.wait_for_more()
        assert session.running
        if by == "the session":
            await session.cancel()
            with pytest.raises(RequestError, match="cancelled"):
                await compacting
        else:
            compacting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await compacting

        assert session.messages[-1].completed is not None
        assert not any(isinstance(event.update, Compaction) for event in services.screen.events)
        assert (await session.prompt(go())).stop_reason == "end_turn"


async def test_old_results_are_cleared_between_turns_and_their_files_are_to_be_read_again(services):
    for number in range(20):
        (services.project / f"{number}.txt").write_text(f"{number} and some more words\n" * 1600)
    reads = [[read(f"{number}.txt")] for number in range(20)]
    model = services.script(*reads, DONE, DONE, DONE, [edit("0.txt")], DONE)
    async with services.open(model) as sessions:
        session = await sessions.create()
        for _ in range(4):
            await session.prompt(go())
        kinds = services.screen.kinds()
        assert kinds.count("tool_result_cleared") > 5
        outputs = [part.state for message in session.messages for part in message.parts if part.type == "tool"]
        assert outputs[0].compacted is not None
        assert "0 and some more words" in outputs[0].output
        assert outputs[19].compacted is None
        assert "read" in errors(session)[0].lower()
        events = session.replay()

    async with services.open() as sessions:
        assert (await sessions.load(session.info.id)).replay() == events


async def test_old_results_stay_where_the_setting_says_so(services):
    for number in range(20):
        (services.project / f"{number}.txt").write_text(f"{number} and some more words\n" * 1600)
    reads = [[read(f"{number}.txt")] for number in range(20)]
    async with services.open(services.script(*reads, DONE, DONE, DONE), compaction={"prune": False}) as sessions:
        session = await sessions.create()
        for _ in range(3):
            await session.prompt(go())

    assert "tool_result_cleared" not in services.screen.kinds()
