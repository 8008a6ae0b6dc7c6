"""Matching of the equal lines of two texts: patience anchors first, then the longest common subsequence between
anchors.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from patiencediff import unique_lcs

LARGEST_EXACT_PRODUCT = 25_000_000
"""Product of line counts up to which the exact subsequence is computed (a bit each, so about 3 MB)."""
MOST_PASSES = 20
"""Average number of looks at a line for anchors. In some texts every pass finds a single anchor, hence the limit."""


class Block(NamedTuple):
    """Run of equal lines: `old[block.old : block.old + size]` equals `new[block.new : block.new + size]`; size is never
    0.
    """

    old: int
    new: int
    size: int


class Gap(NamedTuple):
    """Lines without a counterpart: `old[old_start:old_end]` was replaced by `new[new_start:new_end]`."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def matching_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Return the matching runs in ascending order, neighbours joined.

    patiencediff's own matcher fails with a panic ten levels deep, so only its anchors are used.
    """
    prefix = _common_prefix(old, new, 0, len(old), 0, len(new))
    suffix = _common_suffix(old, new, prefix, len(old), prefix, len(new))
    old_end, new_end = len(old) - suffix, len(new) - suffix
    blocks = [Block(0, 0, prefix)]
    if prefix < old_end and prefix < new_end:
        inner = _inner_blocks(old[prefix:old_end], new[prefix:new_end])
        blocks += [Block(block.old + prefix, block.new + prefix, block.size) for block in inner]
    blocks.append(Block(old_end, new_end, suffix))
    return _joined(blocks)


def _inner_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    old_set, new_set = set(old), set(new)
    removed = [number for number, line in enumerate(old) if line not in new_set]
    added = [number for number, line in enumerate(new) if line not in old_set]
    if len(old) - len(removed) == len(new) - len(added) and _without(old, removed) == _without(new, added):
        return list(_forced_matches(removed, added, len(old) - len(removed)))
    numbers: dict[str, int] = {}
    old_numbers = [numbers.setdefault(line, len(numbers)) for line in old]
    new_numbers = [numbers.setdefault(line, len(numbers)) for line in new]
    return sorted(_matches(old_numbers, new_numbers))


def _without(lines: Sequence[str], numbers: list[int]) -> list[str]:
    """Return the lines but for the lines of these numbers, which ascend."""
    starts, ends = [0, *(number + 1 for number in numbers)], [*numbers, len(lines)]
    return [line for start, end in zip(starts, ends, strict=True) for line in lines[start:end]]


def _forced_matches(removed: list[int], added: list[int], shared: int) -> Iterator[Block]:
    """Yield the matching runs of two texts that are the same without the removed and the added lines.

    A line that only one text has matches nothing, so every other line matches the line with its number among the
    `shared` lines: most changes are of this kind, and need no search.
    """
    old_cuts = [number - before for before, number in enumerate(removed)]
    new_cuts = [number - before for before, number in enumerate(added)]
    cuts = sorted({0, *old_cuts, *new_cuts, shared})
    for start, end in pairwise(cuts):
        yield Block(start + bisect_right(old_cuts, start), start + bisect_right(new_cuts, start), end - start)


def gaps(old: Sequence[str], new: Sequence[str]) -> Iterator[Gap]:
    """Yield the changed runs between the matching blocks, in ascending order."""
    old_at = new_at = 0
    for block in [*matching_blocks(old, new), Block(len(old), len(new), 0)]:
        if old_at < block.old or new_at < block.new:
            yield Gap(old_at, block.old, new_at, block.new)
        old_at, new_at = block.old + block.size, block.new + block.size


def _matches(old: list[int], new: list[int]) -> Iterator[Block]:
    """Yield the matching runs of two lists of line numbers, in no order."""
    waiting = [Gap(0, len(old), 0, len(new))]
    lines_left = MOST_PASSES * (len(old) + len(new))
    while waiting:
        old_start, old_end, new_start, new_end = waiting.pop()
        prefix = _common_prefix(old, new, old_start, old_end, new_start, new_end)
        yield Block(old_start, new_start, prefix)
        old_start, new_start = old_start + prefix, new_start + prefix
        suffix = _common_suffix(old, new, old_start, old_end, new_start, new_end)
        old_end, new_end = old_end - suffix, new_end - suffix
        yield Block(old_end, new_end, suffix)
        if old_start == old_end or new_start == new_end:
            continue
        lines_left -= old_end - old_start + new_end - new_start
        if lines_left < 0:
            continue  # The rest of the gaps counts as changed.
        anchors = unique_lcs(old[old_start:old_end], new[new_start:new_end])
        if not anchors:
            yield from _exact(old, new, Gap(old_start, old_end, new_start, new_end))
            continue
        old_at, new_at = old_start, new_start
        for old_anchor, new_anchor in anchors:
            old_line, new_line = old_start + old_anchor, new_start + new_anchor
            if old_line < old_at:
                continue  # The line is in the run of an earlier anchor.
            if old_at < old_line and new_at < new_line:
                waiting.append(Gap(old_at, old_line, new_at, new_line))
            run = _common_prefix(old, new, old_line, old_end, new_line, new_end)
            yield Block(old_line, new_line, run)
            old_at, new_at = old_line + run, new_line + run
        waiting.append(Gap(old_at, old_end, new_at, new_end))


def _exact(old: list[int], new: list[int], gap: Gap) -> Iterator[Block]:
    old_part, new_part = old[gap.old_start : gap.old_end], new[gap.new_start : gap.new_end]
    if len(old_part) * len(new_part) > LARGEST_EXACT_PRODUCT or set(old_part).isdisjoint(new_part):
        return
    # Imported here, as few texts come to this line, and the module takes 3 MB.
    from rapidfuzz.distance import LCSseq

    for code in LCSseq.opcodes(old_part, new_part):
        if code.tag == "equal":
            yield Block(gap.old_start + code.src_start, gap.new_start + code.dest_start, code.src_end - code.src_start)


def _joined(blocks: list[Block]) -> list[Block]:
    joined: list[Block] = []
    for block in blocks:
        if not block.size:
            continue
        last = joined[-1] if joined else None
        if last and last.old + last.size == block.old and last.new + last.size == block.new:
            joined[-1] = Block(last.old, last.new, last.size + block.size)
        else:
            joined.append(block)
    return joined


def _common_prefix(
    old: Sequence[object], new: Sequence[object], old_start: int, old_end: int, new_start: int, new_end: int
) -> int:
    length = min(old_end - old_start, new_end - new_start)
    size = 0
    while size < length and old[old_start + size] == new[new_start + size]:
        size += 1
    return size


def _common_suffix(
    old: Sequence[object], new: Sequence[object], old_start: int, old_end: int, new_start: int, new_end: int
) -> int:
    length = min(old_end - old_start, new_end - new_start)
    size = 0
    while size < length and old[old_end - 1 - size] == new[new_end - 1 - size]:
        size += 1
    return size
