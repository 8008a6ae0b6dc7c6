"""Texts made so that a search, a comparison or a patch takes for ever: each is done in bounded time, or refused."""

from contextlib import suppress

import pytest

from corpus_support import corpus
from placet.core.errors import EditError
from placet.text.diff import apply_hunks, make_hunks
from placet.text.locate import replace_text
from placet.text.patch import apply_sections, parse_patch
from time_support import cpu_seconds, yardstick_seconds

MOST_YARDSTICKS = 1000
"""About a second on a machine on which each of these took between five seconds and hours."""

SEARCHES = {
    "one letter": ("a" * 2_000_000, "a" * 100_000),
    "one letter, and another at the end": ("a" * 2_000_000, "a" * 100_000 + "b"),
    "one letter, and another at the start": ("a" * 2_000_000, "b" + "a" * 100_000),
    "all but the second letter": ("ac" + "a" * 2_000_000, "ac" + "a" * 100_000),
    "few words in one line": ("alpha beta gamma " * 30_000, "beta alpha gamma " * 3_000),
    "blanks of another width": ("a " * 250_000, "a  " * 12_500 + "b"),
    "equal lines": ("a\n" * 50_000, " a\n" * 3_000 + "b"),
    "a first line that stands everywhere": ("a\n" * 50_000, "a\n" + "b\n" * 3_000 + "c"),
    "equal lines with escapes": ("a\\tb\n" * 50_000, "a\tb\n" * 3_000 + "q"),
    "long lines that resemble": (("abcdefgh" * 40 + "\n") * 20_000, "hgfedcba" * 40),
}


@corpus("name", SEARCHES)
def test_a_quotation_that_fits_nearly_everywhere_is_looked_for_in_bounded_time(name: str) -> None:
    content, old = SEARCHES[name]

    def search() -> None:
        with suppress(EditError):
            replace_text(content, old, "new")

    assert cpu_seconds(search) < MOST_YARDSTICKS * yardstick_seconds()


def test_what_stands_in_too_many_places_is_told_and_may_still_be_replaced_everywhere() -> None:
    text = "ab " * 50_000
    with pytest.raises(EditError, match="is found more than 10000 times"):
        replace_text(text, "ab", "cd")
    assert replace_text(text, "ab", "cd", replace_all=True) == "cd " * 50_000


def test_texts_whose_every_comparison_finds_one_line_are_compared_in_bounded_time() -> None:
    pairs = [name for number in range(6_000) for name in (f"x{number + 1}\n", f"x{number}\n")]
    old = "".join(["A\n", "x0\n", *pairs, "B\n"])
    new = "".join(["C\n", *(line for number, name in enumerate(["x0\n", *pairs]) for line in (name, f"n{number}\n"))])
    hunks = make_hunks(old, new)
    assert apply_hunks(old, hunks, {hunk.id for hunk in hunks}) == new
    assert cpu_seconds(lambda: make_hunks(old, new)) < MOST_YARDSTICKS * yardstick_seconds()


def test_a_patch_of_lines_that_are_all_alike_is_placed_in_bounded_time() -> None:
    lines = " a\n" * 5_000
    sections = parse_patch(f"*** Begin Patch\n*** Update File: f\n@@\n{lines}-b\n+c\n*** End Patch")

    def apply() -> None:
        with suppress(EditError):
            apply_sections(sections, {"f": "a\n" * 100_000})

    assert cpu_seconds(apply) < MOST_YARDSTICKS * yardstick_seconds()


def test_more_hunks_than_can_be_placed_are_refused() -> None:
    hunks = "".join(f"@@\n-{number}\n+{number}x\n" for number in range(2_000))
    sections = parse_patch(f"*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch")
    with pytest.raises(EditError, match="2000 hunks cannot be placed"):
        apply_sections(sections, {"f": "a\n" * 100_000})
