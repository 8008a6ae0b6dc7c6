"""The first prompt with five MCP servers that hang at their start, beside none: `python bench/mcp_first_prompt.py`."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
ROUNDS = 7


async def first_prompt_seconds(count: int) -> float:
    """From the request for a session to the end of its first turn, in a fresh process."""
    from mcp_support import odd
    from placet.core.messages import TextPart
    from services_support import TempServices

    with tempfile.TemporaryDirectory() as directory:
        services = TempServices(Path(directory))
        servers = {f"hung{number}": odd("never") for number in range(count)}
        script = services.script([{"text": "Here."}])
        async with services.open(script, mcp=servers, agent={"title": {"disable": True}}) as sessions:
            began = time.monotonic()
            session = await sessions.create(title="t")
            await session.prompt([TextPart(text="Go on.")])
            return time.monotonic() - began


def main() -> None:
    taken: dict[int, list[float]] = {0: [], 5: []}
    for _ in range(ROUNDS):
        for count, seconds in taken.items():
            run = subprocess.run([sys.executable, __file__, str(count)], capture_output=True, text=True, check=True)
            seconds.append(float(run.stdout))
    none, hung = (statistics.median(taken[count]) for count in (0, 5))
    print(f"first prompt: {none * 1000:.0f} ms alone, {hung * 1000:.0f} ms with five that hang: {hung / none:.2f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(asyncio.run(first_prompt_seconds(int(sys.argv[1]))))
    else:
        main()
