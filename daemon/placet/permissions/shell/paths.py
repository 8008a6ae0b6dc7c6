"""The paths that the words of a command may name. Any word may be one: what it is, the caller sees on disk."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from placet.permissions.shell.effects import Touched
from placet.permissions.shell.findings import NamedPath
from placet.permissions.shell.words import Word, absolute, as_pattern, before_wildcard, has_wildcard, without_quotes

LONGEST_NAME = 255
LONGEST_PATH = 4096
MOST_REMAINDERS = 64
"""Of how many separators in one word all that follows is taken for a path, beside what stands between them."""
_NO_FILES = re.compile(r"/dev/(null|std(in|out|err)|tty|fd/\d+|zero|u?random|full)")
_WORD_BEGINNINGS = "*?[-"
"""A word with a wildcard becomes an option of the program only where the word begins with one of these."""
_CLUSTER = re.compile(r"-[A-Za-z0-9]+")
_SEPARATOR = re.compile(r"[:,=;@]")
_URL = re.compile(r"[A-Za-z][\w+.-]*://")


class _Spelled(NamedTuple):
    text: str
    is_guess: bool


def is_no_file(value: str) -> bool:
    """Whether it is one of the devices that keep nothing and tell nothing."""
    return _NO_FILES.fullmatch(value) is not None


def named_paths(touched: Touched, directory: str, home: str) -> Iterator[NamedPath]:
    """Absolute, as they are written otherwise: only the file system can say where `..` after a symlink leads."""
    word, effect, is_landing = touched
    spellings = [*_spellings(word.pattern or word.value or "")]
    if word.has_wildcard and word.pattern.startswith("-"):
        spellings.append(_Spelled(word.pattern, is_guess=True))
    for spelled, is_guess in spellings:
        is_pattern = word.has_wildcard and has_wildcard(spelled)
        text = without_quotes(spelled) if word.has_wildcard and not is_pattern else spelled
        if text.startswith("~/") or text == "~":
            text = (as_pattern(home) if is_pattern else home) + text[1:]
        if text and not is_no_file(text) and (is_pattern or _can_exist(text)):
            base = as_pattern(directory) if is_pattern else directory
            is_word = is_pattern and text == word.pattern and text[0] in _WORD_BEGINNINGS
            word_start = len(absolute("", directory)) if is_word else None
            yield NamedPath(absolute(text, base), effect, is_pattern, is_guess, word_start, is_landing)


def outside_by_wildcard(words: Sequence[Word], no_paths: frozenset[int]) -> bool:
    """Whether a wildcard may lead above the directory in which it starts."""
    return any(
        word.has_wildcard and word.value is not None and not before_wildcard(word.value)[1]
        for index, word in enumerate(words)
        if index not in no_paths
    )


def _spellings(value: str) -> Iterator[_Spelled]:
    """The word, and the parts of it that programs take for a path: `--file=x`, `of=x`, `-ox`, `@x`, `a:x`."""
    if not value.startswith("-"):
        yield _Spelled(value, is_guess=False)
    url = _URL.search(value)
    if url and url[0] == "file://":
        yield _Spelled(value[url.end() :], is_guess=False)
    option_value = value.partition("=")[2]
    for piece in dict.fromkeys(_pieces(value[: url.start()] if url else value)):
        if piece and not piece.startswith("-"):
            is_path = piece == option_value or piece.startswith(("/", "~", "..")) or "/.." in piece
            yield _Spelled(piece, is_guess=not is_path)


def _pieces(value: str) -> Iterator[str]:
    """The parts of a word that may be a path: behind the letters of an option, and around what separates values."""
    if cluster := _CLUSTER.match(value):
        for start in range(2, min(cluster.end() + 1, len(value))):
            yield value[start:]
    start = 0
    for count, separator in enumerate(_SEPARATOR.finditer(value)):
        yield value[start : separator.start()]
        start = separator.end()
        if count < MOST_REMAINDERS:
            yield value[start:]
    if start:
        yield value[start:]


def _can_exist(value: str) -> bool:
    return len(value) <= LONGEST_PATH and "\0" not in value and max(map(len, value.split("/"))) <= LONGEST_NAME
