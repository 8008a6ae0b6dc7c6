"""The servers of the Model Context Protocol's own authors, over stdio, streamable HTTP and SSE."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mcp_support import NODE_SERVERS, Held, free_port, held, listening, node_server
from placet.core.errors import ToolError
from placet.core.messages import TextPart
from placet.extensions.mcp.server_services import SamplingAnswer, SamplingRequest
from time_support import limited
from tools_support.workbench import Workbench

pytestmark = pytest.mark.skipif(
    not NODE_SERVERS.exists(), reason="`make test` installs the servers of tests/mcp_servers"
)


@asynccontextmanager
async def everything(bench: Workbench, transport: str, **more: object) -> AsyncIterator[Held]:
    if transport == "stdio":
        async with held(bench, everything=node_server("server-everything"), **more) as mcp:
            await mcp.connected("everything")
            yield mcp
        return
    async with listening(transport) as port:
        path = {"streamableHttp": "mcp", "sse": "sse"}[transport]
        settings = {"type": "remote", "url": f"http://127.0.0.1:{port}/{path}"}
        async with held(bench, everything=settings, **more) as mcp:
            await mcp.connected("everything")
            yield mcp


@pytest.mark.parametrize("transport", ["stdio", "streamableHttp", "sse"])
async def test_everything_that_server_everything_has_works(bench: Workbench, transport: str) -> None:
    async def sample(request: SamplingRequest) -> SamplingAnswer:
        return SamplingAnswer("test/model", "Sampled.")

    async with everything(bench, transport, sample=sample) as mcp:
        assert (await mcp.run("everything_echo", message="hi")).output == "Echo: hi"
        assert (await mcp.run("everything_get-sum", a=2, b=3)).output == "The sum of 2 and 3 is 5."
        assert [part.mime for part in (await mcp.run("everything_get-tiny-image")).attachments] == ["image/png"]
        structured = await mcp.run("everything_get-structured-content", location="Chicago")
        assert json.loads(structured.output)["conditions"]
        with pytest.raises(ToolError, match="nvalid"):
            await mcp.run("everything_get-sum", a="two", b=3)
        bench.progress.clear()
        await mcp.run("everything_trigger-long-running-operation", duration=0.4, steps=4)
        assert bench.progress[-1]["total"] == 4
        assert "Sampled." in (await mcp.run("everything_trigger-sampling-request", prompt="p", maxTokens=10)).output
        assert bench.root.as_uri() in (await mcp.run("everything_get-roots-list")).output
        assert "declined" in (await mcp.run("everything_trigger-elicitation-request")).output
        prompts = {prompt.command: prompt for prompt in mcp.servers.prompts()}
        (part,) = await prompts["everything:args-prompt"].get(["Paris"], bench.output_directory)
        assert await prompts["everything:completable-prompt"].values("E") == ["Engineering"]
        assert await prompts["everything:completable-prompt"].values("A", ["Engineering"]) == ["Alice"]
        assert await prompts["everything:completable-prompt"].values("D", ["Sales"]) == ["David"]
        assert await prompts["everything:completable-prompt"].values("", ["Sales", "David"]) == []
        assert await prompts["everything:args-prompt"].values("P") == []
        assert "Everything Server" in mcp.server("everything").instructions
        assert isinstance(part, TextPart)
        assert part.text == "What's weather in Paris?"
        read = await mcp.run(
            "read_mcp_resource", server="everything", uri="demo://resource/static/document/architecture.md"
        )
        assert "Everything Server" in read.output


async def test_a_long_call_is_cancelled_over_http(bench: Workbench) -> None:
    async with everything(bench, "streamableHttp") as mcp:
        tool = await mcp.tool("everything_trigger-long-running-operation")
        call = asyncio.ensure_future(bench.run(tool, duration=9000, steps=45000))
        await bench.progressed.wait()
        call.cancel()
        async with limited(lambda: "the end of the call, whose server goes on"):
            await asyncio.wait((call,))
        assert call.cancelled()
        assert (await mcp.run("everything_echo", message="still there")).output == "Echo: still there"


async def test_an_address_that_nobody_serves_has_failed_and_says_so(bench: Workbench) -> None:
    async with held(bench, odd={"url": f"http://127.0.0.1:{await free_port()}/mcp"}) as mcp:
        await mcp.until(lambda: mcp.server().state == "failed")
        assert "cannot be reached" in mcp.server().problem


async def test_a_server_that_is_gone_from_its_address_is_found_again(bench: Workbench) -> None:
    port = await free_port()
    async with held(bench, odd={"url": f"http://127.0.0.1:{port}/mcp"}) as mcp:
        async with listening("streamableHttp", port):
            await mcp.servers.connect("odd")
            assert (await mcp.run("odd_echo", message="hi")).output == "Echo: hi"
        tool = await mcp.tool("odd_echo")
        async with listening("streamableHttp", port):
            # It knows nothing of the connection that there was.
            with pytest.raises(ToolError):
                await bench.run(tool, message="hi")
            await mcp.until(lambda: mcp.server().state != "connected")
            await mcp.until(lambda: mcp.server().state == "connected")
            assert (await bench.run(tool, message="again")).output == "Echo: again"


async def test_files_are_read_by_server_filesystem_within_its_folder(bench: Workbench) -> None:
    bench.write("a.txt", "alpha\n")
    async with held(bench, files=node_server("server-filesystem", str(bench.root))) as mcp:
        await mcp.connected("files")
        assert (await mcp.run("files_read_text_file", path=str(bench.root / "a.txt"))).output == "alpha\n"
        with pytest.raises(ToolError, match="Access denied"):
            await mcp.run("files_read_text_file", path="/etc/passwd")


async def test_server_memory_remembers(bench: Workbench, tmp_path: Path) -> None:
    settings = node_server("server-memory", env={"MEMORY_FILE_PATH": str(tmp_path / "memory.json")})
    async with held(bench, memory=settings) as mcp:
        await mcp.connected("memory")
        entity = {"name": "Ada", "entityType": "person", "observations": ["wrote the first program"]}
        await mcp.run("memory_create_entities", entities=[entity])
    async with held(bench, memory=settings) as mcp:
        await mcp.connected("memory")
        assert "wrote the first program" in (await mcp.run("memory_search_nodes", query="Ada")).output
