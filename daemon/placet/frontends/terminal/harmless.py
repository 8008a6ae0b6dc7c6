"""Text that a terminal cannot take for an order: no file and no model can hide what is asked, or move the cursor."""

import re
from typing import Any

from rich.text import Text

# Control characters but for tab and line end, and those that turn the direction of text.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def harmless(shown: Any) -> Any:
    """A string or rich's text with a sign for each character that a terminal would obey; anything else as it is."""
    if isinstance(shown, str):
        return _OBEYED.sub("\ufffd", shown)
    if isinstance(shown, Text) and _OBEYED.search(shown.plain):
        shown = shown.copy()
        shown.plain = _OBEYED.sub("\ufffd", shown.plain)
    return shown


def one_line(text: str) -> str:
    """Without line ends, and a blank for whatever cannot be printed: a title among others."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def spelled_out(text: str) -> str:
    r"""One line in which `\n` and `\u001b` can be read: for what the user decides on."""
    return "".join(one if one.isprintable() or one == "\t" else _escape(one) for one in text)


def _escape(character: str) -> str:
    return "\\n" if character == "\n" else f"\\u{ord(character):04x}"
