"""Placet's MCP client at the command line: MCP's conformance suite starts the client with the server's address.

The client connects, signs in where the server wants a sign-in, lists the tools, and calls each tool once, as a user
would who allows each call, opens each page, and leaves each field of a form to its default.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp

from mcp_support import held
from placet.core.errors import ToolError
from placet.core.ports import Question
from tools_support.workbench import UserAtHand, open_workbench

ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}


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


def authorization() -> dict[str, Any]:
    """Return the setting `oauth` for a client that the suite has registered before."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    if "client_id" not in context:
        return {}
    return {"oauth": {"clientId": context["client_id"], "clientSecret": context["client_secret"]}}


async def visit(address: str) -> None:
    """Agree at the address, as the user's browser does, which comes back to Placet."""
    async with aiohttp.ClientSession() as browser, browser.get(address) as page:
        await page.read()


async def main(address: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        async with open_workbench(Path(directory)) as bench:
            bench.user = Agreeing()
            async with held(bench, suite={"type": "http", "url": address, **authorization()}) as mcp:
                await mcp.until(lambda: mcp.server("suite").state in ("connected", "needs_auth", "failed"))
                if mcp.server("suite").state == "needs_auth":
                    await mcp.servers.sign_in("suite", visit)
                if mcp.server("suite").state != "connected":
                    sys.exit(f"{mcp.server('suite').state}: {mcp.server('suite').problem}")
                for id in await mcp.ids():
                    name = id.removeprefix("suite_")
                    try:
                        result = await mcp.run(id, **ARGUMENTS.get(name, {}))
                    except ToolError as error:
                        sys.exit(f"{name}: {error}")
                    sys.stdout.write(f"{name}: {result.output}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
