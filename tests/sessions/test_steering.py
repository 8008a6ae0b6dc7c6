import asyncio

import pytest

from placet.core.messages import AssistantMessage, FilePart, TextPart, UserMessage
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
TABS = [TextPart(text="Use tabs.")]


@pytest.fixture
def services(tmp_path):
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("old\n")
    return services


READ = {"call": "read", "arguments": {"filePath": "a.txt"}}


def waiting(services: TempServices) -> dict:
    """The model goes on when `go_on` is called."""
    return {"wait_for_file": str(services.directory / "go")}


def go_on(services: TempServices) -> None:
    (services.directory / "go").touch()


def spoken(session) -> list[str]:
    """Who said what, in order."""
    return [
        f"{message.role}: {part.text}"
        for message in session.messages
        for part in message.parts
        if isinstance(part, TextPart) and not part.synthetic
    ]


async def heard(services: TempServices, kind: str, number: int) -> None:
    while services.screen.kinds().count(kind) < number:
        await services.screen.wait_for_more()


async def test_a_steering_prompt_joins_the_running_turn_and_ends_with_it(services):
    model = services.script([{"text": "I look."}, waiting(services), READ], [{"text": "With tabs."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        steering = asyncio.create_task(session.prompt(TABS, queue="steer"))
        await heard(services, "user_message", 2)
        assert not steering.done()
        go_on(services)

        results = await asyncio.gather(first, steering)
        assert results[0] == results[1]
        assert results[0].stop_reason == "end_turn"
        assert services.screen.kinds().count("turn_started") == services.screen.kinds().count("turn_ended") == 1
        assert spoken(session) == [
            "user: Please go on.",
            "assistant: I look.",
            "user: Use tabs.",
            "assistant: With tabs.",
        ]
        steered = session.messages[2]
        assert isinstance(steered, UserMessage)
        assert steered.steers == session.messages[0].id == results[1].message_id
        assert "while you were at work" in steered.parts[-1].text
        assert {message.parent_id for message in session.messages if isinstance(message, AssistantMessage)} == {
            session.messages[0].id
        }


async def test_the_last_answer_is_followed_by_another_if_the_user_steers_meanwhile(services):
    model = services.script([{"text": "I am"}, waiting(services), {"text": " done."}], [{"text": "With tabs."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        steering = asyncio.create_task(session.prompt(TABS, queue="steer"))
        await heard(services, "user_message", 2)
        go_on(services)
        await asyncio.gather(first, steering)

        assert spoken(session)[-1] == "assistant: With tabs."


async def test_a_steering_prompt_is_a_prompt_of_its_own_when_nothing_runs(services):
    async with services.open(services.script([{"text": "Hello."}])) as sessions:
        session = await sessions.create()
        result = await session.prompt(TABS, queue="steer")

        assert result.stop_reason == "end_turn"
        opening = session.messages[0]
        assert isinstance(opening, UserMessage)
        assert (opening.steers, opening.stop_reason) == (None, "end_turn")


async def test_a_steering_prompt_that_comes_too_late_is_the_next_turn(services):
    model = services.script([{"text": "I am"}, waiting(services), {"text": " done."}], [{"text": "With tabs."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        reading, go = asyncio.Event(), asyncio.Event()
        read = sessions._services.ports.documents.read

        async def slowly(path):
            reading.set()
            await go.wait()
            return await read(path)

        sessions._services.ports.documents.read = slowly
        attached = FilePart(uri=(services.project / "a.txt").as_uri())
        steering = asyncio.create_task(session.prompt([*TABS, attached], queue="steer"))
        await reading.wait()
        go_on(services)
        await first
        go.set()

        assert (await steering).stop_reason == "end_turn"
        assert services.screen.kinds().count("turn_ended") == 2
        assert spoken(session) == [
            "user: Please go on.",
            "assistant: I am done.",
            "user: Use tabs.",
            "assistant: With tabs.",
        ]


@pytest.mark.parametrize("by", ["the session", "the first caller", "the steering caller"])
async def test_whoever_cancels_both_prompts_end_as_cancelled(services, by):
    async with services.open(services.script([{"text": "I wait."}, {"wait": "never"}])) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        steering = asyncio.create_task(session.prompt(TABS, queue="steer"))
        await heard(services, "user_message", 2)
        match by:
            case "the session":
                await session.cancel()
            case "the first caller":
                first.cancel()
            case _:
                steering.cancel()

        assert [result.stop_reason for result in await asyncio.gather(first, steering)] == ["cancelled", "cancelled"]
        assert not session.running


async def test_a_steered_turn_is_as_it_was_when_it_is_loaded_again(services):
    model = services.script([{"text": "I look."}, waiting(services), READ], [{"text": "With tabs."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        steering = asyncio.create_task(session.prompt(TABS, queue="steer"))
        await heard(services, "user_message", 2)
        go_on(services)
        await asyncio.gather(first, steering)
        events = session.replay()
        kinds = [event.update.kind for event in events]
        assert kinds.count("turn_started") == kinds.count("turn_ended") == 1

    async with services.open() as sessions:
        assert (await sessions.load(session.info.id)).replay() == events
