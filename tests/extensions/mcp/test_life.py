"""How servers start, are lost, change, and end."""

import asyncio
import json
import os
import sys

import pytest

from mcp_support import Notes, held, is_alive, odd, read, until_dead
from placet.core.errors import RequestError, ToolError
from placet.extensions.mcp import server
from placet.extensions.mcp.server import MOST_TRIES
from time_support import LoopClock, limited
from tools_support.workbench import Workbench

HOLDER = """
import asyncio, json, sys
from pathlib import Path
from mcp_support import read
from placet.extensions.mcp.servers import McpServers
from placet.extensions.mcp.server_services import ServerServices

async def main():
    around = ServerServices((Path.cwd(),), Path("none"), begin_after_seconds=0)
    servers = McpServers(read(json.loads(sys.argv[1])), around)
    servers.begin()
    await asyncio.Event().wait()

asyncio.run(main())
"""
"""Servers held by a process of their own."""


async def test_what_hangs_holds_up_nobody(bench: Workbench) -> None:
    async with held(bench, hung=odd("never"), odd=odd("plain")) as mcp:
        assert await mcp.ids() == [], "who had waited would have those of the other"
        await mcp.connected()
        assert "odd_echo" in await mcp.ids()
        assert mcp.server("hung").state == "connecting"


async def test_who_is_not_ready_in_time_is_tried_again_and_has_failed_in_the_end(
    bench: Workbench, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock(monkeypatch)
    async with held(bench, odd=odd("never", notes, timeoutSeconds=30)) as mcp:
        for number in range(1, MOST_TRIES + 1):
            await notes.until("started", number)
            clock.skip(30)
        await mcp.until(lambda: mcp.server().state == "failed")
        assert mcp.server().problem == ("The MCP server odd was not ready within 30 seconds (mcp.odd.timeoutSeconds).")
        assert not is_alive(notes.number("started "))
        assert notes.count("started") == MOST_TRIES


async def test_why_a_server_ended_is_told_in_its_own_words(bench: Workbench) -> None:
    async with held(bench, odd=odd("broken")) as mcp:
        await mcp.until(lambda: mcp.server().state == "failed")
        assert mcp.server().problem == "The MCP server odd cannot be reached: No such thing as a free lunch."
        assert mcp.servers.problems_of(mcp.server()) == (mcp.server().problem,)


async def test_a_program_that_there_is_not_is_named(bench: Workbench) -> None:
    async with held(bench, odd={"command": "no-such-program"}, lost=odd("plain", cwd="nowhere")) as mcp:
        await mcp.until(lambda: {mcp.server().state, mcp.server("lost").state} == {"failed"})
        assert "there is no program no-such-program" in mcp.server().problem
        assert "there is no folder" in mcp.server("lost").problem


async def test_a_server_without_a_program_loads_no_sdk(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def loaded() -> None:
        raise AssertionError("the SDK was loaded")

    monkeypatch.setattr(server, "connection_module", loaded)
    async with held(bench, odd={"command": "no-such-program"}) as mcp:
        await mcp.until(lambda: mcp.server().state == "failed")
        assert "there is no program no-such-program" in mcp.server().problem


async def test_what_is_no_message_is_passed_over(bench: Workbench) -> None:
    async with held(bench, odd=odd("chatters")) as mcp:
        await mcp.connected()
        assert (await mcp.run("odd_echo")).output == "echo {}"


async def test_new_tools_are_there_once_the_server_tells(bench: Workbench) -> None:
    async with held(bench, odd=odd("changing")) as mcp:
        await mcp.connected()
        before = await mcp.servers.tools()
        assert [tool.id for tool in before] == ["odd_change", "list_mcp_resources", "read_mcp_resource"]
        assert before == await mcp.servers.tools()
        await mcp.run("odd_change")
        await mcp.until(lambda: len(mcp.server().offered.tools) == 2)
        assert "odd_new0" in await mcp.ids()


async def test_all_pages_are_read(bench: Workbench) -> None:
    async with held(bench, odd=odd("pages")) as mcp:
        await mcp.connected()
        assert sum(id.startswith("odd_t") for id in await mcp.ids()) == 50


async def test_a_tool_that_cannot_be_used_spoils_no_other(bench: Workbench) -> None:
    async with held(bench, odd=odd("schemas")) as mcp:
        await mcp.connected()
        assert (await mcp.ids())[:3] == ["odd_good", "odd_recursive", "odd_lies"]
        ready = await (await mcp.tool("odd_good")).init(bench.agent)
        assert ready.schema == {"type": "object", "properties": {"x": {"type": "string"}}}
        problems = mcp.servers.problems_of(mcp.server())
        assert [problem.partition(" of odd is left out: ")[0] for problem in problems] == [
            *("The tool no_reference", "The tool no_schema", "The tool a_string", "The tool bomb"),
            *("The tool (a tool without a name)", "The tool (a tool without a name)", "The tool a_number"),
            *("The tool required", "The tool no_type", "The tool deep"),
        ]
        assert "inputSchema.required: Input should be a valid list" in problems[7]
        assert (await mcp.run("odd_lies")).output == '{\n "n": "no number"\n}'


async def test_names_are_made_plain_short_and_nobody_elses(bench: Workbench) -> None:
    async with held(bench, external=odd("names"), external_x=odd("plain")) as mcp:
        await mcp.connected("external", "external_x")
        ids = await mcp.ids()
        assert "external_a_b_c" in ids
        assert "external_directory" not in ids
        assert max(map(len, ids)) == 64
        problems = mcp.servers.problems_of(mcp.server("external"))
        assert any("directory" in problem and "name of a permission" in problem for problem in problems)
        assert any("a.b.c" in problem and "another of that name" in problem for problem in problems)


async def test_a_server_ends_with_all_that_it_started(bench: Workbench, notes: Notes) -> None:
    async with held(bench, odd=odd("family", notes)) as mcp:
        await mcp.connected()
        await notes.until("child ")
        pids = [notes.number("started "), notes.number("child ")]
        assert all(map(is_alive, pids))
    assert not any(map(is_alive, pids))


async def test_the_user_ends_and_starts_a_server(bench: Workbench) -> None:
    async with held(bench, odd=odd("plain", enabled=False)) as mcp:
        assert mcp.server().state == "disabled"
        await mcp.servers.connect("odd")
        assert mcp.server().state == "connected"
        tool = await mcp.tool("odd_echo")
        await mcp.servers.disconnect("odd")
        assert (mcp.server().state, await mcp.ids()) == ("disconnected", [])
        with pytest.raises(ToolError, match="odd is not connected"):
            await bench.run(tool)
        with pytest.raises(RequestError, match="There is no MCP server other in your settings: odd"):
            await mcp.servers.connect("other")


async def test_new_settings_start_and_end_servers(bench: Workbench, notes: Notes) -> None:
    async with held(bench, gone=odd("plain", notes), kept=odd("plain")) as mcp:
        await mcp.connected("gone", "kept")
        unchanged = mcp.server("kept")
        await notes.until("started ")
        mcp.servers.follow(read({"kept": odd("plain"), "new": odd("names")}))
        await mcp.until(lambda: "new" in {server.name for server in mcp.servers.servers})
        await mcp.connected("new")
        assert mcp.server("kept") is unchanged
        assert {id.partition("_")[0] for id in await mcp.ids()} == {"kept", "new", "list", "read"}
        assert not is_alive(notes.number("started "))


async def test_prompts_are_commands_with_arguments_by_place(bench: Workbench) -> None:
    async with held(bench, odd=odd("plain")) as mcp:
        await mcp.connected()
        (prompt,) = mcp.servers.prompts()
        assert (prompt.command, prompt.description) == ("odd:write", "Write.")
        (part,) = await prompt.get(["cats", "very", "kind"], bench.output_directory)
        assert part.text == '{"topic": "cats", "tone": "very kind"}'
        with pytest.raises(RequestError, match=r"/odd:write needs topic: /odd:write <topic> \[tone\]"):
            await prompt.get([], bench.output_directory)


async def test_resources_are_listed_and_read_by_tools(bench: Workbench) -> None:
    async with held(bench, odd=odd("plain")) as mcp:
        await mcp.connected()
        listed = await mcp.run("list_mcp_resources")
        assert listed.output == "odd: test://note (note, text/plain)\nodd: test://{id} (any, a template)"
        assert bench.user.asked == []
        result = await mcp.run("read_mcp_resource", server="odd", uri="test://note")
        assert result.output == '<resource uri="test://note">\nwhat is noted\n</resource>'
        assert bench.user.asked == [("read_mcp_resource", ("odd:test://note",))]
        with pytest.raises(ToolError, match="no such resource"):
            await mcp.run("read_mcp_resource", server="odd", uri="test://missing")
        with pytest.raises(ToolError, match="No MCP server x has resources"):
            await mcp.run("read_mcp_resource", server="x", uri="test://note")


async def test_twenty_servers_start_side_by_side(bench: Workbench) -> None:
    names = [f"s{number}" for number in range(20)]
    async with held(bench, **{name: odd("plain") for name in names}) as mcp:
        async with limited(lambda: f"the servers {names}"):
            await mcp.connected(*names)
        assert len(await mcp.ids()) == 62


@pytest.mark.skipif(sys.platform != "linux", reason="needs pidfd_open")
async def test_a_server_ends_with_a_placet_that_is_killed(notes: Notes) -> None:
    settings = json.dumps({"odd": odd("family", notes)})
    holder = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        HOLDER,
        settings,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        await notes.until("tools/list")
        pids = [notes.number("started "), notes.number("child ")]
        assert all(map(is_alive, pids))
        holder.kill()
        await asyncio.gather(*map(until_dead, pids))
    finally:
        if holder.returncode is None:
            holder.kill()
        await holder.wait()
