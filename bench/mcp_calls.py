"""An MCP server that floods, and a server that hangs: how long each holds up what else is to be done."""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from bench.report import Figure

ROUNDS = 5


async def measure() -> list[Figure]:
    floods = [await _flood() for _ in range(ROUNDS)]
    longest, whole = min(floods, key=lambda times: times[0] / times[1])
    left, answered = zip(*[await _hung() for _ in range(ROUNDS)], strict=True)
    return [
        Figure(
            "longest hold of the loop in a flood of 3,000 lines",
            longest * 1000,
            "ms",
            floor=whole * 1000,
            floor_name="all work of the flood",
            goal=0.5,
        ),
        Figure(
            "a hung call is left",
            min(left) * 1000,
            "ms",
            floor=min(answered) * 1000,
            floor_name="a call that is answered",
            goal=10,
        ),
    ]


async def _flood() -> tuple[float, float]:
    """Return the longest step of the loop's thread, and all its work, in seconds of processor time."""
    from mcp_support import held, odd
    from tools_support.workbench import open_workbench

    with tempfile.TemporaryDirectory() as directory:
        async with open_workbench(Path(directory)) as bench, held(bench, odd=odd("floods")) as mcp:
            await mcp.connected()
            began = time.thread_time()
            longest, last, call = 0.0, began, asyncio.ensure_future(mcp.run("odd_do"))
            while not call.done():
                await asyncio.sleep(0.005)
                moment = time.thread_time()
                longest, last = max(longest, moment - last), moment
            await call
            return longest, last - began


async def _hung() -> tuple[float, float]:
    """Return how long a cancelled call takes to end, and a call that the server answers, in seconds."""
    from mcp_support import Notes, held, odd
    from tools_support.workbench import open_workbench

    with tempfile.TemporaryDirectory() as directory:
        async with (
            Notes().taken() as notes,
            open_workbench(Path(directory)) as bench,
            held(bench, odd=odd("hangs", notes)) as mcp,
        ):
            await mcp.connected()
            await mcp.run("odd_echo")
            began = time.perf_counter()
            await mcp.run("odd_echo")
            answered = time.perf_counter() - began
            call = asyncio.ensure_future(mcp.run("odd_do"))
            await notes.until("call do")
            began = time.perf_counter()
            call.cancel()
            await asyncio.wait((call,))
            return time.perf_counter() - began, answered
