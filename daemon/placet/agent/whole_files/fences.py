"""Answer of a model as text and fences, and the path that the answer gives beside each fence. Pure."""

import re
from collections.abc import Iterator

from msgspec import Struct, field

_OPEN = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`]*)")
_PATH = re.compile(r"[\w.@+-]+(?:[/\\][\w.@+-]+)*\.\w{1,10}|(?:[\w.@+-]+[/\\])*(?:Makefile|Dockerfile)")
_COMMENT = re.compile(
    r"\s*(?:#|//|/\*|<!--|--|;)\s*(?:file(?:name|path)?|path)?\s*:?\s*([^\s*]+)\s*(?:\*/|-->)?\s*", re.I
)
LONGEST_HEADING = 120
"""Characters of a line before a fence that may name the file."""


class Fence(Struct, frozen=True):
    """Fenced block of an answer, with the lines as written."""

    name: str
    """Path that the answer gives as the name of the fence; empty without a path."""
    mentioned: tuple[str, ...]
    """Further paths in the line before the fence, such as `os.path`, which may be no paths."""
    lines: tuple[str, ...]
    written: str
    """Block as the model wrote the block, for the user."""
    is_closed: bool = True

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


class FenceReader(Struct):
    """Reads one answer piece by piece: text goes on line by line, and a fence is given out as a whole."""

    _line: str = ""
    _marks: str = ""
    """Marks that close the open fence."""
    _open: str = ""
    """Line which opened the fence."""
    _name: str = ""
    _mentioned: tuple[str, ...] = ()
    _lines: list[str] = field(default_factory=list[str])
    _heading: str = ""
    """Last line of text that is not empty."""
    _held: str = ""
    """Line with a path alone, and the empty lines below: a part of the fence, if a fence follows."""

    def take(self, text: str) -> Iterator[str | Fence]:
        """Yield the text and the fences that the piece completes."""
        self._line += text
        *lines, self._line = self._line.split("\n")
        for line in lines:
            yield from self._take_line(line.removesuffix("\r"))

    def finish(self) -> Iterator[str | Fence]:
        """Yield the rest; a last fence may lack its end."""
        line, self._line = self._line, ""
        if self._marks:
            if line and not self._closes(line):
                self._lines.append(line)
                yield self._fence(line, is_closed=False)
            else:
                yield self._fence(line, is_closed=bool(line))
        elif line or self._held:
            yield f"{self._held}{line}"

    def _take_line(self, line: str) -> Iterator[str | Fence]:
        if self._marks:
            if self._closes(line):
                yield self._fence(line)
            else:
                self._lines.append(line)
        elif (opened := _OPEN.fullmatch(line)) is not None:
            self._marks, self._lines = opened[1], []
            self._open, self._held = f"{self._held}{line}", ""
            self._mentioned = _paths(self._heading)
            self._name = next(reversed(_paths(opened[2])), "") or _heading(self._heading)
            self._heading = ""
        else:
            yield from self._take_text(f"{line}\n")

    def _take_text(self, line: str) -> Iterator[str]:
        if not line.strip():
            if self._held:
                self._held += line
            else:
                yield line
            return
        if self._held:
            yield self._held
        self._heading, self._held = line.rstrip("\n"), ""
        if _heading(self._heading):
            self._held = line
        else:
            yield line

    def _closes(self, line: str) -> bool:
        text = line.strip()
        return len(text) >= len(self._marks) and set(text) == {self._marks[0]}

    def _fence(self, last: str, *, is_closed: bool = True) -> Fence:
        written = "\n".join((self._open, *self._lines, *([last] if is_closed else []))) + "\n"
        lines = self._lines
        name = self._name
        if not name and lines and (comment := _COMMENT.fullmatch(lines[0])) and _PATH.fullmatch(comment[1]):
            name, lines = comment[1], lines[1:]
        self._marks = self._name = ""
        return Fence(_plain(name), tuple(map(_plain, self._mentioned)), tuple(lines), written, is_closed)


def _heading(line: str) -> str:
    """Return the path if the line is a path and nothing else but marks, such as `**src/a.py**:`."""
    words = re.sub(r"^\W*(?:file(?:name|path)?|path)\s*:\s*", "", line, flags=re.IGNORECASE).strip("#*`:_ \t'\"")
    return words if _PATH.fullmatch(words) else ""


def _paths(text: str) -> tuple[str, ...]:
    return tuple(_PATH.findall(text)) if len(text) <= LONGEST_HEADING else ()


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")
