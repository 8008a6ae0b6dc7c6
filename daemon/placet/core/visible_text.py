"""Make text from outside visible: no character can move a cursor, end a line, or hide or reorder other text."""

import json
import re
from typing import Any

TITLE_CHARACTERS = 100
"""Longest title of a permission request."""
QUOTE_CHARACTERS = 200
INPUT_CHARACTERS = 200_000
"""Largest number of characters shown of a call's arguments; the rest is counted."""

# Control characters except tab and line end; marks and isolates that turn the direction of text; the two Unicode
# separators that end a line; tag characters, which are invisible and which models read.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)


def without_controls(text: str) -> str:
    """Replace each character that a terminal or an editor would obey by U+FFFD; tabs and line ends stay."""
    return _OBEYED.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Replace line ends and unprintable characters by single blanks: for titles and other prose."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def spelled_out(text: str) -> str:
    r"""Spell every invisible character as `\n` or `\u001b` on one line: for texts on which the user decides."""
    return "".join(
        character if character.isprintable() or character == "\t" else _escape(character) for character in text
    )


def shortened(text: str, most: int) -> str:
    """Cut the text in the middle, so that beginning and end stay visible, to at most `most` characters."""
    if len(text) <= most:
        return text
    tail = (most - 3) // 2
    return f"{text[: most - 3 - tail]} … {text[len(text) - tail :]}"


def title_line(text: str) -> str:
    """Make a title of one short line from a text by a model, a server or a plugin."""
    return shortened(one_line(text), TITLE_CHARACTERS)


def command_title(command: str) -> str:
    """Make a title from the command, with line ends spelled out; the middle of a long command is left out."""
    return shortened(spelled_out(command.strip()), TITLE_CHARACTERS)


def quoted(speaker: str, text: str) -> str:
    """Return the words of somebody else, on one short line that names the speaker first; empty for an empty text."""
    words = shortened(one_line(text), QUOTE_CHARACTERS)
    return f"{speaker} says: “{words}”" if words else ""


def shown_lines(text: str) -> list[str]:
    """Return the text line by line with invisible characters spelled out.

    A run of more than two empty lines becomes one line with their number, so that the run pushes nothing out of view.
    """
    lines: list[str] = []
    empty = 0
    for line in [*map(spelled_out, text.split("\n")), None]:
        if line is not None and not line.strip():
            empty += 1
            continue
        lines += [""] * empty if empty <= 2 else [f"… {empty} empty lines …"]
        empty = 0
        lines += [] if line is None else [line]
    return lines


def json_text(value: Any, indent: int | None = None) -> str:
    r"""Return the value as JSON in which control and direction characters stand as `\u` escapes."""
    separators = (",", ":") if indent is None else None
    return escaped_json(json.dumps(value, ensure_ascii=False, indent=indent, separators=separators))


def escaped_json(text: str) -> str:
    r"""Replace control and direction characters of a JSON text by `\u` escapes.

    Such characters can stand within strings only.
    """
    return _OBEYED.sub(_json_escape, text)


def shown_input(arguments: Any) -> str:
    """Return a call's arguments as indented JSON, and the number of characters left out if the text is very long."""
    text = json_text(arguments, indent=2) if arguments else ""
    left = len(text) - INPUT_CHARACTERS
    return text if left <= 0 else f"{text[:INPUT_CHARACTERS]}\n… and {left} more characters, which are not shown"


def _escape(character: str) -> str:
    return "\\n" if character == "\n" else f"\\u{ord(character):04x}"


def _json_escape(match: re.Match[str]) -> str:
    # Of the characters found, only a carriage return may stand between the tokens of JSON, as a blank.
    return " " if match[0] == "\r" else json.dumps(match[0])[1:-1]
