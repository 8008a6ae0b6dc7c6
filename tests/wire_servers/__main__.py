"""`python -m wire_servers [--port N] [--repeat] SCRIPT.json`: serve a script until interrupted.

SCRIPT.json holds `{"answers": [[step, …], …]}` (forms in answers.py). The first line of the output is the address.
"""

import argparse
import asyncio
import itertools
import json
from pathlib import Path

from wire_servers.answers import from_json
from wire_servers.server import WireServer


async def serve(script: Path, port: int, repeat: bool) -> None:
    answers = [from_json(steps) for steps in json.loads(script.read_text("utf-8"))["answers"]]
    async with WireServer(itertools.cycle(answers) if repeat else answers, port=port) as server:
        print(server.address, flush=True)  # noqa: T201
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="wire_servers", description="A model server that answers by script.")
    parser.add_argument("script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--repeat", action="store_true", help="begin again when all answers are used")
    arguments = parser.parse_args()
    try:
        asyncio.run(serve(arguments.script, arguments.port, arguments.repeat))
    except KeyboardInterrupt:
        return


main()
