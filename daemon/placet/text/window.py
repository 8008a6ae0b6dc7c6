"""The differing part of two texts, so the lines of a long file need not be split for a short edit."""

from typing import NamedTuple


class Window(NamedTuple):
    """Whole lines of two texts; the text before and after is the same in both."""

    start: int
    """Start of the lines, in characters, in either text."""
    old: str
    new: str


def window(old: str, new: str, *, around: int = 0) -> Window:
    """Return the differing lines, with at least `around` lines before and after if available.

    The window begins and ends at an LF or at an end of the text, where lines end by any reckoning.
    """
    shorter = min(len(old), len(new))
    prefix = _common_prefix(old, new, shorter)
    suffix = _common_suffix(old, new, shorter - prefix)
    start = old.rfind("\n", 0, prefix) + 1
    end = old.find("\n", len(old) - suffix) + 1 or len(old)
    for _ in range(around):
        start = old.rfind("\n", 0, max(start - 1, 0)) + 1
        end = old.find("\n", end) + 1 or len(old)
    return Window(start, old[start:end], new[start : end + len(new) - len(old)])


def _common_prefix(old: str, new: str, most: int) -> int:
    """Return the length of the common prefix, by halves, because comparing slices is faster than going through
    characters.
    """
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(old: str, new: str, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low
