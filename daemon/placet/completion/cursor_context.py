"""Text around the cursor for a request: whole lines within a budget, cut at places that stay while the user types.

Nothing here walks the document: the cost is the budget's, whatever the size of the buffer.
"""

from msgspec import Struct

from placet.text.buffer import Buffer
from placet.text.positions import Position, PositionEncoding, column_at

LINE_STEP = 16
"""The first and the last line of the text are multiples of this number, so that a server's cache of the prompt stays
good while the user types."""
COLUMN_STEP = 256
"""A line longer than the budget is cut at a multiple of this number of characters."""
MOST_LINE_CHARACTERS = 5_000
"""A longer line near the cursor is the mark of a generated or minified file."""


class Budget(Struct, frozen=True):
    """Largest size of the text around the cursor."""

    prefix_characters: int = 6_000
    suffix_characters: int = 2_000
    prefix_lines: int = 256
    suffix_lines: int = 64


LOCAL_BUDGET = Budget(2_000, 600, 128, 16)
"""Budget for a server on the user's machine, where the evaluation of the prompt is most of the time, and where each
typed character makes the server read the suffix again."""


class CursorContext(Struct, frozen=True):
    """Text around the cursor, with LF as the end of all lines."""

    prefix: str
    suffix: str
    line_before: str
    """Text of the cursor's line before the cursor; the beginning of a very long line is cut off."""
    line_after: str
    """Text of the cursor's line behind the cursor."""
    first_line: int = 0
    """0-based number of the line with which the prefix begins."""
    has_long_line: bool = False
    """True if a line near the cursor has more than MOST_LINE_CHARACTERS."""

    @property
    def lines_above(self) -> list[str]:
        """Return the lines of the prefix above the cursor's line."""
        return self.prefix.split("\n")[:-1]

    @property
    def lines_below(self) -> list[str]:
        """Return the lines of the suffix below the cursor's line."""
        return self.suffix.split("\n")[1:]


def cursor_context(
    buffer: Buffer, position: Position, encoding: PositionEncoding, budget: Budget | None = None
) -> CursorContext:
    """Return the text around the position, which is clamped to the buffer as LSP 3.17 says."""
    budget = budget or Budget()
    number = min(max(position.line, 0), buffer.line_count - 1)
    line = buffer.line(number)
    column = column_at(line, position.character, encoding) if position.line <= number else len(line)
    before, after = _within(line[:column], budget.prefix_characters), line[column:][: budget.suffix_characters]
    # Behind a cut in the cursor's own line nothing follows: the text would have a gap.
    is_cut_before, is_cut_after = len(before) < column, len(after) < len(line) - column
    above = [] if is_cut_before else _lines_above(buffer, number, budget, budget.prefix_characters - len(before))
    below = [] if is_cut_after else _lines_below(buffer, number, budget, budget.suffix_characters - len(after))
    near = (buffer.line(number - 1), buffer.line(number + 1))
    return CursorContext(
        prefix="".join(f"{text}\n" for text in above) + before,
        suffix=after + "".join(f"\n{text}" for text in below),
        line_before=before,
        line_after=after,
        first_line=number - len(above),
        has_long_line=any(len(text) > MOST_LINE_CHARACTERS for text in (line, *near, *above, *below)),
    )


def _within(text: str, most: int) -> str:
    """Return the end of the text within the budget, cut at a multiple of COLUMN_STEP."""
    if len(text) <= most:
        return text
    start = len(text) - most
    return text[start + -start % COLUMN_STEP :]


def _lines_above(buffer: Buffer, number: int, budget: Budget, room: int) -> list[str]:
    """Return the lines above the line `number` in their order, the first at a multiple of LINE_STEP if one fits."""
    lines: list[str] = []
    whole = 0
    last = max(number - budget.prefix_lines, 0)
    for above in range(number - 1, last - 1, -1):
        line = buffer.line(above)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
        if above % LINE_STEP == 0:
            whole = len(lines)
    lines = lines[:whole] if whole else lines
    lines.reverse()
    return lines


def _lines_below(buffer: Buffer, number: int, budget: Budget, room: int) -> list[str]:
    """Return the lines below the line `number`, the end at a multiple of LINE_STEP or at the end of the buffer."""
    lines: list[str] = []
    whole = 0
    end = min(number + 1 + budget.suffix_lines, buffer.line_count)
    for below in range(number + 1, end):
        line = buffer.line(below)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
        if (below + 1) % LINE_STEP == 0 or below + 1 == buffer.line_count:
            whole = len(lines)
    return lines[:whole] if whole else lines
