"""MCP servers in sessions: a prompt waits a little for those that start, and tools that come later join a turn."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_support import NODE_SERVERS, ODD, Notes, is_alive, node_server, odd
from placet.core.events import Notice
from placet.core.messages import TextPart, ToolPart
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.extensions.mcp.offers import mentions
from placet.permissions.trust import Trust
from placet.project.inventory import inventory
from placet.sessions.registry import Sessions
from placet.sessions.services.config import ConfigLoader
from services_support import TempServices
from time_support import LoopClock

GO = [TextPart(text="Go on.")]
COMMANDS = "available_commands_update"
NO_TITLE: dict[str, Any] = {"agent": {"title": {"disable": True}}}


async def connected(sessions: Sessions, name: str = "odd") -> None:
    mcp = sessions.extensions.mcp
    while mcp.find(name).state != "connected":
        await mcp.changed()


def outputs(session: Any) -> list[str]:
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    return [getattr(part.state, "output", "") or getattr(part.state, "error", "") for part in parts]


async def test_the_model_calls_a_servers_tool(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    call = {"call": "odd_echo", "arguments": {"text": "hi"}}
    script = services.script([call], [{"text": "Done."}])
    async with services.open(script, mcp={"odd": odd("plain")}, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert outputs(session) == ['echo {"text": "hi"}']
        assert [request.permission for request in services.user.asked] == ["odd_echo"]


async def test_the_way_back_names_a_call_that_was_cancelled_at_work_and_none_that_was_cancelled_while_asked(
    tmp_path: Path, notes: Notes
) -> None:
    services, is_asked = TempServices(tmp_path), asyncio.Event()
    script = services.script([{"call": "odd_do"}], [{"call": "odd_do"}])
    allow = services.user.request_permission

    async def wait(request: PermissionRequest) -> PermissionAnswer:
        is_asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with services.open(script, mcp={"odd": odd("hangs", notes)}, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        for answer, is_reached, kinds in (
            (wait, is_asked.wait(), []),
            (allow, notes.until("call do"), ["tool"]),
        ):
            services.user.request_permission = answer  # type: ignore[method-assign]
            running = asyncio.create_task(session.prompt(GO))
            await is_reached
            await session.cancel()
            await running
            preview = await session.going_back.preview(session.messages[0].id)
            assert [effect.kind for effect in preview.effects] == kinds


async def test_a_servers_own_permission_is_below_the_users_rules(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    script = services.script([{"call": "odd_echo"}, {"call": "odd_do"}], [{"text": "Done."}])
    settings = {"mcp": {"odd": odd("plain", permission="allow")}, "permission": {"odd_do": "deny"}, **NO_TITLE}
    async with services.open(script, **settings) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        first, second = outputs(session)
        assert first == "echo {}"
        assert "There is no tool `odd_do`" in second
        assert services.user.asked == []


async def test_a_server_that_comes_during_a_turn_is_there_with_the_next_step(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    wait = {"call": "question", "arguments": {"questions": [{"question": "Is it there?"}]}}
    script = services.script([wait], [{"call": "odd_echo"}], [{"text": "Done."}])
    settings = {"mcp": {"odd": odd("plain", enabled=False)}, **NO_TITLE}
    async with services.open(script, **settings) as sessions:
        session = await sessions.create(title="t")

        async def answer(session_id: str, questions: Any) -> list[list[str]]:
            await sessions.extensions.mcp.connect("odd")
            return [["Yes"]]

        services.user.ask = answer  # type: ignore[method-assign]
        await session.prompt(GO)
        assert outputs(session)[1] == "echo {}"


async def test_a_model_answers_a_server_at_the_sessions_cost(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    usage = {"usage": {"input": 3, "output": 2}, "cost": 0.5}
    script = services.script([{"call": "odd_do"}], [{"text": "Four."}, usage], [{"text": "Done."}])
    async with services.open(script, mcp={"odd": odd("samples")}, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        assert json.loads(outputs(session)[0])["content"]["text"] == "Four."
        assert [request.permission for request in services.user.asked] == ["odd_do", "sampling"]


def told_of_servers(services: TempServices) -> list[str]:
    updates = [event.update for event in services.screen.events]
    return [update.message for update in updates if isinstance(update, Notice) and update.code == "mcp_servers"]


async def test_the_first_request_has_the_tools_of_a_server_that_was_still_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = TempServices(tmp_path)
    script = services.script([{"call": "odd_echo"}], [{"text": "Done."}])
    mcp = {"odd": odd("plain", permission="allow"), "waitSeconds": 600}
    clock = LoopClock(monkeypatch, stands_still=True)  # Servers start when a prompt waits for them, and not by time.
    async with services.open(script, mcp=mcp, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        clock.skip(0)
    assert outputs(session) == ["echo {}"]
    assert told_of_servers(services) == [
        "Waiting for MCP servers that are starting: odd (at most 600 s).",
        "The MCP servers are ready.",
    ]
    kinds = services.screen.kinds()
    assert kinds.count("turn_started") == 1
    assert kinds.index("user_message") < kinds.index("turn_started") < kinds.index("notice")


async def test_a_prompt_names_the_servers_that_did_not_come_in_time_and_each_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = TempServices(tmp_path)
    script = services.script([{"text": "One."}], [{"text": "Two."}])
    mcp = {"hung": odd("never", timeoutSeconds=9000), "gone": {"command": ["/nowhere/gone"]}, "waitSeconds": 600}
    clock = LoopClock(monkeypatch, stands_still=True)  # Servers start when the prompt waits for them, and not by time.
    async with services.open(script, mcp=mcp, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        first = asyncio.create_task(session.prompt(GO))
        lost_server = sessions.extensions.mcp.find("gone")
        await lost_server.tried()
        clock.skip(600)
        assert (await first).stop_reason == "end_turn"
        waiting, missing = told_of_servers(services)
        assert waiting == "Waiting for MCP servers that are starting: hung, gone (at most 600 s)."
        assert "hung: still starting, its tools join when it is ready; gone: " in missing
        assert "/nowhere/gone" in missing
        await session.prompt(GO)
        assert told_of_servers(services) == [waiting, missing]


async def test_a_prompt_that_waits_for_servers_can_be_cancelled(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    mcp = {"hung": odd("never"), "waitSeconds": 600}
    async with services.open(services.script(), mcp=mcp, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        prompt = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("notice")
        await session.cancel()
        assert (await prompt).stop_reason == "cancelled"
        assert services.screen.kinds()[-1] == "turn_ended"


async def test_five_servers_that_hang_delay_no_prompt_where_none_is_to_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = TempServices(tmp_path)
    hung = {f"hung{number}": odd("never") for number in range(5)}
    clock = LoopClock(monkeypatch, stands_still=True)  # A wait for servers would not end by time.
    async with services.open(
        services.script([{"text": "Here."}]), mcp={**hung, "waitSeconds": 0}, **NO_TITLE
    ) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert {server.state for server in sessions.extensions.mcp.servers} <= {"waiting", "connecting"}
        assert [message for message in told_of_servers(services) if message.startswith("Waiting")] == []
        clock.skip(0)


async def test_servers_end_with_the_house(tmp_path: Path, notes: Notes) -> None:
    services = TempServices(tmp_path)
    async with services.open(mcp={"odd": odd("plain", notes)}) as sessions:
        await sessions.create()
        await connected(sessions)
        await notes.until("started ")
    assert not is_alive(notes.number("started "))


async def test_an_untrusted_projects_servers_are_none(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    command = [sys.executable, str(ODD), "plain"]
    (services.project / "placet.json").write_text(json.dumps({"mcp": {"odd": {"command": command}}}), "utf-8")
    reader = ConfigLoader(services.locations, (services.project,), environment=dict)
    assert reader.read().settings.mcp.servers == {}
    Trust(services.locations.trust).decide(inventory(services.project), trusted=True)
    assert list(reader.read().settings.mcp.servers) == ["odd"]


async def test_prompts_that_come_are_commands_that_sessions_are_told_of(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    script = services.script([{"call": "odd_do"}], [{"text": "Done."}])
    settings = {"mcp": {"odd": odd("prompting", permission="allow")}, **NO_TITLE}
    async with services.open(script, **settings) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)

        def told_of() -> list[list[str]]:
            updates = [event.update for event in services.screen.events]
            return [[command.name for command in update.commands] for update in updates if update.kind == COMMANDS]

        while not any("odd:new0" in names for names in told_of()):
            await services.screen.wait_for_more()
        assert all("odd:write" in names for names in told_of())


@pytest.mark.skipif(not NODE_SERVERS.exists(), reason="`make test` installs the servers of tests/mcp_servers")
async def test_a_real_servers_prompt_is_a_command_with_arguments_and_its_resource_can_be_pointed_at(
    tmp_path: Path,
) -> None:
    services = TempServices(tmp_path)
    script = services.script([{"text": "Sunny."}], [{"text": "Read."}], [{"text": "Hm."}])
    mcp = {"everything": node_server("server-everything")}
    async with services.open(script, mcp=mcp, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions, "everything")
        (command,) = (one for one in sessions.commands()[0] if one.name == "everything:args-prompt")
        assert command.argument_hint == "<city> [state]"
        await session.prompt([TextPart(text="/everything:args-prompt Springfield New Jersey")])
        assert notes_of(session)[1] == "What's weather in Springfield, New Jersey?"

        refused = await session.prompt([TextPart(text="/everything:args-prompt")])
        assert refused.error is not None
        assert "needs city: /everything:args-prompt <city> [state]" in refused.error.message

        mentioned = [one.uri for one in sessions.extensions.mcp.find("everything").offered.resources]
        uri = next(one for one in mentioned if one.endswith("features.md"))
        await session.prompt([TextPart(text=f"Read @everything:{uri}.")])
        assert "# Everything Server" in notes_of(session, -2)[0]


def notes_of(session: Any, number: int = 0) -> list[str]:
    """What the prompt brings along."""
    return [part.text for part in session.messages[number].parts if isinstance(part, TextPart) and part.synthetic]


async def test_a_resource_that_the_user_points_at_is_shown_without_asking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mentions, "CONNECT_SECONDS", 60)
    services = TempServices(tmp_path)
    text = "Follow @odd:test://note, not @odd:test://missing. And mail me@odd:test://x or @other:test://note!"
    # A server that is just being started is waited for.
    async with services.open(services.script([{"text": "Done."}]), mcp={"odd": odd("plain")}, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt([TextPart(text=text)])).stop_reason == "end_turn"
        note, missing = notes_of(session)
        assert note == (
            "The user attached odd:test://note, a resource of an MCP server:\n"
            '<resource uri="test://note">\nwhat is noted\n</resource>'
        )
        assert "odd:test://missing, but it cannot be read" in missing
        assert "no such resource" in missing
        assert services.user.asked == []


async def test_a_resource_that_a_command_points_at_is_shown_only_where_the_rules_allow_it(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    command = {"command": {"note": {"template": "Follow @odd:test://note"}}}
    for allowed in (False, True):
        rules: dict[str, Any] = {"permission": {"read_mcp_resource": {"odd:*": "allow"}}} if allowed else {}
        script = services.script([{"text": "Done."}])
        async with services.open(script, mcp={"odd": odd("plain")}, **NO_TITLE, **command, **rules) as sessions:
            session = await sessions.create(title="t")
            await connected(sessions)
            await session.prompt([TextPart(text="/note")])
            assert any("what is noted" in text for text in notes_of(session)) == allowed


async def test_resources_are_offered_while_a_mention_is_written(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    async with services.open(mcp={"odd": odd("plain")}, **NO_TITLE) as sessions:
        await sessions.create(title="t")
        await connected(sessions)
        for text in ("Follow @od", "Follow @note", "Follow @odd:test:"):
            offers = (await sessions.completion.complete(text, len(text))).offers
            assert [
                (offer.kind, offer.label, offer.text, offer.detail) for offer in offers if offer.kind == "resource"
            ] == [("resource", "odd:test://note", "@odd:test://note", "note")], text


async def test_a_servers_values_for_the_first_argument_of_a_prompt_are_offered_where_the_server_has_them(
    tmp_path: Path, notes: Notes
) -> None:
    services = TempServices(tmp_path)
    settings = {"mcp": {"odd": odd("completes"), "plain": odd("plain", notes)}, **NO_TITLE}
    async with services.open(services.script(), **settings) as sessions:
        sessions.extensions.mcp.begin()
        await connected(sessions)
        await connected(sessions, "plain")

        async def offered(text: str) -> list[tuple[str, str]]:
            found = await sessions.completion.complete(text, len(text))
            return [(offer.text, offer.detail) for offer in found.offers]

        assert await offered("/odd:write fi") == [("topic-fi", "from odd")]
        assert await offered("/plain:write fi") == []
        assert await offered("/odd:nothing fi") == []
        assert notes.count("completion/complete") == 0
