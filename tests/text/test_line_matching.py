from hypothesis import given
from hypothesis import strategies as st

from placet.text.line_matching import gaps, matching_blocks

SHARED = st.lists(st.sampled_from(["a\n", "b\n", "}\n"]), max_size=12)
EDITS = st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=6)


@given(SHARED, EDITS, EDITS)
def test_lines_of_one_text_alone_leave_every_other_line_matched(
    shared: list[str], removed: list[tuple[int, bool]], added: list[tuple[int, bool]]
) -> None:
    old, new = _with_own_lines(shared, removed, "old"), _with_own_lines(shared, added, "new")
    blocks = matching_blocks(old, new)
    assert [line for block in blocks for line in old[block.old : block.old + block.size]] == shared
    assert [line for block in blocks for line in new[block.new : block.new + block.size]] == shared
    assert [line for gap in gaps(old, new) for line in old[gap.old_start : gap.old_end]] == _own(old, "old")
    assert [line for gap in gaps(old, new) for line in new[gap.new_start : gap.new_end]] == _own(new, "new")


def test_a_moved_line_matches_in_one_place() -> None:
    assert [tuple(block) for block in matching_blocks(["a", "b", "c"], ["b", "c", "a"])] == [(1, 0, 2)]


def _with_own_lines(shared: list[str], edits: list[tuple[int, bool]], name: str) -> list[str]:
    """Return the shared lines with lines of the text's own; some of them stand twice."""
    lines = list(shared)
    for number, (at, is_twice) in enumerate(edits):
        lines[at % (len(lines) + 1) : 0] = [f"{name} {number}\n"] * (2 if is_twice else 1)
    return lines


def _own(lines: list[str], name: str) -> list[str]:
    return [line for line in lines if line.startswith(name)]
