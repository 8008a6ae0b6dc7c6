"""Cut a growing Markdown text into whole blocks, each of which can be shown for good. Pure."""

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


class BlockSplitter:
    """Text of one answer, cut into blocks; holds the block that is not whole yet.

    A paragraph ends with an empty line, fenced code with its fence, a heading with its line, and a list with the first
    line behind an empty line that belongs to no entry.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        """Whole lines of the open block."""
        self._rest = ""
        """Line without an end yet."""
        self._fence = ""
        self._is_list = False

    def feed(self, text: str) -> list[str]:
        """Take in more text; return the blocks that are whole now."""
        *lines, self._rest = (self._rest + text).split("\n")
        return [block for line in lines for block in self._line(line)]

    def end(self) -> list[str]:
        """Return the blocks that are open at the end of the text, and begin anew."""
        blocks = [*self._line(self._rest), *self._cut()]
        self.__init__()
        return blocks

    def _line(self, line: str) -> list[str]:
        """Take in a whole line; return the blocks that the line has made whole."""
        if self._fence:
            self._lines.append(line)
            if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
                self._fence = ""
                return [] if self._is_list else self._cut()
            return []
        blocks: list[str] = []
        if self._is_list:
            is_behind = bool(self._lines) and not self._lines[-1].strip()
            if is_behind and line.strip() and not line.startswith(("  ", "\t")) and not _ITEM.match(line):
                blocks, self._is_list = self._cut(), False
        elif not line.strip():
            return self._cut()
        if not any(self._lines):
            self._is_list = self._is_list or bool(_ITEM.match(line))
            if not self._is_list and _HEADING.match(line):
                return [*blocks, line]
        if fence := _FENCE.match(line):
            blocks += [] if self._is_list else self._cut()
            self._fence = fence[1]
        self._lines.append(line)
        return blocks

    def _cut(self) -> list[str]:
        block = "\n".join(self._lines).strip("\n")
        self._lines = []
        return [block] if block.strip() else []
