"""Prompts that wait, and the chosen model, as all screens of a session are told of them."""

import asyncio
from pathlib import Path

import pytest

from placet.core.events import CurrentModeUpdate, QueueUpdate
from placet.core.messages import TextPart
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
TABS = [TextPart(text="Use tabs.")]
DONE = [{"text": "Done."}]
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("old\n")
    return services


async def heard(services: TempServices, kind: str, number: int) -> None:
    while services.screen.kinds().count(kind) < number:
        await services.screen.wait_for_more()


def queues(services: TempServices) -> list[list[str]]:
    """The queue, as the screens were told each time."""
    updates = [event.update for event in services.screen.events if isinstance(event.update, QueueUpdate)]
    return [[prompt.text for prompt in update.prompts] for update in updates]


async def test_prompts_that_wait_are_told_to_all_screens_until_their_turns_begin(services: TempServices) -> None:
    model = services.script(
        [{"text": "I look."}, {"wait_for_file": str(services.directory / "go")}, READ], DONE, DONE, DONE
    )
    async with services.open(model) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        assert queues(services) == [], "a prompt that begins at once never waits"
        second = asyncio.create_task(session.prompt([*TABS, TextPart(text="Seen by Placet.", synthetic=True)]))
        await heard(services, "queue_update", 1)
        third = asyncio.create_task(session.prompt([TextPart(text="And the rest.")]))
        await heard(services, "queue_update", 2)
        assert [prompt.text for prompt in session.queued] == ["Use tabs.", "And the rest."]
        (services.directory / "go").touch()
        await asyncio.gather(first, second, third)

        assert queues(services) == [["Use tabs."], ["Use tabs.", "And the rest."], ["And the rest."], []]
        assert session.queued == ()


async def test_a_prompt_that_is_withdrawn_leaves_the_queue(services: TempServices) -> None:
    model = services.script([{"text": "I look."}, {"wait": "never"}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        first = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        second = asyncio.create_task(session.prompt(TABS))
        await heard(services, "queue_update", 1)
        second.cancel()
        assert (await second).stop_reason == "cancelled"
        assert queues(services) == [["Use tabs."], []]
        await session.cancel()
        await first


async def test_a_chosen_model_is_told_to_all_screens_as_a_chosen_agent_is(services: TempServices) -> None:
    async with services.open() as sessions:
        session = await sessions.create()
        await session.choices.set_model("openai/gpt-4o")
        await session.choices.set_agent("plan")
        updates = [event.update for event in services.screen.events if isinstance(event.update, CurrentModeUpdate)]
        assert [(update.agent, update.model) for update in updates] == [
            ("build", "openai/gpt-4o"),
            ("plan", session.info.model),
        ]
