r"""Names of files that are not UTF-8: each such byte is spelled `\xNN`, for the model, the screen and JSON.

Python holds such a byte as half a character (PEP 383), which no JSON can carry.
"""

import os
import re
from pathlib import Path
from typing import Any, cast

_HALF = re.compile("[\ud800-\udfff]")
_FIRST_ESCAPED = 0xDC80
_LAST_ESCAPED = 0xDCFF
_SPELLED = re.compile(r"\\x([89a-f][0-9a-f])")


def spelled(text: str) -> str:
    r"""Return the text with each half character spelled: `\xNN` for a byte that is not UTF-8, else `\uNNNN`."""
    return text if text.isascii() else _HALF.sub(_spell, text)


def spelled_within(value: Any) -> Any:
    """Return the JSON value with every string in the value spelled."""
    match value:
        case str():
            return spelled(value)
        case dict():
            return {spelled(key): spelled_within(item) for key, item in cast("dict[str, Any]", value).items()}
        case list() | tuple():
            return [spelled_within(item) for item in cast("list[Any]", value)]
        case _:
            return value


def on_disk(path: Path) -> Path:
    r"""Return the path, or the path of the file meant by its `\xNN`, if only this file exists. A `\xNN` needs a look at
    the disk."""
    if os.name == "nt" or "\\x" not in str(path) or os.path.lexists(path):
        return path
    meant = Path(os.fsdecode(os.fsencode(_SPELLED.sub(_byte, str(path)))))
    return meant if os.path.lexists(meant) else path


def stored_name(path: Path | None) -> str | bytes | None:
    """Return the path as a database keeps the path: bytes if the path is not UTF-8, because text must be UTF-8."""
    if path is None:
        return None
    data = os.fsencode(path)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def path_of_stored(name: str | bytes | None) -> Path | None:
    return None if name is None else Path(os.fsdecode(name))


def _spell(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number - 0xDC00:02x}" if _FIRST_ESCAPED <= number <= _LAST_ESCAPED else f"\\u{number:04x}"


def _byte(match: re.Match[str]) -> str:
    return chr(0xDC00 + int(match[1], 16))
