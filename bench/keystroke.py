"""`didChange` of one character in a document of 1 MB: our buffer beside pygls's own, in one process."""

import statistics
import time

from lsprotocol import types
from pygls.workspace import TextDocument

from bench.report import Figure
from placet.edits.buffer import Buffer
from placet.edits.positions import Position

LINES = 30_000
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
    document = TextDocument("file:///bench.txt", text, version=0)
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
    ]
