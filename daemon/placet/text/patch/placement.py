"""Places of a patch's hunks in a file: what the patch says about a place decides, or the patch is refused.

The hunks stand in the file's order. A patch fits in one way alone where the earliest places of all hunks are also the
latest places; otherwise nothing says which of the equal places is meant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from placet.core.errors import EditError
from placet.text.counted import counted
from placet.text.locate.nearest import describe_nearest
from placet.text.patch.grammar import Chunk, Mark
from placet.text.patch.search import Lines, Quotation

_MOST_LOOKED_AT = 100_000_000
"""Limit of hunks times lines of one file, because each hunk may be searched for in the whole file."""
_ADVICE = "Nothing was changed. Read the file again, and quote its lines exactly."


@dataclass(frozen=True, slots=True)
class Placed:
    """A hunk with the hunk's place."""

    start: int
    """0-based number of the first line that the hunk replaces, or before which the hunk adds lines."""
    size: int
    marked: tuple[tuple[Mark, str], ...]


def placed(path: str, lines: Sequence[str], chunks: Sequence[Chunk]) -> list[Placed]:
    """Return the chunks with their places, in order. Raises EditError for a chunk that has no place, or several."""
    if len(chunks) * len(lines) > _MOST_LOOKED_AT:
        raise EditError(
            f"{path}: {len(chunks)} hunks cannot be placed in {len(lines)} lines in reasonable time. "
            "Nothing was changed. Send fewer hunks at a time, or write the file anew."
        )
    file = Lines(lines)
    found: list[tuple[Placed, _Places]] = []
    cursor = 0
    for chunk in chunks:
        one, places = _earliest(path, file, chunk, cursor)
        found.append((one, places))
        cursor = one.start + one.size
    end = len(lines)
    for chunk, (one, places) in zip(reversed(chunks), reversed(found), strict=True):
        latest = places.last(end)
        if latest is not None and latest > one.start:
            raise EditError(_several(path, chunk, one.start, latest))
        end = one.start
    return [one for one, _ in found]


class _Places(Protocol):
    """The places at which a hunk may stand."""

    def first(self, start: int) -> int | None: ...
    def last(self, end: int) -> int | None: ...


@dataclass(frozen=True, slots=True)
class _Fixed:
    """The one place that the patch names."""

    line: int
    size: int

    def first(self, start: int) -> int | None:
        return self.line if self.line >= start else None

    def last(self, end: int) -> int | None:
        return self.line if self.line + self.size <= end else None


@dataclass(frozen=True, slots=True)
class _Behind:
    """The first place of the quotation behind each place of what stands before."""

    before: _Places
    quotation: Quotation

    def first(self, start: int) -> int | None:
        # What stands before another place in front of `start` leads to the other place.
        other = self.quotation.last_before(start)
        before = self.before.first(0 if other is None else other)
        return None if before is None else self.quotation.first(before + 1)

    def last(self, end: int) -> int | None:
        place = self.quotation.last(end)
        before = None if place is None else self.before.last(place)
        return None if before is None else self.quotation.first(before + 1)


@dataclass(frozen=True, slots=True)
class _NextLine:
    """The line behind each place of a context line."""

    context: _Places

    def first(self, start: int) -> int | None:
        place = self.context.first(max(start - 1, 0))
        return None if place is None else place + 1

    def last(self, end: int) -> int | None:
        place = self.context.last(end)
        return None if place is None else place + 1


def _earliest(path: str, file: Lines, chunk: Chunk, cursor: int) -> tuple[Placed, _Places]:
    """Return the chunk at its earliest place behind the cursor, and all places."""
    marked, old = chunk.lines, chunk.old_lines
    if old:
        block = file.quotation(old, cursor)
        if block is None and marked[-1] == (" ", "") and len(old) > 1:
            # An empty line before the next hunk often only sets the hunk off.
            marked, old = marked[:-1], old[:-1]
            block = file.quotation(old, cursor)
        if block is None:
            raise EditError(_not_found(path, file, chunk, old, cursor))
        places = _of_lines(path, file, chunk, block, cursor)
    else:
        places = _of_additions(path, file, chunk, cursor)
    start = places.first(cursor)
    if start is None:
        raise EditError(_not_found(path, file, chunk, old or list(chunk.contexts[-1:]), cursor))
    return Placed(start, len(old), marked), places


def _of_lines(path: str, file: Lines, chunk: Chunk, block: Quotation, cursor: int) -> _Places:
    """Return the places of a hunk that quotes lines: at the end, at its number, or behind its context or section."""
    end = len(file.lines) - block.size
    if chunk.at_end_of_file and block.stands_at(end):
        return _Fixed(end, block.size)
    # A context line may be quoted again as the hunk's first line.
    repeats = chunk.contexts[-1:] == (chunk.lines[0][1],) and chunk.lines[0][0] != "+"
    context = _context(path, file, chunk, chunk.contexts[:-1] if repeats else chunk.contexts, cursor)
    section = file.quotation([chunk.section]) if chunk.section else None
    if chunk.line is not None and block.stands_at(chunk.line - 1) and _follows(section, chunk.line - 1):
        return _Fixed(chunk.line - 1, block.size)
    if section is not None and (places := _Behind(section, block)).first(cursor) is not None:
        return places
    return block if context is None else _Behind(context, block)


def _of_additions(path: str, file: Lines, chunk: Chunk, cursor: int) -> _Places:
    """Return the places of a hunk that only adds lines: behind its line or its context, or at the end."""
    context = _context(path, file, chunk, chunk.contexts, cursor)
    if chunk.line is not None:
        section = file.quotation([chunk.section]) if chunk.section else None
        if not chunk.is_behind_line or chunk.line > len(file.lines) or not _follows(section, chunk.line):
            raise EditError(
                f"{path}: the numbers of the hunk at line {chunk.patch_line} of the patch do not say where its lines "
                f"go: the file has {counted(len(file.lines), 'line')}, and `@@ -N,0` adds behind line N. Quote the "
                f"line before as context. {_ADVICE}"
            )
        return _Fixed(chunk.line, 0)
    if context is None or chunk.at_end_of_file:
        return _Fixed(len(file.lines), 0)
    return _NextLine(context)


def _follows(section: Quotation | None, line: int) -> bool:
    """Return whether the section begins before the line; a section that is not in the file says nothing."""
    return section is None or section.last(line) is not None


def _context(path: str, file: Lines, chunk: Chunk, contexts: Sequence[str], cursor: int) -> _Places | None:
    """Return the places of the last context line, each behind the context lines before."""
    places: _Places | None = None
    for context in contexts:
        quotation = file.quotation([context], cursor) or file.quotation([context])
        if quotation is None:
            raise EditError(_not_found(path, file, chunk, [context], cursor))
        places = quotation if places is None else _Behind(places, quotation)
    return places


def _several(path: str, chunk: Chunk, first: int, other: int) -> str:
    return (
        f"{path}: the hunk at line {chunk.patch_line} of the patch fits at line {first + 1} of the file, and at line "
        f"{other + 1} too. Nothing was changed. Quote more lines around the place that you mean, or name it by a line "
        "above behind @@."
    )


def _not_found(path: str, file: Lines, chunk: Chunk, quoted_lines: list[str], cursor: int) -> str:
    quoted = "\n".join(quoted_lines[:20]) + ("\n…" if len(quoted_lines) > 20 else "")
    advice = [f"{path}: the lines of the hunk at line {chunk.patch_line} of the patch are not in the file:", quoted]
    quotation = file.quotation(quoted_lines)
    earlier = None if quotation is None else quotation.first(0)
    if earlier is not None and earlier < cursor:
        advice.append(
            f"They stand at line {earlier + 1}, before an earlier hunk's place: put hunks in the file's order."
        )
    else:
        advice.append(describe_nearest(file.lines, quoted_lines, "the patch"))
    advice.append(_ADVICE)
    return "\n".join(advice)
