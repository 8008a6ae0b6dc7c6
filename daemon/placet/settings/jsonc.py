"""JSON with comments and trailing commas, as editors' settings are written."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

DEEPEST = 64
"""Objects and lists within each other; what is nested deeper would overflow the stack of those who walk through it."""

STRING = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
"""Both end with the text where their own end is missing. So neither ever fails, and no place is looked at twice."""

_TOKEN = re.compile(f"{STRING}|{COMMENT}", re.DOTALL)
_TRAILING = re.compile(rf"{STRING}|,(?=\s*[}}\]])", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\r\n]")


def parse(text: str) -> Any:
    """Return what the text says. Raises ValueError: a json.JSONDecodeError has the line and column in the text."""
    without_comments = _TOKEN.sub(lambda token: _without_comment(token[0]), text.removeprefix("\ufeff"))
    try:
        content: Any = json.loads(_TRAILING.sub(lambda token: _blank_but_strings(token[0]), without_comments))
    except RecursionError:
        raise NestedTooDeeply from None
    _check_depth(content)
    return content


class NestedTooDeeply(ValueError):
    """The text has more than DEEPEST objects and lists within each other."""

    def __init__(self) -> None:
        super().__init__(f"it is nested more than {DEEPEST} deep")


def _without_comment(token: str) -> str:
    is_unfinished = token.startswith("/*") and (len(token) < len("/**/") or not token.endswith("*/"))
    return token if is_unfinished else _blank_but_strings(token)


def _blank_but_strings(token: str) -> str:
    """Return blanks of the same shape, so that the places of what follows stay the same."""
    return token if token.startswith('"') else _NOT_LINE_END.sub(" ", token)


def _check_depth(content: Any) -> None:
    level = [content]
    for _ in range(DEEPEST):
        level = [below for value in level for below in _values_within(value)]
        if not level:
            return
    raise NestedTooDeeply


def _values_within(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()
