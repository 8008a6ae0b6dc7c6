"""On which line of a JSON file each key stands, so that a setting can be pointed at. Comments are passed over."""

import json
import re
from collections.abc import Mapping

from placet.settings.jsonc import COMMENT, STRING

KeyLines = Mapping[tuple[str, ...], int]
"""1-based lines by the path of keys; what is inside a list has no path of its own."""

_TOKEN = re.compile(rf"{STRING}|[{{}}\[\]:]|{COMMENT}", re.DOTALL)


def key_lines(text: str) -> KeyLines:
    """The line of every key, for a text that has been read as JSON. A key that stands twice is where it is last."""
    lines: dict[tuple[str, ...], int] = {}
    path: list[str] = []
    """The key that is being read, in each object and list around the place."""
    string, line, counted = "", 1, 0
    for token in _TOKEN.finditer(text):
        match token[0][0]:
            case '"':
                string = token[0]
                line += text.count("\n", counted, token.start())
                counted = token.start()
            case ":" if path:
                path[-1] = json.loads(string, strict=False)
                lines[tuple(path)] = line
            case "{" | "[":
                path.append("")
            case "}" | "]" if path:
                path.pop()
            case _:
                pass
    return lines
