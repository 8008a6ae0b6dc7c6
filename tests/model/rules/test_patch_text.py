"""Patches as they are written for apply_patch, applied by what applies them."""

from hypothesis import given
from hypothesis import strategies as st

from placet.model.rules.patch_text import LineChange, patch, update_section
from placet.text.patch import apply_sections, parse_patch

# Few different lines, so that every context occurs in many places.
LINES = st.lists(st.sampled_from(["", "x", "y", "    x", "*** End Patch", "@@", "+x"]), min_size=1, max_size=40)


def applied(lines: list[str], changes: list[LineChange], unseen: frozenset[int] = frozenset()) -> list[str]:
    text = patch([update_section("a.txt", lines, changes, unseen)])
    [file] = apply_sections(parse_patch(text), {"a.txt": "".join(f"{line}\n" for line in lines)})
    assert file.new_text is not None
    return file.new_text.removesuffix("\n").split("\n") if file.new_text else []


def changed(lines: list[str], changes: list[LineChange]) -> list[str]:
    result = list(lines)
    for change in reversed(changes):
        result[change.start : change.end] = change.new
    return result


@given(LINES, st.data())
def test_a_patch_lands_where_it_was_meant_however_alike_the_lines_are(lines: list[str], data: st.DataObject) -> None:
    places = data.draw(st.sets(st.integers(0, len(lines) - 1), min_size=1), label="places")
    changes = [LineChange(place, 1, (f"new {place}",)) for place in sorted(places)]
    assert applied(lines, changes) == changed(lines, changes)


@given(LINES, st.data())
def test_lines_that_were_not_seen_are_never_context(lines: list[str], data: st.DataObject) -> None:
    unseen = data.draw(st.sets(st.integers(0, len(lines) - 1)), label="unseen")
    places = sorted(set(range(len(lines))) - unseen)[::3]
    shown = ["cut" if index in unseen else line for index, line in enumerate(lines)]
    changes = [LineChange(place, 1, (f"new {place}",)) for place in places]
    text = update_section("a.txt", shown, changes, frozenset(unseen))
    assert " cut" not in text.split("\n")


def test_each_chunk_lands_among_equal_lines_by_its_number() -> None:
    lines = ["first", *["x"] * 40, "y", *["x"] * 40]
    changes = [LineChange(30, 1, ("here",)), LineChange(70, 1, ("and here",))]
    assert applied(lines, changes) == changed(lines, changes)


def test_lines_can_be_removed_and_added() -> None:
    lines = ["import a", "import b", "", "a()", "c()"]
    changes = [LineChange(1, 1, ()), LineChange(4, 1, ("c(1)", "d()"))]
    assert applied(lines, changes) == ["import a", "", "a()", "c(1)", "d()"]


def test_changes_far_apart_are_chunks_of_their_own() -> None:
    lines = [str(number) for number in range(30)]
    text = update_section("a.txt", lines, [LineChange(2, 1, ("two",)), LineChange(20, 1, ("twenty",))])
    assert text.count("\n@@ ") == 2
    assert " 10" not in text.split("\n")
