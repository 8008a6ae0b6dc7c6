"""Patterns in the syntax of `.gitignore`, matched by pathspec. Pure, and in bounded time: a stranger may have written
the patterns.
"""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

MOST_BYTES = 64 * 1024
"""Size of a file of patterns."""
MOST_PATTERNS = 500
LONGEST = 500
"""Number of characters of a pattern."""
MOST_DOUBLE_STARS = 2
"""Number of `**` in a pattern: each multiplies the time by the number of directories in a path."""
MOST_CHARACTERS = 4096
"""Length of a path; a longer path fits no pattern."""
_STAR = "[^/]*"
"""Part of pathspec's regular expressions for `*`; no other part of a pattern is written so."""
_NO_SLASH = "(?!/)"
_CLASS = re.compile(r"\\.|\[\^/\]|(\[)")
"""Begin of a class of characters in pathspec's regular expressions: for git no class has the `/`, as in `*` and `?`."""
_UNLIKE_GIT = re.compile(r"\[[^]]*(?:\[|--|&&|\|\||~~)")
"""Classes of characters with another meaning for pathspec than for git, such as `[[:digit:]]`."""


class IgnorePatterns(Struct, frozen=True):
    """Patterns of one file."""

    spec: Any
    """GitIgnoreSpec of the patterns."""
    problems: tuple[str, ...]
    """Lines without a pattern, or with a costly pattern, each with the reason."""

    def fits(self, name: str) -> bool:
        """Return whether the last pattern describing the path has no `!`. The path has `/` between names."""
        return len(name) <= MOST_CHARACTERS and bool(self.spec.match_file(name))


def ignore_patterns(text: str) -> IgnorePatterns:
    """Return the patterns of a file's text. A problematic line describes nothing."""
    patterns, problems = list[GitIgnoreSpecPattern](), list[str]()
    lines = [(number, line.removesuffix("\r")) for number, line in enumerate(text.split("\n"), 1)]
    written = [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]
    for number, line in written[:MOST_PATTERNS]:
        try:
            patterns.append(_pattern(line))
        except ValueError as error:
            problems.append(f"line {number} {error}")
    if len(written) > MOST_PATTERNS:
        problems.append(f"line {written[MOST_PATTERNS][0]} and all behind are more than {MOST_PATTERNS} patterns")
    # The other backends of pathspec do not read every regular expression of Python.
    return IgnorePatterns(GitIgnoreSpec(patterns, backend="simple"), tuple(problems))


def _pattern(line: str) -> GitIgnoreSpecPattern:
    """Return the pattern of a line. Raises ValueError with the reason."""
    if len(line) > LONGEST:
        raise ValueError(f"has more than {LONGEST} characters")
    if _UNLIKE_GIT.search(line):
        raise ValueError(
            "has a class of characters that is not read here: one inside `[...]`, `--`, `&&`, `||` or `~~`"
        )
    if line.split("/").count("**") > MOST_DOUBLE_STARS:
        raise ValueError(f"has more than {MOST_DOUBLE_STARS} `**`")
    try:
        return _LinearPattern(line)
    except (ValueError, re.error, OverflowError) as error:
        raise ValueError("is no pattern") from error


class _LinearPattern(GitIgnoreSpecPattern):
    """Pattern with one look at each name: pathspec's own pattern `*a*a*a*b` takes minutes for a long name."""

    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: Any) -> tuple[Any, bool | None]:
        regex, include = super().pattern_to_regex(pattern)
        return (regex if regex is None else "".join(_linear(_CLASS.sub(_within_name, regex)))), include


def _within_name(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else f"{_NO_SLASH}["


def _linear(regex: str) -> Iterator[str]:
    """Yield the expression, with each `*` before another `*` of the same name kept from a second attempt.

    The text between two stars has a fixed length, so the first fitting place is as good as any later place, as in
    `fnmatch.translate` of Python 3.11.
    """
    first, *rest = regex.split(_STAR)
    yield first
    for following, between in enumerate(rest, 1):
        is_followed = following < len(rest) and "/" not in between.replace("[^/]", "").replace(_NO_SLASH, "")
        yield f"(?>{_STAR}?{between})" if is_followed else f"{_STAR}{between}"
