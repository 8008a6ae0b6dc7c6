"""Patterns for relative paths with `*`, `?`, `[a-z]`, `**` and `{a,b}`, as many programs take such patterns. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

MOST_CHOICES = 64
"""Number of patterns that the braces of one pattern may stand for; further choices do not count."""
LONGEST = 1_000
"""Number of characters of a pattern; a longer pattern describes nothing."""

_CHOICE = re.compile(r"\{([^{}]*)\}")


def fits_any(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a pattern describes the relative path, which has `/` between the names.

    A pattern without `/` describes the last name at any depth; any other pattern describes the whole path, or with `/`
    at its end all below a directory. `**` is any number of directories. No pattern takes long, so a stranger's pattern
    may be tried.
    """
    parts = name.split("/")
    short = (pattern for pattern in patterns if len(pattern) <= LONGEST)
    return any(_fits(parts, _parts_of(plain)) for pattern in short for plain in _without_braces(pattern))


def _parts_of(pattern: str) -> list[str]:
    pattern = pattern.removeprefix("./")
    if pattern.endswith("/"):
        pattern += "**/*"
    parts = pattern.removeprefix("/").split("/")
    return parts if "/" in pattern else ["**", *parts]


def _fits(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    """Follow all ways through the patterns at once: `reached` has the patterns that may describe the next part."""
    reached = _past_stars({0}, patterns)
    for part in parts:
        following: set[int] = set()
        for at in reached:
            if at == len(patterns):
                continue
            if patterns[at] == "**":
                following.add(at)
            elif fnmatchcase(part, patterns[at]):
                following.add(at + 1)
        reached = _past_stars(following, patterns)
    return len(patterns) in reached


def _past_stars(reached: set[int], patterns: Sequence[str]) -> set[int]:
    """Add what can be reached without a part, as `**` is also no directory."""
    for at in sorted(reached):
        following = at
        while following < len(patterns) and patterns[following] == "**":
            following += 1
            reached.add(following)
    return reached


def _without_braces(pattern: str) -> Iterator[str]:
    """Yield the pattern with each choice of the braces, the innermost braces first."""
    waiting, given = [pattern], 0
    while waiting and given < MOST_CHOICES:
        one = waiting.pop()
        found = _CHOICE.search(one)
        if found is None:
            given += 1
            yield one
        else:
            waiting += (one[: found.start()] + choice + one[found.end() :] for choice in found[1].split(","))
