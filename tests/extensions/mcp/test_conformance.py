"""MCP's own conformance suite (npm `@modelcontextprotocol/conformance`) judges Placet's client."""

import asyncio
import re
from pathlib import Path

import pytest

from corpus_support import rows
from mcp_support import NODE_SERVERS, node
from mcp_support.conformance_client import Client

SUITE = NODE_SERVERS / "conformance" / "dist" / "index.js"
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
REFUSING = {"auth/scope-retry-limit", "auth/resource-mismatch"}
"""Scenarios whose server is one that a client must give up."""

pytestmark = pytest.mark.skipif(not SUITE.exists(), reason="`make test` installs the suite in tests/mcp_servers")


async def test_the_client_passes_each_scenario(tmp_path: Path) -> None:
    client = Client(tmp_path, SCENARIOS)
    async with client.command() as command:
        suite = await asyncio.create_subprocess_exec(
            *(node(), str(SUITE), "client", "--suite", "all", "--verbose", "--command", str(command)),
            *("--timeout", "200000"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        told = (await suite.communicate())[0].decode()
    judged = dict(re.findall(r"^[✓✗] (\S+): (.*(?:\n +- .*)*)", told, re.MULTILINE))
    with rows() as failures:
        for scenario in SCENARIOS:
            with failures.row(scenario):
                assert re.fullmatch(r"[1-9]\d* passed, 0 failed", judged.get(scenario, "")), judged.get(scenario, told)
                problem = client.problems[scenario]
                assert bool(problem) == (scenario in REFUSING), problem
