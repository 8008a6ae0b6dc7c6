"""Parsers of the tools' output for a model. The rules see no more of a result than a model would."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """Line which a search found."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Hits:
    hits: tuple[Hit, ...]
    complete: bool
    """False if the search found more hits than the output shows."""
    notes: tuple[str, ...] = ()
    """Notes of the search about left-out places."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Output and exit code of a command; the code is None if the command was stopped early, and `ended` says why."""

    text: str
    exit_code: int | None
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Lines of a file as one read showed the lines."""

    lines: dict[int, str]
    """Lines by 1-based number."""
    next_offset: int | None
    """Offset of the next read, or None at the end of the file."""
    why_not_editable: str = ""
    """Note of `read` about a file which `read` only shows."""


_FOUND = re.compile(r"Found (\d+) match(?:es)?")
_HIT = re.compile(r"  Line (\d+): ?(.*)")
_NUMBERED = re.compile(r"(\d+): ?(.*)")
_SHELL_NOTE = re.compile(r"\s*<shell_metadata>\n(.*)\n</shell_metadata>\s*\Z", re.DOTALL)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NOT_EDITABLE = re.compile(r"^\(Shown as .*?\. (The file can be read, but not edited\..*)\)$", re.MULTILINE)
_NEXT_OFFSET = re.compile(r"offset\D{0,3}(\d+)")


def parse_grep(output: str) -> Hits:
    """Parse `Found N matches`, then for each file `path:` and lines of ` Line n: text`."""
    hits: list[Hit] = []
    notes: list[str] = []
    announced, path = 0, ""
    for line in output.split("\n"):
        if hit := _HIT.fullmatch(line):
            hits.append(Hit(path, int(hit[1]), hit[2]))
        elif line.endswith(":"):
            path = line[:-1]
        elif "left out" in line:
            notes.append(line.strip("()"))
        elif summary := _FOUND.match(line):
            announced = int(summary[1])
    return Hits(tuple(hits), len(hits) >= announced, tuple(notes))


def parse_paths(output: str) -> tuple[str, ...]:
    """Return the paths of a glob, one on each line; notes stand in brackets."""
    lines = (line.strip() for line in output.splitlines())
    return tuple(line for line in lines if line and not line.startswith(("(", "No files found")))


def parse_read(output: str) -> Page | None:
    """Parse the `N: text` lines between `<content>` and the trailer.

    Return None for a result not shown as lines (a directory, an image, the cells of a notebook).
    """
    head, marker, content = output.partition("<content>\n")
    if not marker or "<type>notebook</type>" in head:
        return None
    lines: dict[int, str] = {}
    rest: list[str] = []
    expected: int | None = None
    for row in content.split("\n"):
        numbered = _NUMBERED.fullmatch(row) if not rest else None
        if numbered and (expected is None or int(numbered[1]) == expected):
            expected = int(numbered[1]) + 1
            lines[int(numbered[1])] = numbered[2]
        else:
            rest.append(row)
    trailer = "\n".join(rest).partition("</content>")[0]
    next_offset = _NEXT_OFFSET.search(trailer)
    not_editable = _NOT_EDITABLE.search(trailer)
    return Page(lines, int(next_offset[1]) if next_offset else None, not_editable[1] if not_editable else "")


def parse_entries(output: str) -> tuple[str, ...] | None:
    """Return the names in a directory as `read` lists them, folders with a final `/`, or None for another result."""
    _, marker, listing = output.partition("<entries>\n")
    if not marker:
        return None
    return tuple(line for line in listing.partition("</entries>")[0].splitlines() if line and not line.startswith("("))


def parse_bash(output: str) -> Ran:
    """Return the output, and the end of the command from the tool's note; without a note the exit code was 0."""
    note = _SHELL_NOTE.search(output)
    text = _ANSI.sub("", output[: note.start()] if note else output)
    if note is None:
        return Ran(text, 0)
    code = re.fullmatch(r"exit code (-?\d+)", note[1])
    return Ran(text, int(code[1])) if code else Ran(text, None, note[1])
