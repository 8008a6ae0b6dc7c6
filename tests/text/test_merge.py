import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.core.errors import EditConflict
from placet.text.lines import to_lf
from placet.text.merge import MergeConflict, has_marks, marked_lines, merge, merge_both, merge_own

LINES = st.lists(st.sampled_from(["a\n", "b\n", "}\n", "\n", "c\r\n", "d\n"]), max_size=20).map("".join)
MARKED = json.loads((Path(__file__).parents[1] / "wire" / "conflict_markers.json").read_text("utf-8"))
"""Hunks in conflict, each with its text between markers, which all clients write alike (clients/vscode/test/change_set,
clients/neovim/spec/conflicts_spec.lua).
"""
TEXT = LINES | st.builds(str.__add__, LINES, st.sampled_from(["", "end", "\r"]))


@settings(max_examples=examples(100))
@given(TEXT, TEXT)
def test_a_proposal_on_an_unchanged_text_is_the_proposal(base: str, ours: str) -> None:
    assert merge(base, base, ours) == ours


@settings(max_examples=examples(100))
@given(TEXT, TEXT)
def test_no_proposal_leaves_the_text_as_it_is_now(base: str, theirs: str) -> None:
    assert merge(base, theirs, base) == theirs


@settings(max_examples=examples(100))
@given(TEXT, TEXT)
def test_the_same_change_on_both_sides_is_made_once(base: str, both: str) -> None:
    assert merge(base, both, both) == both


CHANGES = st.lists(st.sampled_from(["keep", "theirs", "ours"]), min_size=1, max_size=12)
HOW = st.sampled_from(["replace", "delete", "insert"])


@settings(max_examples=examples(100))
@given(CHANGES, st.data())
def test_changes_apart_from_each_other_are_all_there(owners: list[str], data: st.DataObject) -> None:
    """Every other line is an unchanged, unique one; each line between belongs to one side."""
    texts: dict[str, list[str]] = {"base": [], "theirs": [], "ours": [], "both": []}
    for number, owner in enumerate(owners):
        how = data.draw(HOW)
        changed = {"replace": [f"{owner} {number}\n"], "delete": [], "insert": [f"{owner}\n", f"line {number}\n"]}[how]
        for name, lines in texts.items():
            lines.append(f"fixed {number}\n")
            lines.extend(changed if owner != "keep" and name in (owner, "both") else [f"line {number}\n"])
    base, theirs, ours, both = ("".join(lines) for lines in texts.values())

    assert merge(base, theirs, ours) == both


def test_a_conflict_shows_what_the_user_did_and_what_to_do() -> None:
    with pytest.raises(EditConflict) as caught:
        merge("a\nb\nc\n", "a\nuser\nc\n", "a\nagent\nc\n")

    message = str(caught.value)
    assert "Line 2 was changed by the user" in message
    assert "+ user" in message
    assert "+ agent" in message
    assert "Read the file again" in message


def test_a_conflict_names_its_regions() -> None:
    with pytest.raises(MergeConflict) as caught:
        merge("a\nb\nc\nd\n", "1\na\nuser\nc\nd\n", "a\nagent\nc\nd\n")

    (region,) = caught.value.regions
    assert (region.base_start, region.base, region.theirs_start) == (1, ("b\n",), 2)
    assert (region.theirs, region.ours) == (("user\n",), ("agent\n",))


def test_two_different_additions_at_one_place_conflict() -> None:
    with pytest.raises(MergeConflict):
        merge("a\nz\n", "a\ntheirs\nz\n", "a\nours\nz\n")


LF_TEXT = TEXT.map(to_lf)


def words(text: str) -> set[str]:
    return set(text.split("\n"))


@settings(max_examples=examples(100))
@given(LF_TEXT, LF_TEXT, LF_TEXT)
def test_a_merge_of_both_sides_has_every_new_line_of_both_and_no_other(base: str, theirs: str, ours: str) -> None:
    merged = words(merge_both(base, theirs, ours)) | {""}
    assert words(theirs) - words(base) <= merged
    assert words(ours) - words(base) <= merged
    assert merged <= words(base) | words(theirs) | words(ours) | {""}


@settings(max_examples=examples(100))
@given(LF_TEXT, LF_TEXT)
def test_a_merge_of_both_sides_with_an_unchanged_side_is_the_other_side(base: str, theirs: str) -> None:
    assert merge_both(base, theirs, base).removesuffix("\n") == theirs.removesuffix("\n")
    assert merge_both(base, base, theirs).removesuffix("\n") == theirs.removesuffix("\n")


def test_lines_typed_at_the_same_place_are_all_kept_and_removed_lines_stay_removed() -> None:
    assert merge_both("a\nb\n", "a\nuser 2\nagent\nb\n", "a\nuser 1\nb\n") == "a\nuser 2\nagent\nuser 1\nb\n"
    assert merge_both("a\nagent\nb\n", "a\nuser 2\nagent\nb\n", "a\nuser 1\nb\n") == "a\nuser 2\nuser 1\nb\n"
    assert merge_both("a\nb", "a\nb\nuser 2", "a\nb\nuser 1") == "a\nb\nuser 2\nuser 1"


def test_a_merge_of_both_sides_keeps_a_new_line_that_repeats_an_old_line() -> None:
    assert merge_both("a\n}\nb\n", "a\n{\n}\n}\nb\n", "a\nmine\nb\n") == "a\n{\n}\nmine\nb\n"


@settings(max_examples=examples(100))
@given(TEXT, TEXT, TEXT)
def test_what_is_merged_with_the_users_changes_is_merged_alike_with_own_changes(
    base: str, theirs: str, ours: str
) -> None:
    try:
        merged = merge(base, theirs, ours)
    except MergeConflict:
        return
    with suppress(MergeConflict):  # Our own changes are compared line by line, and may meet at one place.
        assert merge_own(base, theirs, ours) == merged


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(["keep", "theirs", "ours"]), min_size=1, max_size=12))
def test_own_changes_of_neighbouring_lines_are_all_there(owners: list[str]) -> None:
    lines = [f"line {number}\n" for number in range(len(owners))]

    def changed(*by: str) -> str:
        return "".join(f"new {line}" if owner in by else line for owner, line in zip(owners, lines, strict=True))

    base, theirs, ours = "".join(lines), changed("theirs"), changed("ours")
    assert merge_own(base, theirs, ours) == changed("theirs", "ours")


@corpus(
    ("theirs", "ours"),
    [("a\nX\nc\n", "a\nY\nc\n"), ("a\nc\n", "a\nY\nc\n"), ("a\nX\nb\nc\n", "a\nY\nb\nc\n"), ("", "a\nY\nc\n")],
)
def test_own_changes_of_the_same_lines_are_a_conflict(theirs: str, ours: str) -> None:
    with pytest.raises(MergeConflict):
        merge_own("a\nb\nc\n", theirs, ours)


@corpus("example", MARKED)
def test_a_hunk_in_conflict_has_the_conflict_markers_that_all_clients_write(example: dict[str, Any]) -> None:
    hunk = example["hunk"]

    marked = "".join(marked_lines(hunk["oldLines"], hunk["baseLines"], hunk["newLines"]))

    assert marked == example["marked"], example["name"]
    assert has_marks(marked)
