"""Template of a command: the text for the words behind the command's name, and the parts a shell fills in. Pure."""

import re
from collections.abc import Sequence

from msgspec import Struct

MOST_SHELL_PARTS = 20

# A quotation counts only as a whole word: "don't" opens no quotation.
_WORD = re.compile(r'"([^"]*)"(?!\S)|\'([^\']*)\'(?!\S)|(\[Image \d+\]|\S+)')
_PLACEHOLDER = re.compile(r"\$(?:ARGUMENTS\b|([1-9])(?!\d))")
_SHELL = re.compile(r"!`([^`\n]+)`")
_CALL = re.compile(r"\s*/([\w][\w.:/-]*)(?:\s+(.*))?\Z", re.DOTALL)


class CommandCall(Struct, frozen=True):
    """`/name arguments` at the start of a prompt."""

    name: str
    arguments: str


class ShellPart(Struct, frozen=True):
    """Command line in a template, replaced by the output of the command line."""

    line: str


Piece = str | ShellPart


def call_in(text: str) -> CommandCall | None:
    """Return the call at the start of a prompt, or None; the command of the name need not exist."""
    match = _CALL.match(text)
    return None if match is None else CommandCall(match[1], (match[2] or "").strip())


def words_of(arguments: str) -> list[str]:
    """Return the words, where each `"…"`, `'…'` and `[Image 1]` is a single word, as in OpenCode's commands."""
    return [next(group for group in match.groups() if group is not None) for match in _WORD.finditer(arguments)]


def filled(template: str, arguments: str) -> tuple[Piece, ...]:
    """Return the template with the arguments filled in; arguments without a placeholder are appended.

    `$ARGUMENTS` is the whole text of the arguments as written; the highest of `$1` to `$9` in the template takes all
    words left. Only the template's shell parts count: a shell part in the arguments is text.
    """
    places = [int(match[1]) for match in _PLACEHOLDER.finditer(template) if match[1]]
    words, last = words_of(arguments), max(places, default=0)

    def fill(text: str) -> str:
        return _PLACEHOLDER.sub(lambda match: _value(match[1], words, last, arguments), text)

    pieces = [ShellPart(fill(piece.line)) if isinstance(piece, ShellPart) else fill(piece) for piece in parse(template)]
    if arguments and _PLACEHOLDER.search(template) is None:
        pieces.append(f"\n\n{arguments}")
    return tuple(pieces)


def parse(template: str) -> tuple[Piece, ...]:
    """Return text and shell parts in order."""
    pieces: list[Piece] = []
    at = 0
    for match in _SHELL.finditer(template):
        pieces += [template[at : match.start()], ShellPart(match[1].strip())]
        at = match.end()
    return tuple(piece for piece in (*pieces, template[at:]) if piece)


def hint_in(template: str) -> str:
    """Return the argument hint of a template without a hint of its own, made from the placeholders."""
    places = sorted({match[0] for match in _PLACEHOLDER.finditer(template)})
    return " ".join("[arguments]" if place == "$ARGUMENTS" else f"[{place[1:]}]" for place in places)


def _value(number: str | None, words: Sequence[str], last: int, arguments: str) -> str:
    if number is None:
        return arguments
    place = int(number)
    return " ".join(words[place - 1 :] if place == last else words[place - 1 : place])
