"""Numbers of things in words, and long lists of lines cut to a number. Pure."""

from collections.abc import Iterable


def counted(count: int, noun: str) -> str:
    """Return the number with the noun in the singular or the plural: `1 file`, `2 files`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def first_lines(lines: Iterable[str], most: int, *, way: str = "") -> list[str]:
    """Return the lines; of more than `most` lines the first ones and a note, `most` lines in all.

    The note counts at least two lines, as a single line takes no more room than the note. `way` ends the note, and
    says where all lines are.
    """
    shown = list(lines)
    left = len(shown) - most + 1
    return shown if left <= 1 else [*shown[: most - 1], f"… and {counted(left, 'more line')}{way}"]
