"""The first prompt with 400 tools of 20 MCP servers, searched for beside all sent: `python bench/mcp_many_tools.py`."""

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
ROUNDS = 7
SERVERS = 20
SEARCHED, SENT = "0.1", "1"
"""Values of `mcp.toolBudget`: the default, and the whole context."""


async def first_prompt(budget: float) -> tuple[float, int]:
    """From the request for a session to the end of its first turn, and the bytes of the tools in its request."""
    from mcp_support import odd
    from placet.core.messages import TextPart
    from services_support import TempServices

    with tempfile.TemporaryDirectory() as directory:
        services = TempServices(Path(directory))
        servers = {f"s{number}": odd("many") for number in range(SERVERS)}
        settings = {"mcp": {**servers, "toolBudget": budget, "waitSeconds": 60}, "agent": {"title": {"disable": True}}}
        async with services.open(services.script([{"text": "Here."}]), **settings) as sessions:
            began = time.monotonic()
            session = await sessions.create(title="t")
            await session.prompt([TextPart(text="Go on.")])
            taken = time.monotonic() - began
            [model] = session.models.values()
            tools = [[tool.name, tool.description, tool.parameters] for tool in model.requests[0].tools]
            return taken, len(json.dumps(tools).encode())


def main() -> None:
    taken: dict[str, list[float]] = {SENT: [], SEARCHED: []}
    sizes: dict[str, int] = {}
    for _ in range(ROUNDS):
        for budget, seconds in taken.items():
            run = subprocess.run([sys.executable, __file__, budget], capture_output=True, text=True, check=True)
            taken_seconds, size = json.loads(run.stdout)
            seconds.append(taken_seconds)
            sizes[budget] = size
    sent, searched = (statistics.median(taken[budget]) for budget in (SENT, SEARCHED))
    print(
        f"first prompt with 400 tools: {sent * 1000:.0f} ms all sent, {searched * 1000:.0f} ms searched for: "
        f"{searched / sent:.2f}"
    )
    print(f"tools in the request: {sizes[SENT]} bytes all sent, {sizes[SEARCHED]} bytes searched for")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(asyncio.run(first_prompt(float(sys.argv[1])))))
    else:
        main()
