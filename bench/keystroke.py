"""`didChange` of one character in a document of 1 MB: our buffer beside pygls's own, and through the whole daemon."""

import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from lsprotocol import types
from pygls.workspace import TextDocument

from bench.client import Client, spawned
from bench.report import Figure
from placet.text.buffer import Buffer
from placet.text.positions import Position

LINES = 30_000
URI = "file:///bench.txt"
KEYS = 200
STOCK_KEYS = 20


async def measure() -> list[Figure]:
    text = "".join(f"line {number:05d} of a file with words\n" for number in range(LINES))
    buffer = Buffer(text)
    ours = []
    for key in range(KEYS):
        position = Position(LINES // 2, key)
        start = time.perf_counter()
        buffer.replace(position, position, "x", "utf-16")
        ours.append(time.perf_counter() - start)
    document = TextDocument(URI, text, version=0)
    stock = []
    for key in range(STOCK_KEYS):
        at = types.Position(LINES // 2, key)
        change = types.TextDocumentContentChangePartial(range=types.Range(at, at), text="x")
        start = time.perf_counter()
        document.apply_change(change)
        stock.append(time.perf_counter() - start)
    start = time.perf_counter()
    assert len(buffer.text) == len(text) + KEYS
    whole = time.perf_counter() - start
    through_daemon, bare = await _through_daemon(text)
    return [
        Figure(
            f"one character, {len(text) / 1e6:.2f} MB, median",
            statistics.median(ours) * 1000,
            "ms",
            floor=statistics.median(stock) * 1000,
            floor_name="pygls's own document",
            goal=1.0,
        ),
        Figure("the same, slowest of 200", max(ours) * 1000, "ms", note="(limit: 2 ms)"),
        Figure("the whole text once after", whole * 1000, "ms"),
        Figure("a change and a request through the daemon", through_daemon, "ms", floor=bare, floor_name="the request"),
    ]


async def _through_daemon(text: str) -> tuple[float, float]:
    """Milliseconds of a change followed by a bare request, and of the request alone; medians."""
    with tempfile.TemporaryDirectory() as directory:
        homes = {f"XDG_{name}_HOME": directory for name in ("DATA", "CONFIG", "CACHE", "STATE")}
        async with spawned(sys.executable, "-m", "placet", "--stdio", environment=homes) as client:
            await client.initialize(Path(directory))
            await client.request("agent/status", {})
            document = {"uri": URI, "languageId": "text", "version": 0, "text": text}
            client.notify("textDocument/didOpen", {"textDocument": document})
            await _ping(client)
            changed, bare = [], []
            for key in range(KEYS):
                start = time.perf_counter()
                await _ping(client)
                middle = time.perf_counter()
                at = {"line": LINES // 2, "character": key}
                change = {"range": {"start": at, "end": at}, "text": "x"}
                identifier = {"uri": URI, "version": key + 1}
                client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
                await _ping(client)
                bare.append((middle - start) * 1000)
                changed.append((time.perf_counter() - middle) * 1000)
            return statistics.median(changed), statistics.median(bare)


async def _ping(client: Client) -> None:
    with suppress(RuntimeError):  # An unknown method is answered by an error, and at once.
        await client.request("bench/nothing")
