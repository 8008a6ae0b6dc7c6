"""`make bench`: all of them, or those named on the command line."""

import asyncio
import sys
from importlib import import_module

from bench.report import lines

BENCHES = {
    "startup": "Start",
    "keystroke": "A keystroke in a document of 1 MB",
    "lag": "How long the daemon keeps a request waiting",
    "turns": "Turns, against a local server that speaks the OpenAI wire",
}


async def main(names: list[str]) -> None:
    for name in names or list(BENCHES):
        figures = await import_module(f"bench.{name}").measure()
        print("\n".join(lines(BENCHES[name], figures)), flush=True)


asyncio.run(main(sys.argv[1:]))
