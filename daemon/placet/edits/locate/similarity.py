"""How alike two blocks of lines are, and how alike is enough."""

from collections.abc import Sequence

BLOCK_FLOOR = 0.65
"""What the middle of a block found by its first and last line must reach, also when it is the only one."""

CONTEXT_FLOOR = 0.5
"""The same where in addition half of the lines are equal."""

CLEARLY_BETTER = 0.15
"""How far the best candidate must lead for the others not to count."""


MOST_BLOCKS = 500
"""More blocks between a quotation's first and last line than this, and the two are no anchors."""

LARGEST_COMPARISON = 2_000_000_000
"""Characters times characters compared at most: less than a tenth of a second, in which nothing else can run."""


def similarity(left: Sequence[str], right: Sequence[str], floor: float) -> float:
    """From 0 to 1: one less the edit distance of the joined lines by the longer one's length; 0 below the floor."""
    # Imported here, as most quotations are exact, and it takes 3 MB.
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity("\n".join(left), "\n".join(right), score_cutoff=floor)


def longest_span(line_count: int) -> int:
    """The most lines a block may have that stands for `line_count` quoted ones."""
    return line_count * 3 // 2 + 3
