"""Excerpt of a diff for a model: as much of each file as the room allows, and of some files the name alone. Pure."""

import re
from collections.abc import Callable, Iterator

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_NAMES = re.compile(r'diff --git "?a/(?P<old>.*?)"? "?b/(?P<new>.*?)"?$', re.MULTILINE)
_SHORTEST = 300
"""Number of characters shown of each file, however many files the diff has."""


def excerpt(diff: str, room: int, may_show: Callable[[str], bool]) -> str:
    """Return at most about `room` characters (a small share of each file in any case, up to twice the room).

    `may_show` returns for a file's name whether the lines of the file may be shown. Text before the first file is kept.
    """
    sections = [_hidden(section, may_show) for section in _FILE.split(diff) if section.strip()]
    share = _share([len(section) for section in sections], room)
    shown: list[str] = []
    left = 2 * room
    for number, section in enumerate(sections):
        if left <= 0:
            shown.append(f"({len(sections) - number} more files)\n")
            break
        shown.append(_cut(section, share))
        left -= len(shown[-1])
    return "".join(shown)


def _hidden(section: str, may_show: Callable[[str], bool]) -> str:
    names = _NAMES.match(section)
    if names is None or (may_show(names["old"]) and may_show(names["new"])):
        return section
    return f"{names[0]}\n(changed; its content is not shown)\n"


def _share(lengths: list[int], room: int) -> int:
    """Return the number of characters for each file, where short files leave their room to long files."""
    left, shares = room, sorted(lengths)
    while shares:
        share = left // len(shares)
        if shares[0] > share:
            return max(share, _SHORTEST)
        left -= shares.pop(0)
    return room


def _cut(section: str, share: int) -> str:
    if len(section) <= share:
        return section
    head = "".join(_whole_lines(section, share))
    return f"{head}(... {len(section) - len(head)} more characters of this file)\n"


def _whole_lines(section: str, share: int) -> Iterator[str]:
    for line in section.splitlines(keepends=True):
        share -= len(line)
        if share < 0:
            return
        yield line
