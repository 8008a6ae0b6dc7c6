"""MCP servers that are programs run in the sandbox by the setting, with the needs of the setting and no more."""

from pathlib import Path

import pytest

from mcp_support import NODE_SERVERS, held, node_server, odd
from placet.sandbox.programs import Program
from sandbox_support import MARK, FakeSandbox
from tools_support.workbench import Workbench


@pytest.mark.parametrize(
    ("sandbox", "write", "domains"),
    [(True, (), ()), ({"write": ["~/notes"], "domains": ["example.com"]}, ("~/notes",), ("example.com",))],
)
async def test_the_sandbox_of_a_server_gets_the_folders_and_the_needs_of_the_setting(
    bench: Workbench, sandbox: object, write: tuple[str, ...], domains: tuple[str, ...]
) -> None:
    fake = FakeSandbox()
    async with held(bench, contain=fake.contain, odd=odd("simple", sandbox=sandbox)) as mcp:
        await mcp.connected()
        assert fake.programs == [Program("the MCP server odd", (bench.root,), write, domains)]
        assert fake.running == ["the MCP server odd"]
    assert fake.running == [], "the sandbox ends with the server"


@pytest.mark.parametrize("sandbox", [None, False])
async def test_a_server_without_the_setting_runs_outside(bench: Workbench, sandbox: object) -> None:
    fake = FakeSandbox()
    async with held(bench, contain=fake.contain, odd=odd("simple", sandbox=sandbox)) as mcp:
        await mcp.connected()
    assert fake.programs == []


async def test_a_server_that_cannot_be_contained_is_not_started_and_says_why(bench: Workbench, tmp_path: Path) -> None:
    fake = FakeSandbox("There is no sandbox here.")
    trace = tmp_path / "trace"
    server = {"command": ["/bin/sh", "-c", f"touch {trace}"], "sandbox": True}
    async with held(bench, contain=fake.contain, odd=server) as mcp:
        await mcp.until(lambda: mcp.server().problem)
        assert mcp.server().problem == "The MCP server odd cannot be reached: There is no sandbox here."
    assert not trace.exists()


@pytest.mark.skipif(not NODE_SERVERS.exists(), reason="`make test` installs the servers of tests/mcp_servers")
async def test_a_real_server_gets_the_contained_command(bench: Workbench) -> None:
    fake = FakeSandbox()
    async with held(bench, contain=fake.contain, all=node_server("server-everything", sandbox=True)) as mcp:
        await mcp.connected("all")
        result = await mcp.run("all_get-env")
    assert f'"{MARK}": "1"' in result.output
