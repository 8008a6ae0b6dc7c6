"""Merging of several servers' answers to one question. Pure."""

from collections.abc import Sequence
from typing import Any, cast

from placet.core.messages import JsonObject

_SINGLE = ("textDocument/hover", "textDocument/signatureHelp", "textDocument/rename", "textDocument/formatting")
"""Methods without merging: the first server with a result answers."""


def merged(method: str, answers: Sequence[tuple[str, Any]]) -> Any:
    """Return the answers (server, LSP result) merged, without duplicates; items of a call hierarchy name the server."""
    results = [(name, result) for name, result in answers if result not in (None, [])]
    if not results:
        return None
    if method in _SINGLE:
        return results[0][1]
    together: list[JsonObject] = []
    for name, result in results:
        for one in cast("list[JsonObject]", result if isinstance(result, list) else [result]):
            item = {**one, "data": {"server": name, "data": one.get("data")}} if "prepareCall" in method else one
            if item not in together:
                together.append(item)
    return together
