"""The three-way merge: the user's changes since the text was read, and the agent's proposal, in one text."""

from collections.abc import Sequence
from dataclasses import dataclass

from merge3 import Merge3

from placet.core.errors import EditConflict
from placet.text.line_matching import matching_blocks
from placet.text.lines import split_lines, without_end

_MOST_LINES_SHOWN = 8


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
        return "\n".join(("The same lines were edited since, so the file was left as it is.", *shown))


def merge(base: str, theirs: str, ours: str) -> str:
    """Return `theirs` (the current text) with the changes of `ours` (the proposal) to `base` (the text read).

    Raises MergeConflict where both changed the same or adjacent lines differently; nothing is ever marked up.
    """
    regions = Merge3(split_lines(base), split_lines(theirs), split_lines(ours), sequence_matcher=_Matcher)
    merged: list[str] = []
    conflicts: list[ConflictRegion] = []
    for region in regions.merge_regions():
        match region:
            case ("unchanged", start, end):
                merged += regions.base[start:end]
            case ("same" | "a", start, end):
                merged += regions.a[start:end]
            case ("b", start, end):
                merged += regions.b[start:end]
            case (_, base_start, base_end, theirs_start, theirs_end, ours_start, ours_end):
                conflicts.append(
                    ConflictRegion(
                        base_start,
                        tuple(regions.base[base_start:base_end]),
                        theirs_start,
                        tuple(regions.a[theirs_start:theirs_end]),
                        tuple(regions.b[ours_start:ours_end]),
                    )
                )
    if conflicts:
        raise MergeConflict(conflicts)
    return "".join(merged)


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
    shown = [f"  {mark} {without_end(line)}" for line in lines[:_MOST_LINES_SHOWN]]
    if len(lines) > _MOST_LINES_SHOWN:
        shown.append(f"  {mark} … {len(lines) - _MOST_LINES_SHOWN} more lines")
    return "\n".join(shown)
