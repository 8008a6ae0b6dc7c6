"""MCP's own conformance suite (npm `@modelcontextprotocol/conformance`) judges Placet's client."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from mcp_support import NODE_SERVERS, node

SUITE = NODE_SERVERS / "conformance" / "dist" / "index.js"
TESTS = Path(__file__).parents[2]
SCENARIOS = (
    *("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"),
    *(f"auth/metadata-{metadata}" for metadata in ("default", "var1", "var2", "var3")),
    *("auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported", "auth/scope-omitted-when-undefined"),
    *("auth/scope-step-up", "auth/scope-retry-limit"),
    *(f"auth/token-endpoint-auth-{method}" for method in ("basic", "post", "none")),
    *("auth/pre-registration", "auth/2025-03-26-oauth-endpoint-fallback", "auth/resource-mismatch"),
)
"""Scenarios without `auth/basic-cimd`, as Placet has no document of metadata on the web, and without
`auth/2025-03-26-oauth-metadata-backcompat`, whose server calls itself by another issuer than its address.
"""

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
