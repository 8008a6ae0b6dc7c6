"""Text of a terminal as plain text: without colours, cursor moves and overwritten text."""

import re

# ECMA-48: control sequences, strings (OSC, DCS, APC, PM, SOS) to their end, and the two-character escapes.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]", re.DOTALL
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def plain(text: str) -> str:
    """Return the text without escapes; an overwritten line is shown by its last text."""
    text = _ESCAPES.sub("", text) if "\x1b" in text or "\x9b" in text else text
    if "\r" in text:
        text = "\n".join(map(_last_shown, text.replace("\r\n", "\n").split("\n")))
    return _CONTROL.sub("", text)


def _last_shown(line: str) -> str:
    """Return the text of the line after each carriage return and the text that overwrites the line."""
    return line.rstrip("\r").rpartition("\r")[2]
