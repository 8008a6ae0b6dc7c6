"""Placet's MCP client at the command line: MCP's conformance suite starts the client with the server's address.

The client connects, lists the tools, and calls each tool once, as a user would who allows each call and leaves each
field of a form to its default.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp_support import held
from placet.core.errors import ToolError
from tools_support.workbench import open_workbench

ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}


async def main(address: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        async with open_workbench(Path(directory)) as bench:
            bench.user.replies = [[] for _ in range(20)]
            async with held(bench, suite={"type": "http", "url": address}) as mcp:
                await mcp.connected("suite")
                for id in await mcp.ids():
                    name = id.removeprefix("suite_")
                    try:
                        result = await mcp.run(id, **ARGUMENTS.get(name, {}))
                    except ToolError as error:
                        sys.exit(f"{name}: {error}")
                    sys.stdout.write(f"{name}: {result.output}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
