"""Follow the growing output of a command, of which only the last characters are told. Pure."""

from placet.text.counted import counted

MOST_LINES = 40
"""Lines of a running command that are shown; more lines are counted."""
LAST_LINES = 5
"""Last lines that are shown of a command with more lines."""

_ANCHOR = 200
"""Characters of the earlier text that are looked for in the later text."""
_TRIES = 100


class CommandOutput:
    """Output of one command, as far as told; returns each whole line once."""

    def __init__(self) -> None:
        self._tail = ""
        self._line = ""
        self._shown = 0
        self.hidden: list[str] = []
        """Lines that were not shown."""

    def grow(self, tail: str) -> list[str]:
        """Take in the last characters of the output so far; return the new whole lines to be shown."""
        new = grown(self._tail, tail)
        self._tail = tail
        *lines, self._line = (self._line + new).split("\n")
        return self._counted(lines)

    def end(self, tail: str | None = None) -> list[str]:
        """Take in the end of the output, if told; return the last lines to be shown."""
        lines = [] if tail is None else self.grow(tail)
        if self._line:
            lines += self._counted([self._line])
        hidden = len(self.hidden) - LAST_LINES
        if hidden <= 1:  # A single line takes no more room than its count.
            return lines + self.hidden
        return [*lines, f"… {counted(hidden, 'more line')}", *self.hidden[-LAST_LINES:]]

    def _counted(self, lines: list[str]) -> list[str]:
        room = max(0, MOST_LINES - self._shown)
        self._shown += min(room, len(lines))
        self.hidden += lines[room:]
        return lines[:room]


def grown(before: str, after: str) -> str:
    """Return the text that `after` has beyond `before`, where both are the last characters of one growing text.

    Text that was lost between the two is marked by a line of dots.
    """
    if after.startswith(before):
        return after[len(before) :]
    anchor = before[-_ANCHOR:]
    at = after.rfind(anchor)
    for _ in range(_TRIES):
        end = at + len(anchor)
        if at < 0 or before.endswith(after[:end]):
            break
        at = after.rfind(anchor, 0, end - 1)
    return after[at + len(anchor) :] if at >= 0 and before.endswith(after[: at + len(anchor)]) else f"\n…\n{after}"
