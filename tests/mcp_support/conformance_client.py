"""Placet's MCP client as MCP's conformance suite judges it.

The client connects, signs in where the server wants a sign-in, lists the tools, and calls each tool once, as a user
would who allows each call, opens each page, and leaves each field of a form to its default.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from fork_support import SCRIPT
from mcp_support import held
from placet.core.errors import ToolError
from placet.core.ports import Question
from time_support import limited
from tools_support.workbench import UserAtHand, open_workbench

ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}
RELAY = """import json, os, socket, sys
asked = {{"address": sys.argv[1], "scenario": os.environ["MCP_CONFORMANCE_SCENARIO"],
          "context": json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{{}}"))}}
with socket.socket(socket.AF_UNIX) as test:
    test.connect({path!r})
    test.sendall(json.dumps(asked).encode() + b"\\n")
    sys.exit(test.makefile().read())
"""
"""Command which the suite starts for each scenario: the test is the client, and the command says how that ended."""


class Agreeing(UserAtHand):
    """User who opens each page that a question offers, and leaves fields to their defaults."""

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        answers: list[list[str]] = []
        for question in questions:
            opening = [option for option in question.options if option.opens is not None]
            for option in opening:
                await visit(option.opens or "")
            answers.append([option.label for option in opening])
        return answers


class Client:
    """The client of the scenarios in `chosen`; one scenario after the other, with a workbench of its own."""

    def __init__(self, directory: Path, chosen: Sequence[str]) -> None:
        self._directory = directory
        self._chosen = chosen
        self._turn = asyncio.Lock()
        self.problems: dict[str, str] = {}
        """How the client failed, by scenario; empty where the client did what it wanted."""

    @asynccontextmanager
    async def command(self) -> AsyncIterator[Path]:
        """Serve the suite; the path is that of the command which the suite starts."""
        path, relay = self._directory / "socket", self._directory / "relay"
        relay.write_text(SCRIPT.format(python=sys.executable) + RELAY.format(path=str(path)))
        relay.chmod(0o755)
        async with await asyncio.start_unix_server(self._take, path):
            yield relay

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = json.loads(await reader.readline())
        scenario = asked["scenario"]
        if scenario in self._chosen:
            async with self._turn:
                directory = self._directory / scenario.replace("/", "-")
                directory.mkdir()
                try:
                    async with limited(lambda: f"the end of {scenario}"):
                        self.problems[scenario] = await _problem(directory, asked["address"], asked["context"])
                except AssertionError as error:
                    self.problems[scenario] = str(error)
        writer.write(self.problems.get(scenario, "").encode())
        writer.close()
        await writer.wait_closed()


async def _problem(directory: Path, address: str, context: dict[str, Any]) -> str:
    """Be the client of the server at the address; return what went wrong."""
    own = {"clientId": context["client_id"], "clientSecret": context["client_secret"]} if "client_id" in context else {}
    settings = {"type": "http", "url": address, **({"oauth": own} if own else {})}
    async with open_workbench(directory) as bench:
        bench.user = Agreeing()
        async with held(bench, suite=settings) as mcp:
            server = mcp.server("suite")
            await mcp.until(lambda: server.state in ("connected", "needs_auth", "failed"))
            if server.state == "needs_auth":
                await mcp.servers.sign_in("suite", visit)
            if server.state != "connected":
                return f"{server.state}: {server.problem}"
            for id in await mcp.ids():
                name = id.removeprefix("suite_")
                try:
                    await mcp.run(id, **ARGUMENTS.get(name, {}))
                except ToolError as error:
                    return f"{name}: {error}"
    return ""


async def visit(address: str) -> None:
    """Agree at the address, as the user's browser does, which comes back to Placet."""
    async with aiohttp.ClientSession() as browser, browser.get(address) as page:
        await page.read()
