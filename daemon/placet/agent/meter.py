"""Between a model's answer and its reader: whoever counts what it costs, and may end it."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import cast

from placet.model.base import ModelEvent

Meter = Callable[[AsyncIterator[ModelEvent]], AsyncGenerator[ModelEvent, None]]
"""Passes a model's stream on; raises TurnStopped where it costs too much. Closing it closes the stream."""


def unmetered(stream: AsyncIterator[ModelEvent]) -> AsyncGenerator[ModelEvent, None]:
    """The stream itself."""
    return cast("AsyncGenerator[ModelEvent, None]", stream)
