"""`agent/mcp` over the wire."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from lsp_link.links import OurLink
from mcp_support import Notes, odd
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings
from time_support import limited


@pytest_asyncio.fixture
async def closed_link(tmp_path: Path) -> AsyncIterator[OurLink]:
    """A link that nobody has started yet."""

    async def open_them(ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        locations = Locations(*(tmp_path / name for name in ("config", "data", "cache", "log")))
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        return await open_sessions(ports(settings), roots, settings, locations, ModelHost())

    (tmp_path / "project").mkdir()
    yield OurLink(open_them)


@pytest_asyncio.fixture
async def link(closed_link: OurLink, tmp_path: Path) -> AsyncIterator[OurLink]:
    far = {"url": "http://127.0.0.1:9/mcp", "enabled": False}
    mcp = {"odd": odd("plain", timeoutSeconds=100), "broken": odd("broken", timeoutSeconds=100), "far": far}
    await closed_link.start(**beginning(tmp_path, mcp))
    yield closed_link
    await closed_link.stop()


def beginning(directory: Path, mcp: dict[str, Any], model: str = "builtin/rules") -> dict[str, Any]:
    settings = {"model": model, "mcp": mcp, "agent": {"title": {"disable": True}}}
    return {
        "rootUri": (directory / "project").as_uri(),
        "initializationOptions": {"agent": {"protocol": 1}, "settings": settings},
    }


async def asked(link: OurLink, **params: Any) -> dict[str, Any]:
    answer = await link.call("agent/mcp", params)
    assert "error" not in answer, answer
    return {one["name"]: one for one in answer["result"]["servers"]}


async def test_servers_are_listed_connected_and_disconnected(link: OurLink) -> None:
    listed = await asked(link)
    assert {name: one["kind"] for name, one in listed.items()} == {"odd": "local", "broken": "local", "far": "remote"}
    assert listed["far"]["state"] == "disabled"
    there = (await asked(link, action="connect", server="odd"))["odd"]
    assert there["state"] == "connected"
    assert there["tools"] == ["odd_do", "odd_ask", "odd_echo"]
    assert (there["prompts"], there["resources"]) == (["odd:write"], 2)
    async with limited(lambda: f"the server broken; the last messages were {link.sent.messages[-3:]}"):
        broken = (await asked(link, action="connect", server="broken"))["broken"]
    assert "No such thing as a free lunch." in json.dumps(broken["problems"])
    assert (await asked(link, action="disconnect", server="odd"))["odd"]["state"] == "disconnected"


async def test_servers_start_when_the_editor_is_ready_and_not_before(closed_link: OurLink, tmp_path: Path) -> None:
    async with Notes().taken() as notes:
        mcp = {"odd": odd("plain", notes, timeoutSeconds=100)}
        closed_link.attach()
        await closed_link.call("initialize", {"processId": None, "capabilities": {}, **beginning(tmp_path, mcp)})
        assert [one["state"] for one in (await asked(closed_link)).values()] == ["waiting"]
        assert notes.lines == []
        closed_link.notify("initialized", {})
        async with limited(lambda: f"the start of the server; it says {notes.lines[-3:]}"):
            await notes.until("started ")
        await closed_link.stop()


async def test_the_first_prompt_of_an_editor_has_the_tools_of_its_servers(closed_link: OurLink, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    turns = [[{"call": "odd_echo", "arguments": {"text": "hi"}}], [{"text": "Done."}]]
    script.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
    mcp = {"odd": odd("plain", permission="allow", timeoutSeconds=100), "waitSeconds": 100}
    await closed_link.start(**beginning(tmp_path, mcp, f"scripted/{script}"))
    session = (await closed_link.call("agent/session/new", {"title": "t"}))["result"]["id"]
    prompt = closed_link.begin("agent/prompt", {"sessionId": session, "parts": [{"type": "text", "text": "Go on."}]})
    async with limited(lambda: f"the end of the turn; the last messages were {closed_link.sent.messages[-3:]}"):
        assert (await closed_link.answer(prompt))["result"]["stopReason"] == "end_turn"
    updates = [one["params"]["update"] for one in closed_link.sent.messages if one.get("method") == "agent/update"]
    calls = [update["part"] for update in updates if update["kind"] == "tool_call_update"]
    assert calls[-1]["state"]["output"] == 'echo {"text": "hi"}'
    await closed_link.stop()


async def test_sessions_are_told_of_the_commands_of_a_server_as_they_come_and_go(link: OurLink) -> None:
    session = (await link.call("agent/session/new", {"title": "t"}))["result"]["id"]

    async def told(is_there: bool) -> None:
        await link.sent.first(
            lambda one: (
                one.get("method") == "agent/update"
                and one["params"]["sessionId"] == session
                and one["params"]["update"]["kind"] == "available_commands_update"
                and ("odd:write" in [it["name"] for it in one["params"]["update"]["commands"]]) is is_there
            )
        )

    await asked(link, action="connect", server="odd")
    await told(is_there=True)
    await asked(link, action="disconnect", server="odd")
    await told(is_there=False)


async def test_what_cannot_be_done_is_said(link: OurLink) -> None:
    for params, told in (
        ({"action": "connect", "server": "other"}, "There is no MCP server other"),
        ({"action": "connect"}, "needs `server`"),
        ({"action": "auth", "server": "odd"}, "has no sign-in"),
    ):
        answer = await link.call("agent/mcp", params)
        assert told in answer["error"]["message"]


PASSWORD = "hush-5e7c"
INPUTS: list[dict[str, Any]] = [
    {"id": "region", "type": "pickString", "options": ["eu", "us"]},
    {"id": "token", "password": True},
]


def asking() -> dict[str, Any]:
    return odd("environment", env={"GIVEN": "${input:region} ${input:token}"}, inputs=INPUTS, timeoutSeconds=100)


async def question(link: OurLink, number: int = 1) -> dict[str, Any]:
    """The question of that number."""
    seen: list[dict[str, Any]] = []

    def fits(_: dict[str, Any]) -> bool:
        seen[:] = [one for one in link.sent.messages if one.get("method") == "editor/question"]
        return len(seen) >= number

    await link.sent.first(fits)
    return seen[number - 1]


async def test_the_user_enters_and_changes_the_values_of_a_server(closed_link: OurLink, tmp_path: Path) -> None:
    start = beginning(tmp_path, {"odd": asking()})
    start["initializationOptions"]["agent"]["requests"] = ["editor/question"]
    await closed_link.start(**start)
    async with limited(lambda: f"the server odd; the last messages were {closed_link.sent.messages[-3:]}"):
        listed = await asked(closed_link, action="connect", server="odd")
        assert (listed["odd"]["state"], listed["odd"]["takesInput"]) == ("needs_input", True)
        for number, (answers, state) in enumerate(
            ((None, "needs_input"), ([["eu"], [PASSWORD]], "connected"), ([["us"], ["other"]], "connected")), 1
        ):
            entering = closed_link.begin("agent/mcp", {"action": "input", "server": "odd"})
            put = await question(closed_link, number)
            assert put["params"]["sessionId"] == "", "the question is part of the user's action"
            assert [one["secret"] for one in put["params"]["questions"]] == [False, True]
            closed_link.send({"id": put["id"], "result": {"answers": answers}})
            [server] = (await closed_link.answer(entering))["result"]["servers"]
            assert server["state"] == state
    assert PASSWORD not in json.dumps(closed_link.sent.messages)
    await closed_link.stop()


async def test_the_first_prompt_asks_in_its_session_and_waits_for_the_server(
    closed_link: OurLink, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    turns = [[{"call": "odd_do"}], [{"text": "Done."}]]
    script.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
    mcp = {"odd": {**asking(), "permission": "allow"}, "waitSeconds": 100}
    start = beginning(tmp_path, mcp, f"scripted/{script}")
    start["initializationOptions"]["agent"]["requests"] = ["editor/question"]
    await closed_link.start(**start)
    session = (await closed_link.call("agent/session/new", {"title": "t"}))["result"]["id"]
    prompt = closed_link.begin("agent/prompt", {"sessionId": session, "parts": [{"type": "text", "text": "Go on."}]})
    async with limited(lambda: f"a question; the last messages were {closed_link.sent.messages[-3:]}"):
        put = await question(closed_link)
        assert put["params"]["sessionId"] == session
        closed_link.send({"id": put["id"], "result": {"answers": [["us"], [PASSWORD]]}})
        assert (await closed_link.answer(prompt))["result"]["stopReason"] == "end_turn"
    written = json.dumps(closed_link.sent.messages)
    assert "us ${input:token}" in written
    assert PASSWORD not in written
    await closed_link.stop()


async def test_an_editor_that_cannot_hide_a_password_is_not_asked(closed_link: OurLink, tmp_path: Path) -> None:
    start = beginning(tmp_path, {"odd": asking()})
    del start["initializationOptions"]["agent"]
    await closed_link.start(**start)
    answer = await closed_link.call("agent/mcp", {"action": "input", "server": "odd"})
    assert answer["error"]["message"].endswith("run `placet mcp input odd` in a terminal.")
    await closed_link.stop()
