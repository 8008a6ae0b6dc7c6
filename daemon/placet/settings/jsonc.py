"""JSON with comments and trailing commas, as editors' settings are written."""

import json
import re
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\r\n]")


def parse(text: str) -> Any:
    """What the text says. Raises ValueError (json.JSONDecodeError) with the line and column of the text as it is."""
    without_comments = _TOKEN.sub(lambda token: _unless_string(token[0]), text.removeprefix("\ufeff"))
    return json.loads(_TRAILING.sub(lambda token: _unless_string(token[0]), without_comments))


def _unless_string(token: str) -> str:
    """Blanks of the same shape, so that places stay what they are."""
    return token if token.startswith('"') else _NOT_LINE_END.sub(" ", token)
