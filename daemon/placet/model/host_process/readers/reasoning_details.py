"""OpenRouter's `reasoning_details`: a model's thinking as its maker wants it back, put together from their pieces.

https://openrouter.ai/docs/use-cases/reasoning-tokens: the whole sequence is passed back, unchanged and in its order.
"""

from typing import Any

import msgspec

from placet.model import frames
from placet.model.quirks import DETAILS

_GROWING = ("text", "summary")
"""What comes in pieces; anything else of an entry comes once."""


class ReasoningDetails:
    """Those since they were taken last."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []

    def add(self, told: list[Any]) -> str:
        """Their text, as far as it can be shown."""
        entries: list[dict[str, Any]] = [entry for entry in told if isinstance(entry, dict)]
        for entry in entries:
            last = self._entries[-1] if self._entries else {}
            if _prolongs(entry, last):
                said = {key: value for key, value in entry.items() if value is not None and key not in _GROWING}
                grown = {key: (last.get(key) or "") + entry[key] for key in _GROWING if isinstance(entry.get(key), str)}
                self._entries[-1] = {**last, **said, **grown}
            else:
                self._entries.append(entry)
        return "".join(value for entry in entries for key in _GROWING if isinstance(value := entry.get(key), str))

    def take(self) -> list[frames.Piece]:
        """The seal of the thinking that has ended; nothing where there is none."""
        entries, self._entries = self._entries, []
        return [frames.Thought("", DETAILS + msgspec.json.encode(entries).decode())] if entries else []


def _prolongs(entry: dict[str, Any], last: dict[str, Any]) -> bool:
    """What is encrypted is never in pieces."""
    same = all(entry.get(key) == last.get(key) for key in ("type", "index"))
    return same and any(isinstance(entry.get(key), str) for key in (*_GROWING, "signature")) and "data" not in entry
