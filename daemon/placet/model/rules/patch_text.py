"""Changes as `apply_patch` sections, with a few lines of context and the number of the first line."""

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

    `unseen` are lines which are not known in full, and so cannot stand as context; no change touches an unseen line.
    Each chunk names the number of its first line, as the lines may stand in the file more than once.
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
        chunk = list(_chunk(lines, group, start, end))
        chunks += [_header(start, chunk), *chunk]
        cursor = end
    return "\n".join([f"*** Update File: {path}", *chunks])


def _header(start: int, chunk: Sequence[str]) -> str:
    """Return the header of a unified diff; a chunk without old lines names the line before."""
    old = sum(not line.startswith("+") for line in chunk)
    new = sum(not line.startswith("-") for line in chunk)
    return f"@@ -{start + (1 if old else 0)},{old} +{start + (1 if new else 0)},{new} @@"


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


def _chunk(lines: Sequence[str], group: Sequence[LineChange], start: int, end: int) -> Iterable[str]:
    at = start
    for change in group:
        yield from (f" {line}" for line in lines[at : change.start])
        yield from (f"-{line}" for line in lines[change.start : change.end])
        yield from (f"+{line}" for line in change.new)
        at = change.end
    yield from (f" {line}" for line in lines[at:end])
