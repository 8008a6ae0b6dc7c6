"""Collector of OpenRouter's `reasoning_details`: a model's thinking in the form which the model's maker wants back.

https://openrouter.ai/docs/use-cases/reasoning-tokens: a client passes the whole sequence back, unchanged and in order.
"""

from typing import Any

import msgspec

from placet.model import frames
from placet.model.quirks import DETAILS

_GROWING = ("text", "summary")
"""Fields of an entry which come in pieces; any other field of an entry comes once."""


class ReasoningDetails:
    """Entries since the last `take`."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []

    def add(self, details: list[Any]) -> str:
        """Add entries and return their text, as far as the text can be shown."""
        entries: list[dict[str, Any]] = [entry for entry in details if isinstance(entry, dict)]
        for entry in entries:
            last = self._entries[-1] if self._entries else {}
            if _prolongs(entry, last):
                whole_fields = {key: value for key, value in entry.items() if value is not None and key not in _GROWING}
                grown = {key: (last.get(key) or "") + entry[key] for key in _GROWING if isinstance(entry.get(key), str)}
                self._entries[-1] = {**last, **whole_fields, **grown}
            else:
                self._entries.append(entry)
        return "".join(value for entry in entries for key in _GROWING if isinstance(value := entry.get(key), str))

    def take(self) -> list[frames.Piece]:
        """Return the seal of the thinking which has ended, or nothing without entries."""
        entries, self._entries = self._entries, []
        return [frames.Thought("", DETAILS + msgspec.json.encode(entries).decode())] if entries else []


def _prolongs(entry: dict[str, Any], last: dict[str, Any]) -> bool:
    """Return whether `entry` continues `last`; an encrypted entry never comes in pieces."""
    same = all(entry.get(key) == last.get(key) for key in ("type", "index"))
    return same and any(isinstance(entry.get(key), str) for key in (*_GROWING, "signature")) and "data" not in entry
