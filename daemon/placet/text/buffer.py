"""Buffer of text edited in place: a list of lines, spliced, so an edit costs its own size and not the text's."""

from bisect import bisect_right
from itertools import accumulate

from placet.text.lines import line_ending, split_lines, without_end
from placet.text.positions import Position, PositionEncoding, character_at, column_at


class Buffer:
    """Text as LSP sees text: lines with their ends, and always a last line, perhaps empty, behind the last line end.

    Positions are clamped as LSP 3.17 says: a character past the end of a line is the line's end, a line past the last
    is the end of the text, and a character inside a code point is the code point's start.
    """

    __slots__ = ("_lines", "_starts", "_text")

    def __init__(self, text: str = "") -> None:
        self._lines = _lines_of(text)
        self._text: str | None = text
        self._starts: list[int] | None = None

    @property
    def text(self) -> str:
        """Return the whole text, joined on request and kept until the next edit."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    @property
    def line_count(self) -> int:
        """Return the number of lines, at least 1; a text that ends with a line end has an empty last line."""
        return len(self._lines)

    def line(self, number: int) -> str:
        """Return the text of a 0-based line without its end; empty past the last line."""
        return without_end(self._lines[number]) if 0 <= number < len(self._lines) else ""

    def line_ending_at(self, number: int) -> str:
        """Return the end of the 0-based line, or of the line above for a last line without an end; LF if there is
        none.
        """
        near = (self._lines[place] for place in (number, number - 1) if 0 <= place < len(self._lines))
        return next((ending for line in near if (ending := line_ending(line))), "\n")

    def replace(self, start: Position, end: Position, text: str, encoding: PositionEncoding) -> None:
        """Replace the text between two positions; an end before the start is taken as the start."""
        first, first_column = self._place(start, encoding)
        last, last_column = max(self._place(end, encoding), (first, first_column))
        changed = self._lines[first][:first_column] + text + self._lines[last][last_column:]
        if first > 0 and changed.startswith("\n") and self._lines[first - 1].endswith("\r"):
            # A lone CR on the line above and this LF have become one line end.
            first -= 1
            changed = self._lines[first] + changed
        if "\n" not in text and "\r" not in text:
            # Still one line: no search through a long line at every keystroke.
            self._lines[first : last + 1] = [changed]
        elif last == len(self._lines) - 1:
            self._lines[first:] = _lines_of(changed)
        else:
            self._lines[first : last + 1] = split_lines(changed)
        self._text = None
        self._starts = None

    def offset_at(self, position: Position, encoding: PositionEncoding) -> int:
        """Return the offset in code points of a position."""
        line, column = self._place(position, encoding)
        return self._line_starts()[line] + column

    def position_at(self, offset: int, encoding: PositionEncoding) -> Position:
        """Return the position of an offset in code points, clamped to the text; an offset inside a CR LF is the line's
        end.
        """
        starts = self._line_starts()
        line = bisect_right(starts, max(offset, 0)) - 1
        return Position(line, character_at(self.line(line), offset - starts[line], encoding))

    def _place(self, position: Position, encoding: PositionEncoding) -> tuple[int, int]:
        """Return the line and the column in code points of a position, clamped."""
        if position.line < 0:
            return 0, 0
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return position.line, column_at(self.line(position.line), position.character, encoding)

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = list(accumulate((len(line) for line in self._lines[:-1]), initial=0))
        return self._starts


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text, with the line behind the last line end."""
    lines = split_lines(text)
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines
