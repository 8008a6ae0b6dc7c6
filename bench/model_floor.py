"""The same answers by bare httpx and by plain litellm, as a process: `model_floor.py httpx|litellm ADDRESS`.

Prints JSON: seconds from the request to the last delta for `text` and `arguments`, and for a `short` answer.
"""

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

Ask = Callable[[], Awaitable[int]]
SHORT_CALLS = 15
MESSAGES = [{"role": "user", "content": "x"}]


async def bare(address: str) -> Ask:
    http = httpx.AsyncClient(timeout=None)
    body = {"model": "bench", "stream": True, "messages": MESSAGES}

    async def ask() -> int:
        deltas = 0
        async with http.stream("POST", f"{address}/v1/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    json.loads(line[6:])
                    deltas += 1
        return deltas

    return ask


async def plain(address: str) -> Ask:
    os.environ |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "REPEATED_STREAMING_CHUNK_LIMIT": str(1 << 30)}
    import litellm

    async def ask() -> int:
        arguments = {"model": "openai/bench", "api_base": f"{address}/v1", "api_key": "none", "stream": True}
        stream: Any = await litellm.acompletion(messages=MESSAGES, **arguments)
        return len([chunk async for chunk in stream])

    await ask()  # The first loads modules.
    return ask


async def main(kind: str, address: str) -> None:
    ask = await {"httpx": bare, "litellm": plain}[kind](address)
    figures: dict[str, float] = {}
    async with httpx.AsyncClient() as control:
        for name, times in (("text", 1), ("arguments", 1), ("short", SHORT_CALLS)):
            await control.get(f"{address}/play/{name}")
            taken = []
            for _ in range(times):
                begun = time.perf_counter()
                await ask()
                taken.append(time.perf_counter() - begun)
            figures[name] = statistics.median(taken)
    print(json.dumps(figures))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
