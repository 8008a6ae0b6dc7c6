"""Lines of the keys in a JSON file, so that messages can point at a setting. Comments are skipped."""

import json
import re
from collections.abc import Mapping

from placet.settings.jsonc import COMMENT, STRING

KeyLines = Mapping[tuple[str, ...], int]
"""Lines, counted from 1, by path of keys; values inside a list have no path of their own."""

_TOKEN = re.compile(rf"{STRING}|[{{}}\[\]:]|{COMMENT}", re.DOTALL)


def key_lines(text: str) -> KeyLines:
    """Return the line of every key of a valid JSON text. A repeated key has the line of its last place."""
    lines: dict[tuple[str, ...], int] = {}
    path: list[str] = []
    """Present key of each object and list around the place."""
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
