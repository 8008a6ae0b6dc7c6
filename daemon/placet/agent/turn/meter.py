"""Meter between a model's answer and the reader: a meter counts the cost of the answer, and may end the answer."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import cast

from placet.model.base import ModelEvent

Meter = Callable[[AsyncIterator[ModelEvent]], AsyncGenerator[ModelEvent, None]]
"""Function which passes a model's stream on. Raises TurnStopped if the stream costs too much.

Closing the result closes the stream.
"""


def unmetered(stream: AsyncIterator[ModelEvent]) -> AsyncGenerator[ModelEvent, None]:
    """Return the stream itself."""
    return cast("AsyncGenerator[ModelEvent, None]", stream)
