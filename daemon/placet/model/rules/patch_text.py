"""Changes as `apply_patch` sections, with enough context lines to fit at the right place, and only at this place."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class LineChange:
    """Change of the lines `start` to `start + old_count` (0-based) to `new`."""

    start: int
    old_count: int
    new: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.start + self.old_count


def patch(sections: Iterable[str]) -> str:
    """Return the whole patch text from its sections."""
    return "\n".join(["*** Begin Patch", *sections, "*** End Patch"])


def update_section(path: str, lines: Sequence[str], changes: Sequence[LineChange], unseen: Collection[int] = ()) -> str:
    """Return the section which applies `changes` (ascending, apart) to a file of `lines`.

    `unseen` are lines which are not known in full, and so cannot stand as context; no change touches an unseen line. A
    patch is applied from top to bottom, each chunk at the first fitting place after the last chunk; leading context
    grows until the first fitting place is the right place.
    """
    chunks: list[str] = []
    cursor = 0
    for group in _groups(changes, sorted(unseen)):
        floor = max([cursor, *(line + 1 for line in unseen if line < group[0].start)])
        ceiling = min([len(lines), *(line for line in unseen if line >= group[-1].end)])
        start = max(floor, group[0].start - CONTEXT_LINES)
        end = min(ceiling, group[-1].end + CONTEXT_LINES)
        while end > group[-1].end and not lines[end - 1].strip():
            end -= 1  # A blank line at a chunk's end does not count: the line may as well part the sections.
        while start > floor and _first_fit(lines, lines[start:end], cursor) != start:
            start -= 1
        chunks += ["@@", *_chunk(lines, group, start, end)]
        cursor = end
    return "\n".join([f"*** Update File: {path}", *chunks])


def _groups(changes: Sequence[LineChange], unseen: Sequence[int]) -> list[list[LineChange]]:
    """Group the changes which share a chunk: near enough for their contexts to touch, with no unseen line between."""
    groups: list[list[LineChange]] = []
    for change in changes:
        end = groups[-1][-1].end if groups else -1
        near = groups and change.start - end <= 2 * CONTEXT_LINES
        if near and not any(end <= line < change.start for line in unseen):
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _first_fit(lines: Sequence[str], block: Sequence[str], cursor: int) -> int:
    for start in range(cursor, len(lines) - len(block) + 1):
        if lines[start] == block[0] and lines[start : start + len(block)] == block:
            return start
    return -1


def _chunk(lines: Sequence[str], group: Sequence[LineChange], start: int, end: int) -> Iterable[str]:
    at = start
    for change in group:
        yield from (f" {line}" for line in lines[at : change.start])
        yield from (f"-{line}" for line in lines[change.start : change.end])
        yield from (f"+{line}" for line in change.new)
        at = change.end
    yield from (f" {line}" for line in lines[at:end])
