"""The cost of telemetry for a step: the observer of a recorder, beside the whole step of a session without telemetry.

The floor is the CPU time of the whole process for a step without telemetry: events, store and the call of `read`, with
a scripted model in the same process, which is the cheapest step there is. On: the spans go to a collector in a process
of its own.
"""

import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.report import Figure

STEPS = 300
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
    return await asyncio.to_thread(_measure)


def _measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "project").mkdir()
        (directory / "project" / "a.txt").write_text("".join(f"line {n}\n" for n in range(STEPS + 20)))
        steps = [_step_milliseconds(directory) for _ in range(ROUNDS)]
        command = [sys.executable, "-m", "bench.telemetry_observer"]
        with subprocess.Popen([sys.executable, "-c", _COLLECTOR], stdout=subprocess.PIPE, text=True) as collector:
            assert collector.stdout is not None
            address = f"http://127.0.0.1:{int(collector.stdout.readline())}"
            observed = [
                float(subprocess.run([*command, address], capture_output=True, text=True, check=True).stdout)
                for _ in range(ROUNDS)
            ]
            collector.terminate()
    step, observer = statistics.median(steps), statistics.median(observed)
    without, waited = "the step without telemetry", ANSWER_MILLISECONDS + step
    return [
        Figure("CPU of a step, export included", step + observer, "ms", floor=step, floor_name=without),
        Figure("step with a model of 1 s", waited + observer, "ms", floor=waited, floor_name=without, goal=GOAL),
    ]


def _step_milliseconds(directory: Path) -> float:
    """Return the CPU time of `placet run` for a step: the difference between a long run and a short run."""
    return (_cpu_seconds(directory, STEPS) - _cpu_seconds(directory, 20)) / (STEPS - 20) * 1000


def _cpu_seconds(directory: Path, steps: int) -> float:
    reads = [
        {"events": [{"text": "I read.", "pieces": 5}, {"call": "read", "arguments": _arguments(step)}]}
        for step in range(steps)
    ]
    script = directory / f"script{steps}.json"
    script.write_text(json.dumps({"turns": [*reads, {"events": [{"text": "Done."}]}]}))
    environment = {
        **{f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")},
        "PLACET_MODEL": f"scripted/{script}",
        "PATH": "/usr/bin:/bin",
    }
    command = [sys.executable, "-m", "placet", "run", "--quiet", "--cwd", str(directory / "project"), "read"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _arguments(step: int) -> dict[str, str | int]:
    return {"filePath": "a.txt", "offset": step + 1, "limit": 10}
