"""JSON with comments and trailing commas, as editors' settings are written."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from placet.core.json.shallow import loads

DEEPEST = 64
"""Objects and lists within each other: more than any setting has."""

STRING = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
"""Both end with the text where their own end is missing. So neither ever fails, and no place is looked at twice."""

_TOKEN = re.compile(f"{STRING}|{COMMENT}", re.DOTALL)
_TRAILING = re.compile(rf"{STRING}|,(?=\s*[}}\]])", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\r\n]")


def parse(text: str) -> Any:
    """Return the value of the text. Raises ValueError: a json.JSONDecodeError has the line and column in the text."""
    without_comments = _TOKEN.sub(lambda token: _without_comment(token[0]), text.removeprefix("\ufeff"))
    return loads(_TRAILING.sub(lambda token: _blank_but_strings(token[0]), without_comments), deepest=DEEPEST)


def _without_comment(token: str) -> str:
    is_unfinished = token.startswith("/*") and (len(token) < len("/**/") or not token.endswith("*/"))
    return token if is_unfinished else _blank_but_strings(token)


def _blank_but_strings(token: str) -> str:
    """Return blanks of the same shape, so that later text keeps its place."""
    return token if token.startswith('"') else _NOT_LINE_END.sub(" ", token)


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value, at any depth; the names of an object's members are left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in cast("Mapping[str, Any]", value).values():
            yield from texts_in(member)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from texts_in(item)
