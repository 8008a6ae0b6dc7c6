"""Speed of a model's server, measured by a small request with a text of Placet's own before the first suggestion."""

from collections.abc import Callable
from contextlib import aclosing

from placet.completion.formats import format_of
from placet.model.fill import FillModel, FillRequest

SLOW_SECONDS = 1.0
"""Time for a line of twelve tokens beyond which a suggestion comes too late for typing."""
_TOKENS = 12
_PREFIX = '"""Sums and means of numbers."""\n\n\n' + "".join(
    f"def {name}(numbers: list[float]) -> float:\n    return {text}\n\n\n"
    for name, text in (
        ("total", "sum(numbers)"),
        ("mean", "sum(numbers) / len(numbers)"),
        ("largest", "max(numbers)"),
        ("smallest", "min(numbers)"),
    )
)
_LAST = "def middle(numbers: list[float]) -> float:\n    return "


async def line_seconds(model: FillModel, clock: Callable[[], float]) -> float:
    """Return the time in seconds that the server takes for a line. Raises ModelError.

    A slow first answer may hold the loading of the model, so that a second answer decides.
    """
    seconds = await _timed(model, clock, _PREFIX + _LAST)
    return seconds if seconds <= SLOW_SECONDS else await _timed(model, clock, _PREFIX + _LAST)


async def _timed(model: FillModel, clock: Callable[[], float], prefix: str) -> float:
    found = format_of(model.id)
    prompt = found.render(prefix, "\n", (), "numbers.py") if found is not None else ""
    begun = clock()
    async with aclosing(
        model.fill(FillRequest(prefix, "\n", "numbers.py", "python", prompt, most_tokens=_TOKENS))
    ) as events:
        async for _ in events:
            pass
    return clock() - begun
