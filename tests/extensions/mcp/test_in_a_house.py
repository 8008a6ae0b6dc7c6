"""MCP servers in sessions: their tools come while a turn runs, and no prompt waits for them."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from house_support import House
from mcp_support import ODD, Notes, is_alive, odd
from placet.messages import TextPart, ToolPart
from placet.permissions.trust import Trust
from placet.project.brought import inventory
from placet.sessions.registry import Sessions
from placet.sessions.setup import SetupReader

GO = [TextPart(text="Go on.")]
NO_TITLE: dict[str, Any] = {"agent": {"title": {"disable": True}}}


async def connected(sessions: Sessions, name: str = "odd") -> None:
    mcp = sessions.extensions.mcp
    while mcp.find(name).state != "connected":
        await mcp.changed()


def outputs(session: Any) -> list[str]:
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    return [getattr(part.state, "output", "") or getattr(part.state, "error", "") for part in parts]


async def test_the_model_calls_a_servers_tool(tmp_path: Path) -> None:
    house = House(tmp_path)
    call = {"call": "odd_echo", "arguments": {"text": "hi"}}
    script = house.script([call], [{"text": "Done."}])
    async with house.open(script, mcp={"odd": odd("plain")}, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert outputs(session) == ['echo {"text": "hi"}']
        assert [one.permission for one in house.user.asked] == ["odd_echo"]


async def test_a_servers_own_permission_is_below_the_users_rules(tmp_path: Path) -> None:
    house = House(tmp_path)
    script = house.script([{"call": "odd_echo"}, {"call": "odd_do"}], [{"text": "Done."}])
    settings = {"mcp": {"odd": odd("plain", permission="allow")}, "permission": {"odd_do": "deny"}, **NO_TITLE}
    async with house.open(script, **settings) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        first, second = outputs(session)
        assert first == "echo {}"
        assert "There is no tool `odd_do`" in second
        assert house.user.asked == []


async def test_a_server_that_comes_during_a_turn_is_there_with_the_next_step(tmp_path: Path) -> None:
    house = House(tmp_path)
    wait = {"call": "question", "arguments": {"questions": [{"question": "Is it there?"}]}}
    script = house.script([wait], [{"call": "odd_echo"}], [{"text": "Done."}])
    settings = {"mcp": {"odd": odd("plain", enabled=False)}, **NO_TITLE}
    async with house.open(script, **settings) as sessions:
        session = await sessions.create(title="t")

        async def answer(session_id: str, questions: Any) -> list[list[str]]:
            await sessions.extensions.mcp.connect("odd")
            return [["Yes"]]

        house.user.ask = answer  # type: ignore[method-assign]
        await session.prompt(GO)
        assert outputs(session)[1] == "echo {}"


async def test_a_model_answers_a_server_at_the_sessions_cost(tmp_path: Path) -> None:
    house = House(tmp_path)
    usage = {"usage": {"input": 3, "output": 2}, "cost": 0.5}
    script = house.script([{"call": "odd_do"}], [{"text": "Four."}, usage], [{"text": "Done."}])
    async with house.open(script, mcp={"odd": odd("samples")}, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        assert json.loads(outputs(session)[0])["content"]["text"] == "Four."
        assert [one.permission for one in house.user.asked] == ["odd_do", "sampling"]


async def test_five_servers_that_hang_delay_no_prompt(tmp_path: Path) -> None:
    house = House(tmp_path)
    hung = {f"hung{number}": odd("never") for number in range(5)}
    async with house.open(house.script([{"text": "Here."}]), mcp=hung, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        began = time.monotonic()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert time.monotonic() - began < 3
        assert {one.state for one in sessions.extensions.mcp.servers} <= {"waiting", "connecting"}


async def test_servers_end_with_the_house(tmp_path: Path, notes: Notes) -> None:
    house = House(tmp_path)
    async with house.open(mcp={"odd": odd("plain", notes)}) as sessions:
        await sessions.create()
        await connected(sessions)
    assert not is_alive(notes.number("started "))


async def test_an_untrusted_projects_servers_are_none(tmp_path: Path) -> None:
    house = House(tmp_path)
    command = [sys.executable, str(ODD), "plain"]
    (house.project / "placet.json").write_text(json.dumps({"mcp": {"odd": {"command": command}}}), "utf-8")
    reader = SetupReader(house.locations, (house.project,), environment=dict)
    assert dict(reader.read().settings.mcp) == {}
    Trust(house.locations.trust).decide(inventory(house.project), trusted=True)
    assert list(reader.read().settings.mcp) == ["odd"]
