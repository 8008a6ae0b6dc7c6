"""Texts made so that a search, a comparison or a patch takes for ever: each is done in bounded time, or refused.

The work is counted here; `make bench complexity` has the times.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from corpus_support import corpus
from placet.core.errors import EditError
from placet.text.diff import apply_hunks, make_hunks
from placet.text.locate import replace_text
from placet.text.patch import apply_sections, parse_patch
from work_support import steps
from work_support.hostile import SEARCHES, patch_of_like_lines, twice_changed


def tried(action: Callable[..., object], *arguments: object) -> None:
    with suppress(EditError):
        action(*arguments)


@corpus("name", SEARCHES)
def test_the_work_of_the_search_for_a_quotation_that_nearly_fits_grows_with_the_texts(name: str) -> None:
    few, many = (steps(partial(tried, replace_text, *SEARCHES[name](size), "new")) for size in (1, 4))
    assert many < 6 * few


def test_what_stands_in_too_many_places_is_told_and_may_still_be_replaced_everywhere() -> None:
    text = "ab " * 50_000
    with pytest.raises(EditError, match="is found more than 10000 times"):
        replace_text(text, "ab", "cd")
    assert replace_text(text, "ab", "cd", replace_all=True) == "cd " * 50_000


def test_the_work_for_texts_whose_every_comparison_finds_one_line_grows_with_the_texts() -> None:
    old, new = twice_changed(4)
    hunks = make_hunks(old, new)
    assert apply_hunks(old, hunks, {hunk.id for hunk in hunks}) == new
    few, many = (steps(partial(make_hunks, *twice_changed(size))) for size in (1, 5))
    assert many < 8 * few


def test_the_work_for_a_patch_of_lines_that_are_all_alike_grows_with_the_texts() -> None:
    def work(size: int) -> int:
        text, patch = patch_of_like_lines(size)
        sections = parse_patch(patch)
        return steps(partial(tried, apply_sections, sections, {"f": text}))

    assert work(4) < 6 * work(1)


def test_more_hunks_than_can_be_placed_are_refused() -> None:
    hunks = "".join(f"@@\n-{number}\n+{number}x\n" for number in range(2_000))
    sections = parse_patch(f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch")
    with pytest.raises(EditError, match="2000 hunks cannot be placed"):
        apply_sections(sections, {"f": "a\n" * 100_000})
