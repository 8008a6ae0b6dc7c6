"""The cost of telemetry for a step: the observer of a recorder, beside the whole step of a session without telemetry.

The floors are the CPU times of all processes for a step without telemetry: events, store and the call of `read`. The
cheapest step has a scripted model in the same process; a step over the wire has the model host and a local server,
whose own time does not count. On: the spans go to a collector in a process of its own.
"""

import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from bench.report import Figure

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from wire_servers.answers import Answer, Call, Text
from wire_servers.server import RecordedRequest, WireServer

STEPS = 300
SHORT_STEPS = 20
ROUNDS = 5
GOAL = 1.01
ANSWER_MILLISECONDS = 1000
"""Time of a quick model for an answer."""
_COLLECTOR = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "project").mkdir()
        (directory / "project" / "a.txt").write_text("".join(f"line {n}\n" for n in range(STEPS + 20)))
        scripted = [await _milliseconds(directory, _scripted) for _ in range(ROUNDS)]
        wired = [await _milliseconds(directory, _wired) for _ in range(ROUNDS)]
        observed = await asyncio.to_thread(_observed)
    step, wire = statistics.median(scripted), statistics.median(wired)
    cost = {name: statistics.median(costs[name] for costs in observed) for name in observed[0]}
    cheapest, over_wire, waited = "the cheapest step", "a step over the wire", ANSWER_MILLISECONDS + wire
    return [
        _figure("cheapest step, on the loop's thread", cost["loop"], step, cheapest, GOAL),
        _figure("cheapest step, export included", cost["process"], step, cheapest),
        _figure("step over the wire, on the loop's thread", cost["wire_loop"], wire, over_wire, GOAL),
        _figure("step over the wire, export included", cost["wire_process"], wire, over_wire),
        _figure("step with a model of 1 s, export included", cost["wire_process"], waited, over_wire, GOAL),
    ]


def _figure(name: str, cost: float, floor: float, floor_name: str, goal: float | None = None) -> Figure:
    note = f"({cost * 1000:.0f} us)"
    return Figure(name, floor + cost, "ms", floor=floor, floor_name=floor_name, goal=goal, note=note)


def _observed() -> list[dict[str, float]]:
    command = [sys.executable, "-m", "bench.telemetry_observer"]
    with subprocess.Popen([sys.executable, "-c", _COLLECTOR], stdout=subprocess.PIPE, text=True) as collector:
        assert collector.stdout is not None
        address = f"http://127.0.0.1:{int(collector.stdout.readline())}"
        try:
            return [
                json.loads(subprocess.run([*command, address], capture_output=True, text=True, check=True).stdout)
                for _ in range(ROUNDS)
            ]
        finally:
            collector.terminate()


async def _milliseconds(directory: Path, run: Callable[[Path, int], Coroutine[Any, Any, None]]) -> float:
    """Return the CPU time of `placet run` for a step: the difference between a long run and a short run."""
    seconds: list[float] = []
    for steps in (STEPS, SHORT_STEPS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        await run(directory, steps)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return (seconds[0] - seconds[1]) / (STEPS - SHORT_STEPS) * 1000


async def _scripted(directory: Path, steps: int) -> None:
    reads = [
        {"events": [{"text": "I read.", "pieces": 5}, {"call": "read", "arguments": _arguments(step)}]}
        for step in range(steps)
    ]
    script = directory / f"script{steps}.json"
    script.write_text(json.dumps({"turns": [*reads, {"events": [{"text": "Done."}]}]}))
    await _run(directory, {"PLACET_MODEL": f"scripted/{script}"})


async def _wired(directory: Path, steps: int) -> None:
    answers = iter(range(steps))

    def script(_: RecordedRequest) -> Answer:
        step = next(answers, None)
        return (Text("Done."),) if step is None else (Text("I read.", pieces=5), Call("read", _arguments(step)))

    async with WireServer() as server:
        server.play(script)
        key = {"PLACET_MODEL": "openai/local", "PLACET_API_BASE": server.openai_base, "OPENAI_API_KEY": "none"}
        await _run(directory, key)


async def _run(directory: Path, variables: Mapping[str, str]) -> None:
    environment = {
        **{f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")},
        "PATH": "/usr/bin:/bin",
        **variables,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "placet", "run", "--quiet", "--cwd", str(directory / "project"), "read"),
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    _, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()


def _arguments(step: int) -> dict[str, str | int]:
    return {"filePath": "a.txt", "offset": step + 1, "limit": 10}
