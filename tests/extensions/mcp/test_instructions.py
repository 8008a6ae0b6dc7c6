"""Instructions of MCP servers: the model of a session gets the instructions of the connected servers."""

from pathlib import Path
from typing import Any

from mcp_support import odd
from placet.core.messages import TextPart
from placet.extensions.mcp.session_servers import MOST_INSTRUCTIONS
from placet.model.scripted import ScriptedModel
from placet.sessions.registry import Sessions
from services_support import TempServices

GO = [TextPart(text="Go on.")]
NO_TITLE: dict[str, Any] = {"agent": {"title": {"disable": True}}}


async def connected(sessions: Sessions, *names: str) -> None:
    mcp = sessions.extensions.mcp
    for name in names:
        while mcp.find(name).state != "connected":
            await mcp.changed()


def asked(session: Any) -> ScriptedModel:
    [model] = session.models.values()
    return model


async def test_the_model_gets_the_instructions_of_the_connected_servers_each_under_its_server(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    mcp = {"odd": odd("instructs"), "plain": odd("plain"), "gone": {"command": ["/nowhere/gone"]}}
    async with services.open(services.script([{"text": "Done."}]), mcp=mcp, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions, "odd", "plain")
        await session.prompt(GO)
        system = asked(session).requests[0].system
    assert system[-1].endswith("Instructions from the MCP server odd:\nAsk `do` before `echo`.\ufffd")
    assert not any("the MCP server plain" in text or "the MCP server gone" in text for text in system)


async def test_long_instructions_are_shortened_and_further_servers_are_left_out(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    names = [f"odd{number}" for number in range(6)]
    mcp = {name: odd("lectures") for name in names}
    async with services.open(services.script([{"text": "Done."}]), mcp=mcp, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions, *names)
        told = session.servers.instructions()
    assert [name for name, _ in told] == names[:5]
    assert all(len(text) == MOST_INSTRUCTIONS and text.endswith("… (shortened)") for _, text in told)


async def test_a_server_that_is_ended_or_connected_between_two_prompts_is_news_for_the_model(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    mcp = {"odd": odd("instructs"), "late": odd("instructs", enabled=False)}
    async with services.open(services.script(*[[{"text": "Done."}]] * 2), mcp=mcp, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions, "odd")
        await session.prompt(GO)
        await sessions.extensions.mcp.disconnect("odd")
        await sessions.extensions.mcp.connect("late")
        await session.prompt(GO)
        first, second = asked(session).requests
    assert second.system == first.system
    [news] = [part.text for part in second.messages[-1].parts if isinstance(part, TextPart) and part.synthetic]
    assert "The instructions from the MCP server odd no longer hold: they are gone." in news
    assert "New instructions from the MCP server late:\nAsk `do` before `echo`." in news
