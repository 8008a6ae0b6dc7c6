"""Inline completion in a document of 1 MB, apart from the model: from a key to the request, from a text to the item."""

import asyncio
import statistics
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

from bench.report import Figure
from placet.completion.engine import CompletionEngine
from placet.model.base import Finished, TextDelta
from placet.model.fill import FillRequest
from placet.settings.completion import CompletionSettings
from placet.text.buffer import Buffer
from placet.text.positions import Position

LINES = 20_000
KEYS = 600
KEYS_A_LINE = 30
ANSWER = "self.measure(first, second)[0] + other(1)"


@dataclass(eq=False)
class _Document:
    buffer: Buffer
    uri: str = "file:///bench/a.py"
    path: Path | None = Path("/bench/a.py")
    language_id: str = "python"
    version: int = 0


class _InstantFill:
    """Model that answers at once, and notes the times of its requests and of its texts."""

    id = "ollama/qwen2.5-coder"
    is_chat = False

    def __init__(self) -> None:
        self.asked = self.written = 0.0
        self.requests = 0

    async def fill(self, request: FillRequest) -> AsyncGenerator[TextDelta | Finished, None]:
        self.asked = time.perf_counter()
        self.requests += request.path == "a.py"
        self.written = time.perf_counter()
        yield TextDelta(ANSWER)
        yield Finished("stop")


class _Access:
    settings = CompletionSettings(model="ollama/qwen2.5-coder")

    def __init__(self, model: _InstantFill) -> None:
        self._model = model

    def fill_model(self, name: str) -> _InstantFill:
        return self._model

    def is_local(self, name: str) -> bool:
        return False  # The larger budget.

    def name_of(self, path: Path) -> str:
        return path.name

    async def refusal(self, path: Path) -> str:
        return ""

    def is_edited_by_agent(self, path: Path) -> bool:
        return False


async def measure() -> list[Figure]:
    text = "".join(f"    def method_{number}(self, a): return a[{number}]  # words\n" for number in range(LINES))
    document, model = _Document(Buffer(text)), _InstantFill()
    engine = CompletionEngine(_Access(model), lambda _: document, pause=_no_pause)
    await _ask(engine, document, Position(0, 1_000))
    for _ in range(100):  # The measurement of the model's speed ends meanwhile.
        await asyncio.sleep(0)
    floor = _split(text)
    asked, processor = zip(*[await _typed(engine, document, model, key) for key in range(KEYS)], strict=True)
    along = [await _along(engine, document, key) for key in range(len(ANSWER) - 1)]
    await engine.close()
    name, floor_name = f"{len(text) / 1e6:.2f} MB, {LINES} lines", "one split into lines"
    return [
        Figure(f"{name}, median", statistics.median(asked), "ms", floor=floor, floor_name=floor_name, goal=1.0),
        Figure("the same, 99th percentile", statistics.quantiles(asked, n=100)[98], "ms", note="(limit: 3 ms)"),
        Figure("the same, of processor time", statistics.quantiles(processor, n=100)[98], "ms"),
        Figure("typing along, median", statistics.median(along), "ms", note="(limit: 1 ms)"),
    ]


async def _typed(engine: CompletionEngine, document: _Document, model: _InstantFill, key: int) -> tuple[float, float]:
    """Type a character that agrees with no suggestion; return the milliseconds apart from the model, by the clock and
    of the processor.
    """
    number = LINES // 2 + key // KEYS_A_LINE
    if key % KEYS_A_LINE == 0:
        _insert(document, Position(number, 0), f"    value_{number} = \n")
    end = Position(number, len(document.buffer.line(number)))
    _insert(document, end, "z")
    end = Position(number, end.character + 1)
    requests, worked, begun = model.requests, time.thread_time(), time.perf_counter()
    await _ask(engine, document, end)
    ended, work = time.perf_counter(), time.thread_time() - worked
    assert model.requests == requests + 1, "each key asks"
    return (model.asked - begun + ended - model.written) * 1000, work * 1000


async def _along(engine: CompletionEngine, document: _Document, key: int) -> float:
    """Type the next character of a suggestion; return the milliseconds to its rest."""
    line = LINES - 2
    if key == 0:
        _insert(document, Position(line, len(document.buffer.line(line))), "\n    x = ")
    place = Position(line + 1, len("    x = ") + key)
    if key == 0:
        await _ask(engine, document, place)
    _insert(document, place, ANSWER[key])
    begun = time.perf_counter()
    await _ask(engine, document, Position(place.line, place.character + 1))
    return (time.perf_counter() - begun) * 1000


async def _ask(engine: CompletionEngine, document: _Document, position: Position) -> None:
    await engine.suggest(document, position, "utf-16", version=document.version, is_asked=False)


def _insert(document: _Document, position: Position, text: str) -> None:
    document.buffer.replace(position, position, text, "utf-16")
    document.version += 1


def _split(text: str) -> float:
    """Return the milliseconds of a split of the whole text into lines, as at its opening."""
    begun = time.perf_counter()
    for _ in range(10):
        assert Buffer(text).line_count > LINES
    return (time.perf_counter() - begun) * 100


async def _no_pause(_: float) -> None:
    """Wait for nothing."""
