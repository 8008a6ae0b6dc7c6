"""The three-way merge: the user's changes since the text was read, and the agent's proposal, in one text."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from merge3 import Merge3

from placet.core.errors import EditConflict
from placet.core.hunks import Hunk
from placet.core.values import replace
from placet.text.counted import first_lines
from placet.text.line_matching import Gap, gaps, matching_blocks
from placet.text.lines import split_lines, without_end

_MOST_LINES_SHOWN = 8
THEIRS_MARK = "<<<<<<< the file now"
BASE_MARK = "||||||| before both changes"
MIDDLE_MARK = "======="
OURS_MARK = ">>>>>>> the proposed change"


@dataclass(frozen=True, slots=True)
class ConflictRegion:
    """Lines changed by both sides in different ways. Starts are 0-based line numbers."""

    base_start: int
    base: tuple[str, ...]
    theirs_start: int
    theirs: tuple[str, ...]
    ours: tuple[str, ...]


class MergeConflict(EditConflict):
    """Error: the user and the proposal changed the same or neighbouring lines."""

    def __init__(self, regions: Sequence[ConflictRegion]) -> None:
        self.regions = tuple(regions)
        shown = "\n".join(_describe(region) for region in self.regions)
        super().__init__(
            "The user changed the same lines since you read the file, and nothing was written.\n"
            f"{shown}\nRead the file again, and make the edit on the text as it is now."
        )

    @property
    def of_undo(self) -> str:
        """Return the conflict of an undo, for the user: the undo was to restore the earlier lines."""
        shown = (f"{_user_side(region)}\nBefore the change there was:\n{_own_side(region)}" for region in self.regions)
        return "\n".join(("The same lines were edited since, so the file stays as it is.", *shown))


def merge(base: str, theirs: str, ours: str) -> str:
    """Return `theirs` (the current text) with the changes of `ours` (the proposal) to `base` (the text read).

    Raises MergeConflict where both changed the same or adjacent lines differently; nothing is ever marked up.
    """
    conflicts: list[ConflictRegion] = []

    def note(region: ConflictRegion) -> Sequence[str]:
        conflicts.append(region)
        return ()

    merged = _merged(split_lines(base), split_lines(theirs), split_lines(ours), note)
    if conflicts:
        raise MergeConflict(conflicts)
    return merged


def merge_own(base: str, theirs: str, ours: str) -> str:
    """Return `theirs` with the changes of `ours` to `base`, neighbouring lines included: both sides are the agent's.

    Raises MergeConflict where both changed the same lines differently, or added lines at the same place.
    """
    current = split_lines(theirs)
    merged, at = list[str](), 0
    for region in _changed_by_ours(split_lines(base), current, split_lines(ours)):
        if region.base != region.theirs:
            raise MergeConflict([region])
        merged += [*current[at : region.theirs_start], *region.ours]
        at = region.theirs_start + len(region.theirs)
    return "".join([*merged, *current[at:]])


def merge_hunks(base: str, theirs: str, ours: str) -> tuple[Hunk, ...]:
    """Return the changes of `ours` (the proposal) to `base` as hunks on `theirs` (the current text), neighbouring lines
    included; a hunk is in conflict where both changed the same lines differently, or added lines at the same place.

    For a proposal that the user reviews before it is written. Ids count from 1; no two hunks touch.
    """
    joined: list[ConflictRegion] = []
    for region in _changed_by_ours(split_lines(base), split_lines(theirs), split_lines(ours)):
        last = joined[-1] if joined else None
        if last is not None and last.theirs_start + len(last.theirs) == region.theirs_start:
            joined[-1] = replace(
                last,
                base=last.base + region.base,
                theirs=last.theirs + region.theirs,
                ours=last.ours + region.ours,
            )
        else:
            joined.append(region)
    hunks, growth = list[Hunk](), 0
    for number, region in enumerate(joined, start=1):
        base_lines = None if region.base == region.theirs else region.base
        start = region.theirs_start
        hunks.append(Hunk(number, start, region.theirs, start + growth, region.ours, base_lines))
        growth += len(region.ours) - len(region.theirs)
    return tuple(hunks)


def _changed_by_ours(base: Sequence[str], theirs: Sequence[str], ours: Sequence[str]) -> Iterator[ConflictRegion]:
    """Yield the lines that `ours` changes, in ascending order, without changes that `theirs` has too.

    The lines of a region that `theirs` has not changed are the same in `base` and `theirs`.
    """
    changes = deque(sorted([*((gap, 0) for gap in gaps(base, theirs)), *((gap, 1) for gap in gaps(base, ours))]))
    at = [0, 0]  # Number of lines by which each side has grown before the region.
    while changes:
        start, end = changes[0][0].old_start, changes[0][0].old_end
        grown = list(at)
        while changes and _meets(changes[0][0], start, end):
            gap, side = changes.popleft()
            end = max(end, gap.old_end)
            grown[side] += (gap.new_end - gap.new_start) - (gap.old_end - gap.old_start)
        old = tuple(base[start:end])
        first, second = (
            tuple(lines[start + at[side] : end + grown[side]]) for side, lines in enumerate((theirs, ours))
        )
        if second not in (old, first):
            yield ConflictRegion(start, old, start + at[0], first, second)
        at = grown


def _meets(gap: Gap, start: int, end: int) -> bool:
    """Return whether a change has lines of the region, or adds lines where the region does; no change begins before
    the region.
    """
    return gap.old_start < end or gap.old_start == gap.old_end == start


def merge_both(base: str, theirs: str, ours: str) -> str:
    """Return the text with the changes of both sides; where both changed the same lines, the new lines of both.

    For two texts of the user, of which no word may be lost. The new lines of `theirs` come first. Line ends are LF.
    """
    old, first, second = (
        split_lines(f"{text}\n" if without_end(text) == text != "" else text) for text in (base, theirs, ours)
    )
    text = _merged(old, first, second, _of_both)
    last = ours if theirs.endswith("\n") == base.endswith("\n") else theirs
    return text if last.endswith("\n") or not last else text.removesuffix("\n")


def marked_lines(theirs: Sequence[str], base: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Return the lines of both sides and the lines before, between conflict markers."""
    sides = ((THEIRS_MARK, theirs), (BASE_MARK, base), (MIDDLE_MARK, ours))
    lines = [line for mark, own in sides for line in (f"{mark}\n", *own)]
    return [*(f"{without_end(line)}\n" for line in lines), f"{OURS_MARK}\n"]


def has_marks(text: str) -> bool:
    """Return whether any line of the text is a conflict marker of `marked_lines`."""
    return any(without_end(line) in (THEIRS_MARK, BASE_MARK, OURS_MARK) for line in split_lines(text))


def _merged(
    base: Sequence[str],
    theirs: Sequence[str],
    ours: Sequence[str],
    settle: Callable[[ConflictRegion], Iterable[str]],
) -> str:
    """Return the text with the changes of both sides; `settle` returns the lines where both changed the same lines."""
    regions = Merge3(base, theirs, ours, sequence_matcher=_Matcher)
    merged: list[str] = []
    for region in regions.merge_regions():
        match region:
            case ("unchanged", start, end):
                merged += regions.base[start:end]
            case ("same" | "a", start, end):
                merged += regions.a[start:end]
            case ("b", start, end):
                merged += regions.b[start:end]
            case (_, base_start, base_end, theirs_start, theirs_end, ours_start, ours_end):
                merged += settle(
                    ConflictRegion(
                        base_start,
                        tuple(regions.base[base_start:base_end]),
                        theirs_start,
                        tuple(regions.a[theirs_start:theirs_end]),
                        tuple(regions.b[ours_start:ours_end]),
                    )
                )
    return "".join(merged)


def _of_both(region: ConflictRegion) -> list[str]:
    """Return the new lines of both sides, and the old lines that neither side has removed."""
    theirs_old, ours_old = _old_lines(region.base, region.theirs), _old_lines(region.base, region.ours)
    kept = set(theirs_old.values())
    new = [line for place, line in enumerate(region.theirs) if place not in theirs_old]
    rest = (
        line
        for place, line in enumerate(region.ours)
        if (ours_old[place] in kept if place in ours_old else line not in new)
    )
    return [*new, *rest]


def _old_lines(base: Sequence[str], lines: Sequence[str]) -> dict[int, int]:
    """Return the place in `base` of each unchanged line, by the line's place in `lines`."""
    blocks = matching_blocks(base, lines)
    return {there + step: here + step for here, there, length in blocks for step in range(length)}


class _Matcher:
    """Matcher for merge3, with our matching: difflib's own matcher takes quadratic time on long texts.

    The parameters' names are merge3's; merge3 passes the first three and gives the first no meaning.
    """

    def __init__(
        self, isjunk: object = None, a: Sequence[str] = (), b: Sequence[str] = (), autojunk: bool = True
    ) -> None:
        del isjunk, autojunk
        self._blocks = matching_blocks(a, b)
        self._end = (len(a), len(b), 0)

    def get_matching_blocks(self) -> list[tuple[int, int, int]]:
        return [*self._blocks, self._end]


def _describe(region: ConflictRegion) -> str:
    return f"{_user_side(region)}\nThe proposal wanted there:\n{_own_side(region)}"


def _user_side(region: ConflictRegion) -> str:
    first, last = region.theirs_start + 1, region.theirs_start + len(region.theirs)
    lines = f"Line {first} was" if first == last else f"Lines {first} to {last} were"
    if not region.theirs:
        return f"Before line {first} the user removed:\n{_quoted('-', region.base)}"
    if not region.base:
        return f"{lines} added by the user:\n{_quoted('+', region.theirs)}"
    return f"{lines} changed by the user:\n{_quoted('-', region.base)}\n{_quoted('+', region.theirs)}"


def _own_side(region: ConflictRegion) -> str:
    return _quoted("+", region.ours) if region.ours else "  (nothing)"


def _quoted(mark: str, lines: Sequence[str]) -> str:
    return "\n".join(f"  {mark} {without_end(line)}" for line in first_lines(lines, _MOST_LINES_SHOWN))
