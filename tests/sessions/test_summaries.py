"""What a session has done, said by the hidden agent `summary`."""

from pathlib import Path
from typing import Any

import pytest

from placet.core.errors import ModelError, RequestError, TurnStopped
from placet.core.messages import TextPart
from services_support import TempServices

GO = [TextPart(text="Make it louder.")]
DONE = [{"text": "It is louder."}]
USAGE = {"usage": {"input": 10, "output": 5}, "cost": 0.5}
SAID: dict[str, Any] = {"text": "  I made the greeting louder.\n"}


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    return TempServices(tmp_path)


def script(services: TempServices, *turns: list[dict[str, Any]]) -> str:
    return services.script(*turns, name="summary.json")


async def test_it_is_what_the_agents_model_says_and_the_conversation_stays_as_it_was(
    services: TempServices,
) -> None:
    agent = {"summary": {"model": script(services, [SAID, USAGE])}}
    async with services.open(services.script(DONE), agent=agent) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        before = session.messages

        assert await sessions.summarize(session.info.id) == "I made the greeting louder."
        assert session.messages == before
        assert (await sessions.info(session.info.id)).usage.cost == 0.5  # pyright: ignore[reportOptionalMemberAccess]


async def test_the_model_is_shown_what_was_said(services: TempServices) -> None:
    file = services.directory / "summary.json"
    file.write_text('{"turns": [{"expect": ["Make it louder.", "It is louder."], "events": [{"text": "Louder."}]}]}')
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert await sessions.summarize(session.info.id, f"scripted/{file}") == "Louder."


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ({}, "builtin/rules cannot summarize a session. Choose another model, or set `agent.summary.model`."),
        ({"disable": True}, "The agent `summary`, which summarizes sessions, is disabled"),
    ],
)
async def test_where_nothing_can_say_it_the_reason_is_said(
    services: TempServices, agent: dict[str, Any], said: str
) -> None:
    async with services.open(agent={"summary": agent}) as sessions:
        session = await sessions.create()
        with pytest.raises(RequestError, match=said):
            await sessions.summarize(session.info.id)


async def test_of_a_session_without_a_word_nothing_can_be_said(services: TempServices) -> None:
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.create()
        with pytest.raises(RequestError, match="has no messages yet"):
            await sessions.summarize(session.info.id)


async def test_a_cap_on_the_cost_holds_for_it_too(services: TempServices) -> None:
    async with services.open(services.script([*DONE, USAGE]), maxCost={"session": 0.4}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        with pytest.raises(TurnStopped, match="cap"):
            await sessions.summarize(session.info.id)


async def test_a_model_that_fails_is_the_error(services: TempServices) -> None:
    failing = script(services, [{"error": "authentication", "message": "No key."}])
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        with pytest.raises(ModelError, match="No key"):
            await sessions.summarize(session.info.id, failing)
