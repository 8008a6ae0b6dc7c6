import subprocess
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.core.ports import TextEdit
from placet.text.diff import (
    LONGEST_EXCERPT_LINE,
    MOST_EXCERPT_LINES,
    apply_hunks,
    apply_text_edits,
    count_lines,
    excerpt,
    hunk_edits,
    hunks_and_diff,
    make_hunks,
    text_edits,
    unified_diff,
)
from placet.text.lines import to_lf
from work_support import steps
from work_support.hostile import one_change

RAGGED = st.text(alphabet="ab\r\n\x0c\u2028é😀", max_size=40)
LINES = st.lists(st.sampled_from(["a\n", "b\n", "}\n", "\n", "c\r\n"]), max_size=30).map("".join)
TEXT = RAGGED | LINES


@settings(max_examples=examples(300))
@given(TEXT, TEXT)
def test_all_hunks_give_the_new_text_and_none_the_old(old: str, new: str) -> None:
    hunks = make_hunks(old, new)

    assert apply_hunks(old, hunks, [hunk.id for hunk in hunks]) == new
    assert apply_hunks(old, hunks, []) == old
    assert [hunk.id for hunk in hunks] == list(range(1, len(hunks) + 1))


@settings(max_examples=examples(300))
@given(LINES, LINES)
def test_hunks_and_diff_of_one_comparison_are_as_of_two(old: str, new: str) -> None:
    old, new = to_lf(old), to_lf(new)
    assert hunks_and_diff(old, new, "a/x", "b/x") == (make_hunks(old, new), unified_diff(old, new, "a/x", "b/x"))


@settings(max_examples=examples(300))
@given(TEXT, TEXT)
def test_edits_from_known_hunks_are_those_of_the_texts(old: str, new: str) -> None:
    assert hunk_edits(old, make_hunks(old, new)) == text_edits(old, new)


@given(LINES, LINES)
def test_at_least_one_unchanged_line_lies_between_two_hunks(old: str, new: str) -> None:
    hunks = make_hunks(old, new)

    for before, after in pairwise(hunks):
        assert before.old_start + len(before.old_lines) < after.old_start
        assert before.new_start + len(before.new_lines) < after.new_start


def test_one_unchanged_line_is_enough_to_choose_hunks_apart() -> None:
    old, new = "a\nsame\nb\n", "A\nsame\nB\n"
    hunks = make_hunks(old, new)

    assert len(hunks) == 2
    assert apply_hunks(old, hunks, {2}) == "a\nsame\nB\n"


def test_hunks_hold_their_lines_and_where_they_start() -> None:
    (hunk,) = make_hunks("a\nb\nc", "a\nx\ny\nc")

    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (1, ("b\n",), 1, ("x\n", "y\n"))
    assert count_lines([hunk]) == (2, 1)


def test_lines_that_are_not_unique_still_match() -> None:
    old = "{\n  a\n}\n{\n  a\n}\n{\n  a\n}\n"

    assert [hunk.new_lines for hunk in make_hunks(old, old.replace("{", "["))] == [("[\n",), ("[\n",), ("[\n",)]


def test_anchors_nested_deeper_than_the_library_goes_are_found() -> None:
    def nested(depth: int) -> tuple[list[str], list[str]]:
        if depth == 0:
            return ["x\n"], ["x\n"]
        old, new = nested(depth - 1)
        return [*old, f"{depth}\n", *old, f"y{depth}\n", *old], [*new, f"{depth}\n", *new]

    old, new = ("".join(lines) for lines in nested(10))
    hunks = make_hunks(old, new)

    assert apply_hunks(old, hunks, range(1, len(hunks) + 1)) == new


@settings(max_examples=examples(300))
@given(TEXT, TEXT)
def test_text_edits_turn_the_old_text_into_the_new(old: str, new: str) -> None:
    edits = text_edits(old, new)

    assert apply_text_edits(old, edits) == new
    for before, after in pairwise(edits):
        assert before.end < after.start


@given(TEXT, TEXT)
def test_text_edits_never_split_a_crlf(old: str, new: str) -> None:
    shift = 0
    for edit in text_edits(old, new):
        for at in (edit.start, edit.end):
            assert old[max(at - 1, 0) : at + 1] != "\r\n"
        for at in (edit.start + shift, edit.start + shift + len(edit.text)):
            assert new[max(at - 1, 0) : at + 1] != "\r\n"
        shift += len(edit.text) - (edit.end - edit.start)


@corpus(
    ("old", "new", "edits"),
    [
        ("x = foo(1)\n", "x = bar(1)\n", [TextEdit(4, 7, "bar")]),
        ("foo\nfoo = 1\n", "bar\nbar = 1\n", [TextEdit(0, 3, "bar"), TextEdit(4, 7, "bar")]),
        ("a\nc\n", "a\nb\nc\n", [TextEdit(2, 2, "b\n")]),
        ("a\nb", "a", [TextEdit(1, 3, "")]),
        ("a\n", "a\r\n", [TextEdit(1, 2, "\r\n")]),
        ("\ud83d\ude00", "\ud83d\ude01", [TextEdit(0, 2, "\ud83d\ude01")]),
        ("same", "same", []),
    ],
)
def test_text_edits_touch_only_the_characters_that_changed(old: str, new: str, edits: list[TextEdit]) -> None:
    assert list(text_edits(old, new)) == edits


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        apply_text_edits("abcdef", [TextEdit(0, 3, ""), TextEdit(2, 4, "")])


NAMES = ["plain.py", "with space.py", 'quo"te.py', "tab\there.py", "tür.py"]


@settings(max_examples=examples(25))
@given(old=LINES | st.just("a\nb"), new=LINES | st.just("a\nb\nc"), name=st.sampled_from(NAMES))
def test_a_unified_diff_is_taken_by_git_apply(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str, name: str
) -> None:
    check_with_git(tmp_path_factory.mktemp("tree"), old, new, name)


@corpus(
    ("old", "new"),
    [
        ("", "a"),
        ("a", ""),
        ("a", "a\n"),
        ("a\n", "a"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\rb\n\x0c\u2028\n", "a\rc\n\x0c\u2028x\n"),
        ("".join(f"{n}\n" for n in range(40)), "".join(f"{n + n % 13 // 12}\n" for n in range(40))),
    ],
)
def test_unified_diffs_of_awkward_texts_are_taken_by_git_apply(tmp_path: Path, old: str, new: str) -> None:
    check_with_git(tmp_path, old, new, "file.txt")


def check_with_git(tree: Path, old: str, new: str, name: str) -> None:
    file = tree / name
    if old:
        file.write_bytes(old.encode())
    diff = unified_diff(old, new, f"a/{name}" if old else "/dev/null", f"b/{name}" if new else "/dev/null")
    if diff:
        patch = tree.parent / f"{tree.name}.patch"
        patch.write_bytes(diff.encode())
        command = ["git", "apply", "--whitespace=nowarn", str(patch)]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + diff

    assert (file.read_bytes().decode() if file.exists() else "") == new


def test_a_unified_diff_reads_as_expected() -> None:
    assert unified_diff("a\nb", "a\nc\n", "a/f", "b/f") == (
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
    )
    assert unified_diff("a", "a", "a/f", "b/f") == ""
    assert unified_diff("", "a\n", "/dev/null", "b/two words") == (
        "--- /dev/null\n+++ b/two words\t\n@@ -0,0 +1 @@\n+a\n"
    )


def test_one_changed_line_is_found_in_the_same_few_steps_among_any_number_of_lines() -> None:
    few, many = (steps(partial(make_hunks, *one_change(lines))) for lines in (1_000, 10_000))
    assert many < 1.5 * few < 1_000


def test_an_excerpt_of_a_long_hunk_is_short() -> None:
    [hunk] = make_hunks("", "".join(f"{'x' * 300}{number}\n" for number in range(100)))
    text = excerpt(hunk)
    assert len(text) < (MOST_EXCERPT_LINES + 3) * (LONGEST_EXCERPT_LINE + 20)
    assert f"… and {101 - MOST_EXCERPT_LINES} more lines" in text
