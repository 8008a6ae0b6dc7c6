"""MCP servers that a client hands over with a session, over the true wire."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_support import ALLOW, AcpClient, Refused, children_of, run_placet
from mcp_support import NODE_SERVERS, ODD, Notes, listening, node, until_dead
from placet.frontends.acp.mcp_servers import server_settings
from placet.frontends.acp.protocol.requests import McpServer, NamedValue
from run_support import Place

Json = dict[str, Any]

ECHO = [{"call": "odd_echo", "arguments": {"text": "hi"}}]
DONE = [{"text": "Done."}]
with_node_servers = pytest.mark.skipif(
    not NODE_SERVERS.exists(), reason="`make test` installs the servers of tests/mcp_servers"
)


def odd(kind: str = "plain", notes: Notes | None = None, name: str = "odd", env: list[Json] | None = None) -> Json:
    arguments = ["-S", str(ODD), kind, *([str(notes.port)] if notes else [])]
    return {"name": name, "command": sys.executable, "args": arguments, "env": env or []}


@pytest.fixture
def place(place: Place) -> Place:
    configure(place)
    return place


def configure(place: Place, **servers: Any) -> None:
    """Set the user's servers; a prompt waits for all servers, also on a busy machine."""
    directory = place.directory / "CONFIG" / "placet"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "placet.json").write_text(json.dumps({"mcp": {"waitSeconds": 60, **servers}}))


async def completed(client: AcpClient) -> str:
    """The output of the first completed call."""
    return json.dumps((await client.update("tool_call_update", status="completed"))["content"])


def told(client: AcpClient) -> str:
    return client.text("agent_thought_chunk")


async def test_a_tool_of_a_handed_over_server_is_asked_for_and_called(place: Place) -> None:
    place.script(ECHO, DONE)
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        session_id = await client.new_session(mcpServers=[odd()])
        assert await client.prompt(session_id) == "end_turn"
        assert "odd_echo" in (await client.asked())["params"]["toolCall"]["title"]
        assert "hi" in await completed(client)


def is_list_with(name: str) -> Any:
    """Whether a message is a list of commands with this command."""

    def is_wanted(message: Json) -> bool:
        update = message.get("params", {}).get("update", {})
        return name in [command["name"] for command in update.get("availableCommands", ())]

    return is_wanted


async def test_the_prompts_of_a_handed_over_server_are_commands_of_its_session_alone(place: Place) -> None:
    place.script(DONE)
    async with AcpClient(place) as client:
        await client.initialize()
        other = await client.new_session()
        session_id = await client.new_session(mcpServers=[odd()])
        listed = await client.until(is_list_with("odd:write"))
        assert listed["params"]["sessionId"] == session_id
        (command,) = [one for one in listed["params"]["update"]["availableCommands"] if one["name"] == "odd:write"]
        assert command == {"name": "odd:write", "description": "Write.", "input": {"hint": "<topic> [tone]"}}
        assert await client.prompt(session_id, "/odd:write snow softly") == "end_turn"
        exported = run_placet(place, "sessions", "export", session_id, "--format", "json").stdout
        assert json.dumps(json.dumps({"topic": "snow", "tone": "softly"})) in exported
        lists = client.updates("available_commands_update", session_id=other)
        assert lists
        assert not [name for update in lists for name in update["availableCommands"] if name["name"] == "odd:write"]
        with pytest.raises(Refused, match="needs topic"):
            await client.prompt(session_id, "/odd:write")


async def test_a_prompt_that_a_server_offers_later_becomes_a_command(place: Place) -> None:
    place.script([{"call": "odd_do"}], DONE)
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        assert await client.prompt(await client.new_session(mcpServers=[odd("prompting")])) == "end_turn"
        await client.until(is_list_with("odd:new0"))


async def test_a_rejected_call_does_not_reach_the_server(place: Place) -> None:
    place.script(ECHO, DONE)
    async with Notes().taken() as notes, AcpClient(place) as client:
        client.permission = lambda params: {"outcome": {"outcome": "selected", "optionId": "reject"}}
        await client.initialize()
        await client.prompt(await client.new_session(mcpServers=[odd(notes=notes)]))
        assert notes.count("initialize") == 1
        assert notes.count("tools/call") == 0


async def test_the_session_is_opened_before_a_server_that_never_connects(place: Place) -> None:
    async with AcpClient(place) as client:
        await client.initialize()
        session_id = await client.new_session(mcpServers=[odd("never"), odd(name="other", kind="plain")])
        assert session_id.startswith("ses_")
        assert (await client.update("available_commands_update"))["availableCommands"]


async def test_the_first_prompt_names_a_server_that_cannot_be_started(place: Place) -> None:
    place.script(DONE)
    lost = {"name": "lost", "command": "/nowhere/lost", "args": [], "env": []}
    async with AcpClient(place) as client:
        await client.initialize()
        assert await client.prompt(await client.new_session(mcpServers=[lost])) == "end_turn"
        assert "/nowhere/lost" in told(client)


async def test_a_server_is_of_its_session_alone_and_stands_in_no_file(place: Place) -> None:
    place.script(ECHO, DONE)
    secret = [{"name": "SOME_TOKEN", "value": "hunter-2-secret"}]
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        assert await client.prompt(await client.new_session(mcpServers=[odd(env=secret)])) == "end_turn"
        other = await client.new_session()
        assert await client.prompt(other) == "end_turn"
        (failed,) = [one for one in client.updates(session_id=other) if one.get("status") == "failed"]
        assert "There is no tool" not in json.dumps(failed["content"]), "these words are for the model"
    files = [file for file in place.directory.rglob("*") if file.is_file()]
    assert any(file.suffix in (".db", ".sqlite") or "placet" in file.name for file in files)
    assert [file for file in files if b"hunter-2-secret" in file.read_bytes()] == []


async def test_a_server_gets_its_variables_and_the_working_directory_of_the_session(place: Place) -> None:
    place.script([{"call": "odd_do"}], DONE)
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        server = odd("environment", env=[{"name": "GREETING", "value": "hello there"}])
        await client.prompt(await client.new_session(mcpServers=[server]))
        assert "hello there" in await completed(client)


async def test_a_server_of_the_client_hides_the_settings_server_of_the_same_name_with_its_permission(
    place: Place,
) -> None:
    place.script([{"call": "odd_do"}], DONE)
    async with Notes().taken() as notes, AcpClient(place) as client:
        configure(place, odd={"command": [sys.executable, "-S", str(ODD), "plain"], "permission": "allow"})
        client.permission = lambda params: ALLOW
        await client.initialize()
        session_id = await client.new_session(mcpServers=[odd("environment", notes)])
        assert await client.prompt(session_id) == "end_turn"
        assert "odd_do" in (await client.asked())["params"]["toolCall"]["title"]
        assert notes.count("tools/call") == 1
        assert "PATH" in await completed(client)


async def test_a_server_of_the_settings_stays_beside_a_server_of_the_client(place: Place) -> None:
    place.script([{"call": "kept_echo", "arguments": {"text": "kept"}}], ECHO, DONE)
    async with AcpClient(place) as client:
        configure(place, kept={"command": [sys.executable, "-S", str(ODD), "plain"]})
        client.permission = lambda params: ALLOW
        await client.initialize()
        assert await client.prompt(await client.new_session(mcpServers=[odd()])) == "end_turn"
        asked = [one["params"]["toolCall"]["title"] for one in client.requests("session/request_permission")]
        assert ["kept_echo" in title for title in asked] == [True, False]


async def test_a_subagent_has_the_servers_of_its_session(place: Place) -> None:
    task = {"description": "Echo", "prompt": "Echo.", "subagent_type": "general"}
    place.script([{"call": "task", "arguments": task}], ECHO, [{"text": "Echoed."}], DONE)
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        assert await client.prompt(await client.new_session(mcpServers=[odd()])) == "end_turn"
        titles = [one["params"]["toolCall"]["title"] for one in client.requests("session/request_permission")]
        assert any("odd_echo" in title for title in titles)
        assert "hi" in await completed(client)


async def test_closing_the_session_ends_its_servers(place: Place) -> None:
    place.script(ECHO, DONE)
    async with Notes().taken() as notes, AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        session_id = await client.new_session(mcpServers=[odd("pid", notes)])
        await client.prompt(session_id)
        await notes.until("tools/list")
        assert client.process.pid is not None
        servers = [pid for pid in children_of(client.process.pid) if is_odd(pid)]
        assert len(servers) == 1
        await client.call("session/close", {"sessionId": session_id})
        await until_dead(servers[0])


async def test_a_load_replaces_the_servers_of_the_session(place: Place) -> None:
    place.script([{"call": "second_echo", "arguments": {"text": "two"}}], DONE)
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        session_id = await client.new_session(mcpServers=[odd(name="first")])
        opening = {"sessionId": session_id, "cwd": str(place.project), "mcpServers": [odd(name="second")]}
        await client.call("session/load", opening)
        assert await client.prompt(session_id) == "end_turn"
        assert "two" in await completed(client)


@with_node_servers
@pytest.mark.parametrize(("transport", "path"), [("streamableHttp", "mcp"), ("sse", "sse")])
async def test_a_real_server_at_an_address_answers(place: Place, transport: str, path: str) -> None:
    place.script([{"call": "everything_echo", "arguments": {"message": "far away"}}], DONE)
    async with listening(transport) as port, AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        assert (await client.initialize())["agentCapabilities"]["mcpCapabilities"] == {"http": True, "sse": True}
        kind = "http" if transport == "streamableHttp" else "sse"
        server = {"type": kind, "name": "everything", "url": f"http://127.0.0.1:{port}/{path}", "headers": []}
        assert await client.prompt(await client.new_session(mcpServers=[server])) == "end_turn"
        assert "far away" in await completed(client)


@with_node_servers
async def test_a_real_server_that_is_a_program_answers(place: Place) -> None:
    place.script([{"call": "my_server_echo", "arguments": {"message": "close by"}}], DONE)
    program = str(NODE_SERVERS / "server-everything" / "dist" / "index.js")
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        server = {"name": "my server", "command": node(), "args": [program], "env": []}
        assert await client.prompt(await client.new_session(mcpServers=[server])) == "end_turn"
        assert "close by" in await completed(client)


@pytest.mark.parametrize(
    "server",
    [
        {"name": "bad", "type": "http", "url": "ftp://secret-token@host/", "headers": []},
        {"name": "bad", "command": "", "args": [], "env": []},
        {"name": "bad", "type": "pigeon", "url": "http://127.0.0.1/", "headers": []},
    ],
)
async def test_an_unusable_server_is_named_and_the_session_opens(place: Place, server: Json) -> None:
    async with AcpClient(place) as client:
        await client.initialize()
        await client.new_session(mcpServers=[server])
        words = (await client.update("agent_thought_chunk"))["content"]["text"]
        assert "the MCP server bad of this client" in words
        assert "secret-token" not in words


def test_headers_and_variables_become_settings_and_no_sign_in_is_stored() -> None:
    far = McpServer("far", "http", url="https://h.example/mcp", headers=(NamedValue("Authorization", "Bearer x"),))
    near = McpServer("near", command="/bin/near", args=("-v",), env=(NamedValue("A", "1"), NamedValue("B", "2")))
    settings, problems = server_settings([far, near, McpServer("bare", command="/bin/bare")])
    assert problems == ()
    assert settings["far"].headers == {"Authorization": "Bearer x"}
    assert (settings["far"].type, settings["far"].oauth) == ("http", False)
    assert (settings["near"].command, settings["near"].args) == ("/bin/near", ("-v",))
    assert settings["near"].env == {"A": "1", "B": "2"}
    assert settings["bare"].env == {}


def is_odd(process_id: int) -> bool:
    try:
        return str(ODD).encode() in Path(f"/proc/{process_id}/cmdline").read_bytes()
    except FileNotFoundError:  # Another program of the agent, which has ended since it was listed.
        return False
