"""Similarity of two blocks of lines, and the limits for enough similarity."""

from collections.abc import Sequence

BLOCK_FLOOR = 0.65
"""Least similarity of the middle of a block found by its first and last line, also for a single block."""

CONTEXT_FLOOR = 0.5
"""Least similarity where in addition half of the lines are equal."""

CLEARLY_BETTER = 0.15
"""Lead of the best candidate needed to ignore the rest."""


MOST_BLOCKS = 500
"""Most blocks between a quotation's first and last line; with more, the two lines are not used as anchors."""

LARGEST_COMPARISON = 2_000_000_000
"""Most characters times characters compared: less than a tenth of a second, in which nothing else can run."""


def similarity(left: Sequence[str], right: Sequence[str], floor: float) -> float:
    """Return the similarity from 0 to 1: 1 minus the edit distance of the joined lines divided by the longer length; 0
    below the floor.
    """
    # Imported here, as most quotations are exact, and the module takes 3 MB.
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity("\n".join(left), "\n".join(right), score_cutoff=floor)


def longest_span(line_count: int) -> int:
    """Return the most lines of a block for `line_count` quoted lines."""
    return line_count * 3 // 2 + 3
