"""The patch grammar of `apply_patch`: sections that add, delete or update a file, read without dropping a line.

*** Begin Patch
*** Add File: PATH          then lines that begin with +
*** Delete File: PATH
*** Update File: PATH       then perhaps *** Move to: PATH, and chunks:
@@ CONTEXT                  a line to look for first; may be repeated, stand bare, or be left out
@@ -9,3 +9,4 @@ SECTION     the header of a unified diff: the number of the first old line, and an earlier line
(space, - or +) LINE        kept, removed and added lines
*** End of File             the chunk lies at the end of the file
\\ No newline at end of file   the line before ends the file without a newline
*** End Patch
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from placet.core.errors import EditError
from placet.core.values import replace
from placet.text.indentation import indent_of
from placet.text.lines import to_lf

Mark = Literal[" ", "-", "+"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One place of an update: where to look, and the lines before and after."""

    contexts: tuple[str, ...]
    """Lines to look for first, each behind the previous."""
    lines: tuple[tuple[Mark, str], ...]
    at_end_of_file: bool
    patch_line: int
    """1-based line of the patch where the chunk begins."""
    line: int | None = None
    """1-based number of the first old line; for a chunk without old lines the number of the line before."""
    is_behind_line: bool = False
    """Whether the header counts no old lines."""
    section: str = ""
    """Earlier line that the header names. Programs cut such a line, so the line may be missing in the file."""
    ends_with_newline: bool | None = None
    """Whether the file ends with a newline after the chunk; None leaves the end of the file as it is."""

    @property
    def old_lines(self) -> list[str]:
        return [line for mark, line in self.lines if mark != "+"]


@dataclass(frozen=True, slots=True)
class AddFile:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class DeleteFile:
    path: str


@dataclass(frozen=True, slots=True)
class UpdateFile:
    path: str
    move_to: str | None
    chunks: tuple[Chunk, ...]


PatchSection = AddFile | DeleteFile | UpdateFile

_HEADER = re.compile(r"\*\*\* (Add File|Delete File|Update File): *(.*\S)\s*")
_MOVE = re.compile(r"\*\*\* Move to: *(.*\S)\s*")
_NUMBERS = re.compile(r"-(\d+)(?:,(\d+))? \+\d+(?:,\d+)?(?: @@ ?(.*))?")
NO_NEWLINE = "\\ No newline at end of file"
_END_OF_FILE = "*** End of File"
_GRAMMAR = "Every line of a patch begins with a space, -, +, @@ or ***."


def parse_patch(text: str) -> tuple[PatchSection, ...]:
    """Return the sections of a patch, in order.

    Text outside Begin Patch and End Patch (a shell's here-document) is ignored.
    Raises EditError, naming the line, for anything outside the grammar: nothing is skipped silently.
    """
    lines, first_number = _body(to_lf(text))
    reader = _Reader(lines, first_number)
    sections: list[PatchSection] = []
    while reader.skip_blank():
        if not sections:
            reader.header_indent = indent_of(reader.line or "")
        sections.append(_section(reader))
    if not sections:
        raise EditError("The patch is empty. Put Add File, Update File or Delete File sections into it.")
    return tuple(sections)


def with_paths(sections: Sequence[PatchSection], resolve: Callable[[str], str]) -> tuple[PatchSection, ...]:
    """Return the sections with every path resolved, so two spellings of a path are one file."""
    return tuple(
        replace(section, path=resolve(section.path), move_to=resolve(section.move_to))
        if isinstance(section, UpdateFile) and section.move_to is not None
        else replace(section, path=resolve(section.path))
        for section in sections
    )


def patch_paths(sections: Sequence[PatchSection]) -> tuple[str, ...]:
    """Return every path named by the sections, once, targets of moves included: the files to read before applying."""
    named = [
        path
        for section in sections
        for path in (section.path, section.move_to if isinstance(section, UpdateFile) else None)
        if path is not None
    ]
    return tuple(dict.fromkeys(named))


class _Reader:
    """Reader of the lines of a patch; remembers the position."""

    def __init__(self, lines: list[str], first_number: int) -> None:
        self._lines = lines
        self._first_number = first_number
        self._at = 0
        self.header_indent = ""
        """White space before the first header; other headers may have the same, without being kept lines."""

    @property
    def line(self) -> str | None:
        """Return the next line, or None at the end."""
        return self._lines[self._at] if self._at < len(self._lines) else None

    @property
    def number(self) -> int:
        return self._first_number + self._at

    def take(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def skip_blank(self) -> bool:
        """Skip blank lines; return whether anything is left."""
        while self.line is not None and not self.line.strip():
            self._at += 1
        return self.line is not None

    def blank_before_header(self) -> bool:
        """Return whether only blank lines stand between here and the next section or the end."""
        for at in range(self._at, len(self._lines)):
            if self._lines[at].strip():
                return self.header(self._lines[at]) is not None
        return True

    def header(self, line: str) -> re.Match[str] | None:
        return _HEADER.fullmatch(line.removeprefix(self.header_indent))

    def error(self, problem: str) -> EditError:
        return EditError(f"Line {self.number} of the patch: {problem}\n  {self.line or ''}\nNothing was changed.")


def _body(text: str) -> tuple[list[str], int]:
    """Return the lines between Begin Patch and End Patch, and the number of the first line."""
    lines = text.split("\n")
    begin = next((at for at, line in enumerate(lines) if line.strip() == "*** Begin Patch"), None)
    if begin is None:
        raise EditError("The patch does not begin: its first line must be *** Begin Patch, its last *** End Patch.")
    ends = [at for at in range(begin + 1, len(lines)) if lines[at].strip() == "*** End Patch"]
    if not ends:
        raise EditError("The patch is cut off: *** End Patch is missing. Send the whole patch again; split a long one.")
    return lines[begin + 1 : ends[-1]], begin + 2


def _section(reader: _Reader) -> PatchSection:
    header = _HEADER.fullmatch((reader.line or "").lstrip())
    if header is None:
        raise reader.error("expected *** Add File: PATH, *** Update File: PATH or *** Delete File: PATH.")
    kind, path = header[1], header[2]
    reader.take()
    match kind:
        case "Add File":
            return AddFile(path, _added_text(reader))
        case "Delete File":
            return DeleteFile(path)
        case _:
            return _update(reader, path)


def _added_text(reader: _Reader) -> str:
    lines: list[str] = []
    while reader.line is not None and not _HEADER.fullmatch(reader.line.lstrip()):
        if reader.line.startswith("+"):
            lines.append(reader.take()[1:])
        elif reader.blank_before_header():
            break
        elif not reader.line.strip():
            lines.append(reader.take().strip())
        else:
            raise reader.error("in an Add File section every line of the new file begins with +.")
    return "".join(line + "\n" for line in lines)


def _update(reader: _Reader, path: str) -> UpdateFile:
    move_to: str | None = None
    if reader.line is not None and (move := _MOVE.fullmatch(reader.line.removeprefix(reader.header_indent))):
        move_to = move[1]
        reader.take()
    chunks: list[Chunk] = []
    while not reader.blank_before_header():
        chunks.append(_chunk(reader))
    if not chunks and move_to is None:
        raise EditError(f"The patch's update of {path} has no hunks: add lines that begin with @@, space, - or +.")
    return UpdateFile(path, move_to, tuple(chunks))


def _chunk(reader: _Reader) -> Chunk:
    patch_line = reader.number
    contexts: list[str] = []
    numbers: re.Match[str] | None = None
    while reader.line is not None and reader.line.startswith("@@"):
        context = reader.take()[2:]
        if found := _NUMBERS.fullmatch(context.strip()):
            numbers = found
        elif context.strip():
            contexts.append(context.removeprefix(" ").removesuffix(" @@"))
    lines: list[tuple[Mark, str]] = []
    ended: list[Mark] = []  # Marks of the lines that end a text without a newline.
    at_end = False
    while reader.line is not None and not reader.line.startswith("@@") and not at_end:
        if reader.line.rstrip() == _END_OF_FILE:
            at_end = True
            reader.take()
        elif reader.line.startswith("\\ ") and lines:
            ended.append(lines[-1][0])
            reader.take()
        elif reader.blank_before_header():
            break
        else:
            lines.append(_marked_line(reader))
    if not lines:
        raise reader.error("a hunk without lines. " + _GRAMMAR)
    return Chunk(
        tuple(contexts),
        tuple(lines),
        at_end or bool(ended),
        patch_line,
        None if numbers is None else int(numbers[1]),
        numbers is not None and numbers[2] == "0",
        "" if numbers is None else (numbers[3] or "").strip(),
        ended[-1] == "-" if ended else None,
    )


def _marked_line(reader: _Reader) -> tuple[Mark, str]:
    match (reader.line or "")[:1]:
        case "":
            # Models and editors strip the one space that marks an empty line as kept.
            return " ", reader.take()
        case " " | "-" | "+" as mark:
            return mark, reader.take()[1:]
        case _:
            raise reader.error("it does not say what to do with it. " + _GRAMMAR)
