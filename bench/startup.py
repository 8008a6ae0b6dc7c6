"""From spawn to the answer to `initialize`, beside an empty pygls server, taken in turns; and to a prompt's request.

The prompt comes as soon as `initialize` is answered, to a model that is a local scripted server.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.client import spawned
from bench.report import Figure

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from wire_servers.answers import Text
from wire_servers.server import WireServer

ROUNDS = 11
PLACET = (sys.executable, "-m", "placet", "--stdio")


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        ours, floor, prompts = [], [], []
        async with WireServer() as server:
            server.play(lambda _: (Text("Seen.", pieces=1),))
            for _ in range(ROUNDS):
                floor.append(await _once(root, sys.executable, str(Path(__file__).with_name("empty_server.py"))))
                ours.append(await _once(root, *PLACET))
                prompts.append(await _prompt(root, server))
    initialize = Figure(
        "spawn to initialize",
        statistics.median(ours) * 1000,
        "ms",
        floor=statistics.median(floor) * 1000,
        floor_name="an empty pygls server",
        goal=0.35,
    )
    return [initialize, Figure("spawn to the request of the first prompt", statistics.median(prompts) * 1000, "ms")]


async def _once(root: Path, *command: str) -> float:
    start = time.perf_counter()
    async with spawned(*command, environment={"XDG_DATA_HOME": str(root / "data")}) as client:
        await client.initialize(root)
        return time.perf_counter() - start


async def _prompt(root: Path, server: WireServer) -> float:
    homes = {f"XDG_{name}_HOME": str(root / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    settings = {"model": "openai/local", "modelOptions": {"apiBase": server.openai_base}}
    before = len(server.requests)
    start = time.perf_counter()
    async with spawned(*PLACET, environment={**homes, "OPENAI_API_KEY": "none"}) as client:
        await client.initialize(root, agent={"protocol": 1}, settings=settings)
        session = await client.request("agent/session/new", {})
        parts = [{"type": "text", "text": "Look at the file."}]
        await client.request("agent/prompt", {"sessionId": session["id"], "parts": parts})
        return server.requests[before].received - start
