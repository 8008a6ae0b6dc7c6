"""Paths that the words of a command may name. Any word may be a path; the caller checks on disk."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from placet.permissions.shell.findings import NamedPath
from placet.permissions.shell.programs.effects import Touched
from placet.permissions.shell.words import Word, absolute, as_pattern, before_wildcard, has_wildcard, without_quotes

LONGEST_NAME = 255
LONGEST_PATH = 4096
MOST_REMAINDERS = 64
"""Number of separators in a word behind which the whole rest also counts as a path, besides the parts between
separators."""
_NO_FILES = re.compile(r"/dev/(null|std(in|out|err)|tty|fd/\d+|zero|u?random|full)")
_WORD_BEGINNINGS = "*?[-"
"""Characters at the start of a word with a wildcard that let the word become an option of the program."""
_CLUSTER = re.compile(r"-[A-Za-z0-9]+")
_SEPARATOR = re.compile(r"[:,=;@]")
_BEFORE_URL = re.compile(r"(?<![\w+.-])[\w+.-]++://")
"""Scheme of a URL with the characters directly before the scheme; begins at no other place, so that a search takes
linear time."""
_LETTER = re.compile(r"[A-Za-z]")


class _Spelled(NamedTuple):
    text: str
    is_guess: bool


def is_no_file(value: str) -> bool:
    """Return whether the path is a device that keeps nothing and tells nothing."""
    return _NO_FILES.fullmatch(value) is not None


def named_paths(touched: Touched, directory: str, home: str) -> Iterator[NamedPath]:
    """Yield the named paths, absolute but otherwise as written: only the file system knows where `..` after a symlink
    leads."""
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
    """Return whether a wildcard may lead above the directory in which the wildcard starts."""
    return any(
        word.has_wildcard and word.value is not None and not before_wildcard(word.value)[1]
        for index, word in enumerate(words)
        if index not in no_paths
    )


def _spellings(value: str) -> Iterator[_Spelled]:
    """Yield the word, and the parts that programs take for a path: `--file=x`, `of=x`, `-ox`, `@x`, `a:x`."""
    if not value.startswith("-"):
        yield _Spelled(value, is_guess=False)
    url = _scheme(value)
    if value[url] == "file://":
        yield _Spelled(value[url.stop :], is_guess=False)
    option_value = value.partition("=")[2]
    for piece in dict.fromkeys(_pieces(value[: url.start])):
        if piece and not piece.startswith("-"):
            is_path = piece == option_value or piece.startswith(("/", "~", "..")) or "/.." in piece
            yield _Spelled(piece, is_guess=not is_path)


def _scheme(value: str) -> slice:
    """Return the place of the first scheme of a URL, `://` included; without a URL the end of the text."""
    for run in _BEFORE_URL.finditer(value):
        if letter := _LETTER.search(value, run.start(), run.end()):
            return slice(letter.start(), run.end())
    return slice(len(value), len(value))


def _pieces(value: str) -> Iterator[str]:
    """Yield the parts of a word that may be a path: behind the letters of an option, and around separators of
    values."""
    if cluster := _CLUSTER.match(value):
        longest = max(2, cluster.end() - LONGEST_NAME)  # More letters are the name of no file.
        for start in range(longest, min(cluster.end() + 1, len(value))):
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
