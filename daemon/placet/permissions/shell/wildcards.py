"""Expansion of a word with a wildcard on disk: at least every name that bash would find, in any locale.

Bash's manual, 3.5.8 "Filename Expansion", with `dotglob`, `extglob`, `globstar` and `nocaseglob` off, as by default.
"""

import fnmatch
import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from placet.permissions.shell.words import has_wildcard, without_quotes

_TOKEN = re.compile(r"\\(?P<quoted>.)|(?P<set>\[[!^]?\]?(?:\\.|\[[:.=].*?[:.=]\]|[^\]\\])*\])|(?P<other>.)", re.DOTALL)


MOST_SEGMENTS = 64
"""Number of parts of a pattern that may have a wildcard."""


class TooMany(Exception):
    """The disk holds more names than the expansion looks at."""


class Expansion:
    """Expansion of all wildcards of one line; counts the names and entries over all patterns of the line."""

    def __init__(self, *, most_names: int, most_entries: int) -> None:
        self._names_left = most_names
        self._entries_left = most_entries
        self._listed: dict[str, tuple[str, ...]] = {}
        self.visited: dict[str, None] = {}
        """Paths that were looked at, whether something is there or not."""

    def paths(self, pattern: str) -> Iterator[str]:
        """Yield the paths that an absolute pattern may become. Raises TooMany."""
        segments = pattern.split("/")
        if sum(map(has_wildcard, segments)) > MOST_SEGMENTS:
            raise TooMany
        yield from self._below("", segments)

    def _below(self, directory: str, segments: list[str]) -> Iterator[str]:
        literal: list[str] = []
        while segments and not has_wildcard(segments[0]):
            literal.append(without_quotes(segments[0]))
            segments = segments[1:]
        directory = "/".join((directory, *literal)) if directory else "/".join(literal)
        self.visited[directory] = None
        if not segments:
            if os.path.lexists(directory):
                self._names_left -= 1
                if self._names_left < 0:
                    raise TooMany
                yield directory
            return
        fits = _test(segments[0])
        for name in self._names(directory):
            if fits(name):
                self._count_entry()
                yield from self._below(f"{directory}/{name}", segments[1:])

    def _count_entry(self) -> None:
        self._entries_left -= 1
        if self._entries_left < 0:
            raise TooMany

    def _names(self, directory: str) -> tuple[str, ...]:
        if directory not in self._listed:
            self._listed[directory] = tuple(self._read(directory or "/"))
        return self._listed[directory]

    def _read(self, directory: str) -> Iterator[str]:
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    self._count_entry()
                    yield entry.name
        except (OSError, ValueError):
            return  # Bash finds no file there either.


@lru_cache(maxsize=256)
def _test(segment: str) -> Callable[[str], bool]:
    """Return the test whether a name fits a segment of a pattern. In a name beyond ASCII `?` may be any number of
    bytes."""
    exact = _compiled("".join(_exact(token) for token in _TOKEN.finditer(segment)))
    loose = _compiled("".join(_loose(token) for token in _TOKEN.finditer(segment)))
    may_be_hidden = without_quotes(segment).startswith((".", "["))

    def fits(name: str) -> bool:
        if name.startswith(".") and not may_be_hidden:
            return False
        return (exact if name.isascii() else loose)(name) is not None

    return fits


def _compiled(pattern: str) -> Callable[[str], object]:
    return re.compile(fnmatch.translate(pattern), re.IGNORECASE if "[" in pattern else re.NOFLAG).match


def _exact(token: re.Match[str]) -> str:
    """Return the token in the language of fnmatch."""
    if (quoted := token["quoted"]) is not None:
        return f"[{quoted}]" if quoted in "*?[" else quoted
    if (character_set := token["set"]) is None:
        return "[[]" if token["other"] == "[" else token["other"]
    if not character_set.isascii() or re.search(r"\\|\[[:.=]|\[.+\[", character_set):
        return "?"
    return f"[!{character_set[2:]}" if character_set[1] == "^" else character_set


def _loose(token: re.Match[str]) -> str:
    return "*" if token["set"] is not None or token["other"] == "?" else _exact(token)
