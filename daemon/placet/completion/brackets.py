"""Brackets of code: the open brackets of a text, and the closing brackets that a completion may bring. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

_CLOSERS = {")": "(", "]": "[", "}": "{"}
_OPENERS = frozenset(_CLOSERS.values())
_BRACKETS = frozenset((*_CLOSERS, *_OPENERS))
_QUOTES = "\"'`"
_SIGNS = {mark: re.compile(rf"\\.|[()\[\]{{}}\"'`]|{mark}") for mark in ("#", "--", "//")}
"""Patterns of the texts that matter on a line, by the mark of a comment; an escaped character is passed over."""
_HASH_COMMENTS = frozenset(
    (
        *("python", "ruby", "shellscript", "sh", "bash", "fish", "perl", "yaml", "toml", "r", "elixir", "makefile"),
        *("dockerfile", "julia", "nix", "cmake", "coffeescript", "powershell", "gdscript", "starlark", "ini"),
    )
)
_DASH_COMMENTS = frozenset(("lua", "sql", "haskell", "ada", "elm"))
_NO_QUOTE_PAIRS = frozenset(("rust", "markdown", "plaintext", "latex", "clojure", "lisp", "scheme", "ocaml", "haskell"))
"""Languages in which an apostrophe need not begin a string."""


class Line(Struct, frozen=True):
    """State at the end of a piece of a line."""

    in_string: bool = False
    in_comment: bool = False


def comment_mark(language: str) -> str:
    """Return the text that begins a comment up to the end of the line."""
    if language in _HASH_COMMENTS:
        return "#"
    return "--" if language in _DASH_COMMENTS else "//"


def brackets_in(text: str, language: str) -> Iterator[tuple[int, str]]:
    """Yield the brackets of the text with their offsets; brackets in strings and comments of a line are left out."""
    offset = 0
    for line in text.split("\n"):
        yield from ((offset + column, bracket) for column, bracket in _of_line(line, language)[0])
        offset += len(line) + 1


def line_state(line_before: str, language: str) -> Line:
    """Return whether a cursor behind this beginning of a line is in a string or in a comment."""
    return _of_line(line_before, language)[1]


@lru_cache(maxsize=4096)
def _of_line(line: str, language: str) -> tuple[tuple[tuple[int, str], ...], Line]:
    """Return the brackets of a line with their columns, and the state at its end. Kept: most lines come again with the
    next keystroke.
    """
    found: list[tuple[int, str]] = []
    mark = comment_mark(language)
    has_pairs = language not in _NO_QUOTE_PAIRS
    quote = ""
    for sign in _SIGNS[mark].finditer(line):
        text = sign[0]
        if quote:
            if text == quote:
                quote = ""
        elif text == mark:
            return tuple(found), Line(in_comment=True)
        elif text in _BRACKETS:
            found.append((sign.start(), text))
        elif text in _QUOTES and (text != "'" or has_pairs):
            quote = text
    return tuple(found), Line(in_string=bool(quote))


def open_brackets(text: str, language: str) -> list[str]:
    """Return the brackets that the text opens and does not close, the innermost last."""
    stack: list[str] = []
    for _, bracket in brackets_in(text, language):
        if bracket in _OPENERS:
            stack.append(bracket)
        elif stack and stack[-1] == _CLOSERS[bracket]:
            stack.pop()
    return stack


def stray_closers(text: str, language: str) -> list[tuple[int, str]]:
    """Return the brackets, with offsets, that the text closes and did not open."""
    stack: list[str] = []
    stray: list[tuple[int, str]] = []
    for offset, bracket in brackets_in(text, language):
        if bracket in _OPENERS:
            stack.append(bracket)
        elif stack and stack[-1] == _CLOSERS[bracket]:
            stack.pop()
        elif not stack:
            stray.append((offset, bracket))
    return stray


def partnerless_closers(text: str, language: str) -> int:
    """Return the number of closing brackets of the text without a partner, also behind an open bracket of another
    kind.
    """
    stack: list[str] = []
    count = 0
    for _, bracket in brackets_in(text, language):
        if bracket in _OPENERS:
            stack.append(bracket)
        elif stack and stack[-1] == _CLOSERS[bracket]:
            stack.pop()
        else:
            count += 1
    return count


def before_last_closer(text: str, language: str) -> str:
    """Return the text up to its last closing bracket; the empty text if there is none."""
    closers = [offset for offset, bracket in brackets_in(text, language) if bracket in _CLOSERS]
    return text[: closers[-1]] if closers else ""


def imbalance(text: str, language: str) -> int:
    """Return the number of brackets of the text without a partner."""
    return len(open_brackets(text, language)) + len(stray_closers(text, language))
