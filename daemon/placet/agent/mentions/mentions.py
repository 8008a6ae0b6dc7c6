"""Mentions in the text of a prompt: `@path`, `@path#L10-20`, `@"path with spaces"`, `@name`. Pure.

references.py finds the thing which a mention means. The rule is OpenCode's ("File references"); nothing within
backticks or a fenced block is a mention.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from placet.core.messages import LineRange
from placet.text.lines import split_lines

LONGEST = 1000
"""Maximum number of characters of a mention; a longer text is pasted text."""

# Not after a word character or a backtick. A dot belongs to the path only before more of the path; else it is a full
# stop.
_MENTION = re.compile(r'(?<![\w`])@(?:"([^"\n]+)"(#L?\d+(?:-L?\d+)?)?|((?:[^\s`,."]|"(?!\s|$)|\.+(?=[^\s`,.]))+))')
_LINES = re.compile(r"#L?(\d{1,9})(?:-L?(\d{1,9}))?$")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")
_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_CLOSING = "()[]{}<>;:!?'\"*_~|…“”‘’«»（）。，、；：？！"
_POSSESSIVES = ("'s", "’s")


@dataclass(frozen=True, slots=True)
class Reading:
    """Possible meaning of a mention: a name of a file or of something else, and the lines of the file."""

    target: str
    lines: LineRange | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """Mention at `text[start:end]`, the `@` included."""

    start: int
    end: int
    readings: tuple[Reading, ...]
    """Readings, the most literal first: a file may be named `a#1`, and `(@a)` may end with a bracket or not."""


def find_mentions(text: str) -> list[Mention]:
    """Return the mentions in the order of the text."""
    hidden = list(_code(text))
    starts = [start for start, _ in hidden]
    mentions: list[Mention] = []
    for match in _MENTION.finditer(text):
        before = bisect_right(starts, match.start()) - 1
        if (before >= 0 and match.start() < hidden[before][1]) or match.end() - match.start() > LONGEST:
            continue
        quoted, lines, plain = match.groups()
        if quoted is not None:
            readings = (Reading(quoted, _range(lines or "")),)
        else:
            readings = tuple(reading for spelling in _spellings(plain) for reading in _readings(spelling))
        mentions.append(Mention(*match.span(), readings))
    return mentions


def _spellings(written: str) -> Iterator[str]:
    """Yield the text as written, then without each mark at the end which may belong to the sentence."""
    yield written
    while (ending := _ending(written)) and written != ending:
        written = written.removesuffix(ending).rstrip(".")
        if written:
            yield written


def _ending(written: str) -> str:
    if written.endswith(_POSSESSIVES):
        return written[-2:]
    return written[-1] if written and written[-1] in _CLOSING else ""


def _readings(spelling: str) -> Iterator[Reading]:
    yield Reading(spelling)
    if (lines := _range(spelling)) is not None and (target := _LINES.sub("", spelling)):
        yield Reading(target, lines)


def _range(suffix: str) -> LineRange | None:
    if (match := _LINES.search(suffix)) is None:
        return None
    start = max(1, int(match[1]))
    return LineRange(start=start, end=max(start, int(match[2] or start)))


# ---------------------------------------------------------------- code


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Yield ascending spans of code: fenced blocks (to the end of the text if not closed) and code spans."""
    at = 0
    for start, end in _fenced(text):
        yield from _spans(text, at, start)
        yield start, end
        at = end
    yield from _spans(text, at, len(text))


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of fenced blocks by CommonMark 4.5, but at any indentation, as in lists and quotations."""
    opened, fence, at = 0, "", 0
    for line in split_lines(text):
        match = _FENCE.match(line)
        if match is not None and fence:
            if match[1].startswith(fence) and not match[2].strip():
                yield opened, at + len(line)
                fence = ""
        elif match is not None and not (match[1].startswith("`") and "`" in match[2]):
            opened, fence = at, match[1]
        at += len(line)
    if fence:
        yield opened, len(text)


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield code spans by CommonMark 6.1: from a run of backticks to the next run as long, within a paragraph."""
    at = start
    for blank in (*(match.start() for match in _BLANK_LINE.finditer(text, start, end)), end):
        runs = [match.span() for match in _BACKTICKS.finditer(text, at, blank)]
        yield from _paired(runs)
        at = blank


def _paired(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    of_length: dict[int, list[int]] = defaultdict(list)
    for number, (start, end) in enumerate(runs):
        of_length[end - start].append(number)
    number = 0
    while number < len(runs):
        start, end = runs[number]
        same = of_length[end - start]
        following = bisect_right(same, number)
        if following < len(same):
            yield start, runs[same[following]][1]
            number = same[following]
        number += 1
