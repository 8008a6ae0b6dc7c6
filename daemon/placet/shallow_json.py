"""Read JSON that somebody else has written, as far as its nesting lets those who walk through the values later."""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

DEEPEST = 100
"""Objects and lists within each other. What is nested deeper overflows the stack: here, or where it is walked."""


class NestedTooDeeply(ValueError):
    """The text has more objects and lists within each other than are read."""

    def __init__(self, deepest: int) -> None:
        super().__init__(f"it is nested more than {deepest} deep")


def loads(text: str | bytes, *, deepest: int = DEEPEST, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value of the JSON text. Raises ValueError: json.JSONDecodeError, or NestedTooDeeply."""
    try:
        value: Any = json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise NestedTooDeeply(deepest) from None
    level = [value]
    for _ in range(deepest + 1):
        level = [inner for outer in level for inner in _values_of(outer) if isinstance(inner, Mapping | list)]
        if not level:
            return value
    raise NestedTooDeeply(deepest)


def _values_of(value: Any) -> Any:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()
