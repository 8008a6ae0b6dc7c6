import subprocess
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.errors import EditError
from placet.text.lines import restore_line_endings, to_lf
from placet.text.patch import PatchedFile, apply_sections, parse_patch, patch_paths, with_paths
from placet.text.patch.search import Lines

SCENARIOS = sorted(path for path in (Path(__file__).parent / "scenarios").iterdir() if path.is_dir())


@corpus("scenario", SCENARIOS)
def test_scenario(scenario: Path) -> None:
    tree = texts_in(scenario / "input")
    patch = (scenario / "patch.txt").read_bytes().decode()
    if (scenario / "error.txt").exists():
        with pytest.raises(EditError) as caught:
            patched(tree, patch)
        assert (scenario / "error.txt").read_text(encoding="utf-8").strip() in str(caught.value)
    else:
        assert patched(tree, patch) == texts_in(scenario / "expected")


def texts_in(directory: Path) -> dict[str, str]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes().decode() for path in files}


def patched(tree: dict[str, str], patch: str) -> dict[str, str]:
    """The tree after the patch, its files applied in the order they are given, line endings restored."""
    sections = parse_patch(patch)
    texts = {path: to_lf(tree[path]) for path in patch_paths(sections) if path in tree}
    result = dict(tree)
    for file in apply_sections(sections, texts):
        base = result.pop(file.path, "")
        assert to_lf(base) == (file.old_text or "")
        if file.kind != "delete":
            target = file.new_path or file.path
            assert target not in result
            result[target] = base if file.new_text is None else restore_line_endings(base, file.new_text)
    return result


def applied(patch: str, **texts: str) -> tuple[PatchedFile, ...]:
    return apply_sections(parse_patch(f"*** Begin Patch\n{patch}*** End Patch"), texts)


def test_each_file_says_what_becomes_of_it() -> None:
    files = applied(
        "*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** Add File: d\n+x\n*** Update File: e\n-1\n+2\n",
        a="A\n",
        c="C\n",
        e="1\n",
    )

    assert files == (
        PatchedFile("rename", "a", "A\n", None, "b"),
        PatchedFile("delete", "c", "C\n", None),
        PatchedFile("create", "d", None, "x\n"),
        PatchedFile("modify", "e", "1\n", "2\n"),
    )


def test_a_rename_that_changes_the_text_holds_it() -> None:
    assert applied("*** Update File: a\n*** Move to: b\n-A\n+B\n", a="A\n") == (
        PatchedFile("rename", "a", "A\n", "B\n", "b"),
    )


def test_a_file_added_and_deleted_again_is_no_change() -> None:
    with pytest.raises(EditError, match="changes nothing"):
        applied("*** Add File: a\n+x\n*** Delete File: a\n")


def test_every_path_is_named_once_with_the_targets_of_moves() -> None:
    sections = parse_patch(
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Update File: b\n-x\n+y\n*** Delete File: c\n"
        "*** End Patch"
    )

    assert patch_paths(sections) == ("a", "b", "c")
    assert patch_paths(with_paths(sections, lambda path: f"/r/{path}")) == ("/r/a", "/r/b", "/r/c")


def test_two_spellings_of_a_path_are_one_file_once_resolved() -> None:
    sections = parse_patch("*** Begin Patch\n*** Update File: ./a\n-1\n+2\n*** Update File: a\n-2\n+3\n*** End Patch")
    resolved = with_paths(sections, lambda path: path.removeprefix("./"))

    assert apply_sections(resolved, {"a": "1\n"}) == (PatchedFile("modify", "a", "1\n", "3\n"),)


def test_a_hunk_that_is_not_found_shows_the_nearest_lines() -> None:
    with pytest.raises(EditError) as caught:
        applied("*** Update File: a\n@@\n one\n-two words\n+2\n", a="zero\none\ntwo  word\nthree\n")

    message = str(caught.value)
    assert "a: the lines of the hunk at line 3 of the patch" in message
    assert "lines 2 to 3" in message
    assert "two··word" in message


@corpus(
    ("lines", "quoted", "start", "places"),
    [
        (["a ", "a"], ["a"], 0, (1, 1)),
        ([" a", "a "], ["a"], 0, (1, 1)),
        (["\u201ca\u201d", ' "a"'], ['"a"'], 0, (1, 1)),
        (["\u201ca\u201d"], ['"a"'], 0, (0, 0)),
        (["a", "b", "a"], ["a"], 0, (0, 2)),
        (["a", "b", "a"], ["a"], 1, (2, 2)),
        (["a", "a", "a"], ["a", "a"], 0, (0, 1)),
        (["a"], ["a", "b"], 0, None),
        (["a"], ["b"], 0, None),
    ],
)
def test_a_stricter_match_further_on_goes_before_a_looser_one(
    lines: list[str], quoted: list[str], start: int, places: tuple[int, int] | None
) -> None:
    quotation = Lines(lines).quotation(quoted, start)
    assert (None if quotation is None else (quotation.first(start), quotation.last(len(lines)))) == places


LINE = st.text(alphabet="ab +-@*", max_size=6)


@given(st.lists(LINE, max_size=8), st.lists(LINE, min_size=1, max_size=8))
def test_an_added_file_holds_the_lines_it_was_given(before: list[str], lines: list[str]) -> None:
    patch = "".join(f"+{line}\n" for line in lines)
    (file,) = applied(f"*** Add File: n\n{patch}", other="\n".join(before))

    assert file.new_text == "".join(f"{line}\n" for line in lines)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=20).filter(any))
def test_lines_marked_in_one_hunk_are_the_text_afterwards(changes: list[int]) -> None:
    """0 keeps a line, 1 replaces it, 2 removes it."""
    marked = "".join(
        (f" line {number}\n", f"-line {number}\n+new {number}\n", f"-line {number}\n")[change]
        for number, change in enumerate(changes)
    )
    after = [("line", "new")[change] + f" {number}\n" for number, change in enumerate(changes) if change < 2]
    (file,) = applied(f"*** Update File: a\n{marked}", a="".join(f"line {n}\n" for n in range(len(changes))))

    assert file.new_text == "".join(after)


@corpus("blanks", ["", " ", "  ", "\t"])
def test_blanks_before_the_headers_of_a_patch_are_taken(blanks: str) -> None:
    patch = """~*** Begin Patch
~*** Update File: a.txt
~*** Move to: c.txt
@@
-one
+two
~*** Add File: b.txt
+new
~*** Delete File: d.txt
~*** End Patch
"""
    files = apply_sections(parse_patch(patch.replace("~", blanks)), {"a.txt": "one\n", "d.txt": ""})
    assert [(file.kind, file.path, file.new_path, file.new_text) for file in files] == [
        ("rename", "a.txt", "c.txt", "two\n"),
        ("create", "b.txt", None, "new\n"),
        ("delete", "d.txt", None, None),
    ]


def test_a_kept_line_that_looks_like_a_header_is_kept() -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n *** Add File: x\n-one\n+two\n*** End Patch\n"
    (file,) = apply_sections(parse_patch(patch), {"a.txt": "*** Add File: x\none\n"})
    assert file.new_text == "*** Add File: x\ntwo\n"


def test_added_lines_that_have_the_files_indentation_keep_it() -> None:
    text = "class A:\n    x = 1\n"
    for added in ("    x = 2", "x = 2"):
        patch = f"*** Begin Patch\n*** Update File: a.py\n-x = 1\n+{added}\n*** End Patch\n"
        (file,) = apply_sections(parse_patch(patch), {"a.py": text})
        assert file.new_text == "class A:\n    x = 2\n"


FEW_LINES = st.lists(st.sampled_from(("a", "b", "def f():")), max_size=9)


@given(FEW_LINES, st.booleans(), FEW_LINES, st.booleans(), st.integers(0, 3))
def test_a_diff_of_git_gives_the_file_that_git_compared(
    old: list[str], old_ends: bool, new: list[str], new_ends: bool, context: int
) -> None:
    before = "\n".join(old) + "\n" * (old_ends and bool(old))
    after = "\n".join(new) + "\n" * (new_ends and bool(new))
    diff = git_diff(before, after, context)
    if before != after:
        (file,) = applied(f"*** Update File: a.py\n{diff}", **{"a.py": before})
        assert file.new_text == after


def git_diff(before: str, after: str, context: int) -> str:
    """The hunks as `git diff` writes them, with numbers, section and the sign of a missing newline."""
    with TemporaryDirectory() as directory:
        for name, text in (("old.py", before), ("new.py", after)):
            (Path(directory) / name).write_text(text)
        words = ("git", "diff", "--no-index", f"-U{context}", "old.py", "new.py")
        output = subprocess.run(words, cwd=directory, stdout=subprocess.PIPE, text=True).stdout
    return output[output.index("@@") :] if "@@" in output else ""


@given(FEW_LINES.filter(bool), st.data())
def test_hunks_without_a_number_are_applied_where_they_fit_in_one_way_alone_and_refused_elsewhere(
    lines: list[str], data: st.DataObject
) -> None:
    ends = sorted(data.draw(st.sets(st.integers(0, len(lines)), min_size=2, max_size=4), label="ends of hunks"))
    hunks = [lines[start:end] for start, end in pairwise(ends)][:: data.draw(st.sampled_from((1, 2)))]
    ways = placements(lines, hunks)
    patch = "".join("@@\n" + "".join(f"-{line}\n+{line} new\n" for line in hunk) for hunk in hunks)
    if len(ways) > 1:
        with pytest.raises(EditError, match=r"fits at line \d+ of the file, and at line \d+ too"):
            applied(f"*** Update File: a\n{patch}", a="".join(f"{line}\n" for line in lines))
        return
    (file,) = applied(f"*** Update File: a\n{patch}", a="".join(f"{line}\n" for line in lines))
    changed = {at for start, hunk in zip(ways[0], hunks, strict=True) for at in range(start, start + len(hunk))}
    assert file.new_text == "".join(f"{line} new\n" if at in changed else f"{line}\n" for at, line in enumerate(lines))


def placements(lines: list[str], hunks: list[list[str]], cursor: int = 0) -> list[list[int]]:
    """Every way to lay the hunks one behind the other."""
    if not hunks:
        return [[]]
    size = len(hunks[0])
    starts = [at for at in range(cursor, len(lines) - size + 1) if lines[at : at + size] == hunks[0]]
    return [[start, *rest] for start in starts for rest in placements(lines, hunks[1:], start + size)]


TWO_FUNCTIONS = "def f():\n    x\n    y\n\ndef g():\n    x\n    y\n"
IN_F, IN_G = TWO_FUNCTIONS.replace("x", "X", 1), "".join(TWO_FUNCTIONS.rpartition("x")[:1]) + "X\n    y\n"
REFUSED = "Nothing was changed"


@corpus(
    ("head", "result"),
    [
        ("@@", REFUSED),
        ("@@ def f():", IN_F),
        ("@@ def g():", IN_G),
        ("@@ def g(): @@", IN_G),
        ("@@ def h():", REFUSED),
        ("@@ -2 +2 @@", IN_F),
        ("@@ -6 +6 @@", IN_G),
        ("@@ -6,1 +6,1", IN_G),
        ("@@ -5 +5 @@", REFUSED),
        ("@@ -99 +99 @@", REFUSED),
        ("@@ -0,0 +1 @@", REFUSED),
        ("@@ -6 +6 @@ def g():", IN_G),
        ("@@ -5 +5 @@ def g():", IN_G),
        # The number says f, the section says g.
        ("@@ -2 +2 @@ def g():", IN_G),
        ("@@ -5 +5 @@ def h():", REFUSED),
        ("@@ -6 +6 @@ def h():", IN_G),
    ],
)
def test_what_a_patch_says_about_a_place_decides_between_equal_places(head: str, result: str) -> None:
    if result == REFUSED:
        with pytest.raises(EditError, match=REFUSED):
            applied(f"*** Update File: a\n{head}\n-    x\n+    X\n", a=TWO_FUNCTIONS)
    else:
        (file,) = applied(f"*** Update File: a\n{head}\n-    x\n+    X\n", a=TWO_FUNCTIONS)
        assert file.new_text == result


@corpus(
    ("head", "line"),
    [
        ("@@ -0,0 +1 @@", 0),
        ("@@ -2,0 +3,1 @@", 2),
        ("@@ -2,0 +3,1 @@ def f():", 2),
        ("@@ -7,0 +8,1 @@", 7),
        ("@@ -2,0 +3,1 @@ def g():", None),
        ("@@ -2,1 +2,2 @@", None),
        ("@@ -8,0 +9,1 @@", None),
        ("@@ def g():", 5),
        ("@@     x", None),
        ("@@ def g():\n@@     x", 6),
        ("@@", 7),
    ],
)
def test_a_hunk_that_only_adds_lines_adds_them_where_the_patch_says(head: str, line: int | None) -> None:
    if line is None:
        with pytest.raises(EditError, match=REFUSED):
            applied(f"*** Update File: a\n{head}\n+new\n", a=TWO_FUNCTIONS)
    else:
        (file,) = applied(f"*** Update File: a\n{head}\n+new\n", a=TWO_FUNCTIONS)
        lines = TWO_FUNCTIONS.splitlines(keepends=True)
        assert file.new_text == "".join([*lines[:line], "new\n", *lines[line:]])


@corpus(
    ("text", "hunk", "result"),
    [
        ("a\nb", "-b\n+c\n", "a\nc"),
        ("a\nb", "-b\n", "a"),
        ("a\nb", " b\n+c\n", "a\nb\nc"),
        ("a\nb", "-b\n\\ No newline at end of file\n+c\n", "a\nc\n"),
        ("a\nb", "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", "a\nc"),
        ("a\nb\n", "-b\n+c\n\\ No newline at end of file\n", "a\nc"),
        ("b\nb\n", "-b\n+c\n\\ No newline at end of file\n", "b\nc"),
        ("a\nb\n", "-a\n+c\n\\ No newline at end of file\n", REFUSED),
    ],
)
def test_the_end_of_a_file_stays_as_it_is_unless_the_patch_says_otherwise(text: str, hunk: str, result: str) -> None:
    if result == REFUSED:
        with pytest.raises(EditError, match=REFUSED):
            applied(f"*** Update File: a\n@@\n{hunk}", a=text)
    else:
        (file,) = applied(f"*** Update File: a\n@@\n{hunk}", a=text)
        assert file.new_text == result


def test_a_context_that_is_repeated_for_each_hunk_of_one_function_is_used() -> None:
    text = "def f():\n    a\n    b\n"
    (file,) = applied("*** Update File: a\n@@ def f():\n-    a\n+    A\n@@ def f():\n-    b\n+    B\n", a=text)
    assert file.new_text == "def f():\n    A\n    B\n"
