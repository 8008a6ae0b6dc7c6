"""Search for the region most like a text that was not found, with the difference in words for the model."""

from collections import Counter
from collections.abc import Callable, Sequence

from placet.text.counted import first_lines

_MOST_LINES_SHOWN = 12
_LONGEST_LINE_SHOWN = 200
_LEAST_ALIKE = 60.0

# Only the beginning of a line is compared: the time grows with the square of the length, in parts with its cube.
_COMPARED = 200
_COMPARED_IN_PARTS = 100
_COMPARED_OF_A_LINE = 300
_MOST_LINES_COMPARED_IN_PARTS = 20_000
_LINES_AT_A_TIME = 256


def describe_nearest(lines: Sequence[str], quoted: Sequence[str], called: str = "oldString") -> str:
    """Describe the region of `lines` most like `quoted`, numbered from 1, and the first line that differs.

    `called` is the reader's name for `quoted`.
    """
    first = _nearest_start(lines, quoted)
    if first is None:
        return "No line of the file resembles it."
    end = min(first + len(quoted), len(lines))
    region = first_lines((f"{number + 1}: {_cut(lines[number])}" for number in range(first, end)), _MOST_LINES_SHOWN)
    where = f"line {first + 1}" if end - first == 1 else f"lines {first + 1} to {end}"
    return "\n".join([f"The nearest text is at {where}:", *region, _difference(lines, quoted, first, called)])


def visible(line: str) -> str:
    """Return the line with white space and unprintable characters made visible: `·` a space, `→` a tab."""
    return "".join(
        "·" if char == " " else "→" if char == "\t" else char if char.isprintable() else f"\\u{ord(char):04x}"
        for char in line
    )


def _nearest_start(lines: Sequence[str], quoted: Sequence[str]) -> int | None:
    """Return the most likely start: equal lines vote for the start, rare lines more; without equal lines, the most
    alike line decides.
    """
    offsets: dict[str, list[int]] = {}
    for offset, line in enumerate(quoted):
        if line.strip():
            offsets.setdefault(_collapsed(line), []).append(offset)
    collapsed = [_collapsed(line) for line in lines]
    counts = Counter(line for line in collapsed if line in offsets)
    votes: Counter[int] = Counter()
    for number, line in enumerate(collapsed):
        if line in counts and counts[line] * len(offsets[line]) <= 1000:
            for offset in offsets[line]:
                votes[number - offset] += 1_000_000 // counts[line]
    if votes:
        return max(max(votes, key=lambda start: (votes[start], -start)), 0)
    return _most_alike(collapsed, max(offsets, key=len, default=""), offsets)


def _most_alike(collapsed: list[str], line: str, offsets: dict[str, list[int]]) -> int | None:
    # Imported here, as most quotations are exact, and the module takes 3 MB.
    from rapidfuzz import fuzz

    if not line:
        return None
    whole = [text[:_COMPARED] for text in collapsed]
    number = _best(fuzz.ratio, line[:_COMPARED], whole, _LEAST_ALIKE)
    if number is None and len(collapsed) <= _MOST_LINES_COMPARED_IN_PARTS:
        parts = [text[:_COMPARED_OF_A_LINE] for text in collapsed]
        number = _best(fuzz.partial_ratio, line[:_COMPARED_IN_PARTS], parts, 85.0)
    return max(number - offsets[line][0], 0) if number is not None and collapsed[number] else None


def _best(scorer: Callable[..., float], line: str, lines: Sequence[str], least: float) -> int | None:
    """Return the number of the first of the most alike lines, or None if no line is alike.

    A few lines are compared at a time, because nothing else runs in the process meanwhile.
    """
    from rapidfuzz import process

    best: int | None = None
    for start in range(0, len(lines), _LINES_AT_A_TIME):
        match = process.extractOne(line, lines[start : start + _LINES_AT_A_TIME], scorer=scorer, score_cutoff=least)
        if match is not None and (best is None or match[1] > least):
            best, least = start + match[2], match[1]
    return best


def _difference(lines: Sequence[str], quoted: Sequence[str], first: int, called: str) -> str:
    for offset, line in enumerate(quoted):
        number = first + offset
        if number >= len(lines):
            return f"The file ends at line {len(lines)}, and {called} goes on with: {_cut(line)}"
        if _collapsed(lines[number]) != _collapsed(line):
            return _two_lines("The first line that differs", number, lines[number], line, called)
    for offset, line in enumerate(quoted):
        if lines[first + offset] != line:
            return _two_lines("Only white space differs, first", first + offset, lines[first + offset], line, called)
    return "Its lines are there, but not as whole lines or not at the place quoted."


def _two_lines(lead: str, number: int, own: str, quoted: str, called: str) -> str:
    return (
        f"{lead} is line {number + 1} (· is a space, → a tab):\n"
        f"  the file: {visible(_cut(own))}\n  {called}: {visible(_cut(quoted))}"
    )


def _collapsed(line: str) -> str:
    return " ".join(line.split())


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE_SHOWN else line[:_LONGEST_LINE_SHOWN] + "…"
