"""The start of the model host: its processor time, and the longest work of the daemon's loop meanwhile."""

import asyncio
import gc
import statistics
import sys
import time

import psutil

from bench.report import Figure
from placet.model.client.host import ModelHost

RUNS = 5
FLOOR = "import asyncio, ssl, time; ssl.create_default_context(); print(time.process_time())"


async def measure() -> list[Figure]:
    floors, taken, longest = [], [], []
    for _ in range(RUNS):
        floors.append(await _loading_asyncio())
        gc.collect()
        watch = _Watch()
        watching = asyncio.create_task(watch.run())
        await asyncio.sleep(0)
        host = ModelHost(environment={})
        await host.ready()
        watching.cancel()
        assert host.process_id is not None
        times = psutil.Process(host.process_id).cpu_times()
        await host.close()
        taken.append(times.user + times.system)
        longest.append(watch.work_seconds)
    floor = statistics.median(floors) * 1000
    name = "a Python that loads asyncio with TLS"
    return [
        Figure("CPU of a host that is ready", min(taken) * 1000, "ms", floor=floor, floor_name=name, goal=3.0),
        Figure("longest work of the loop", min(longest) * 1000, "ms", floor=floor, floor_name=name, goal=1.0),
    ]


class _Watch:
    """How long the loop's thread worked at most without letting others have a turn."""

    def __init__(self) -> None:
        self.work_seconds = 0.0

    async def run(self) -> None:
        while True:
            begun = time.thread_time()
            await asyncio.sleep(0.002)
            self.work_seconds = max(self.work_seconds, time.thread_time() - begun)


async def _loading_asyncio() -> float:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", FLOOR, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    return float(output)
