"""Read JSON from outside, but only up to a depth of nesting that later walks through the values can bear."""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

DEEPEST = 100
"""Deepest nesting of objects and lists. Deeper values overflow the stack: here, or in later walks."""


class NestedTooDeeply(ValueError):
    """The text nests objects and lists more deeply than the reader allows."""

    def __init__(self, deepest: int) -> None:
        super().__init__(f"it is nested more than {deepest} deep")


def loads(text: str | bytes, *, deepest: int = DEEPEST, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value of the JSON text. Raises ValueError: json.JSONDecodeError, or NestedTooDeeply."""
    try:
        value: Any = json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise NestedTooDeeply(deepest) from None
    refuse_deep(value, deepest=deepest)
    return value


def refuse_deep(value: Any, *, deepest: int = DEEPEST) -> None:
    """Raise NestedTooDeeply for a JSON value with too many levels."""
    level = [value]
    for _ in range(deepest + 1):
        level = [inner for outer in level for inner in _values_of(outer) if isinstance(inner, Mapping | list)]
        if not level:
            return
    raise NestedTooDeeply(deepest)


def _values_of(value: Any) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()
