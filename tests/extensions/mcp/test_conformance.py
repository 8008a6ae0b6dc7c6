"""MCP's own conformance suite (npm `@modelcontextprotocol/conformance`) judges Placet's client."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from mcp_support import NODE_SERVERS, node

SUITE = NODE_SERVERS / "conformance" / "dist" / "index.js"
TESTS = Path(__file__).parents[2]
SCENARIOS = ("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry")

pytestmark = [
    pytest.mark.skipif(not SUITE.exists(), reason="`make test` installs the suite in tests/mcp_servers"),
    pytest.mark.timeout(300),
]


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_the_client_passes_the_scenario(tmp_path: Path, scenario: str) -> None:
    client = f"{sys.executable} -m mcp_support.conformance_client"
    process = await asyncio.create_subprocess_exec(
        *(node(), str(SUITE), "client", "--command", client, "--scenario", scenario, "--timeout", "200000"),
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
    assert "0 failed" in told.decode(), told.decode()
