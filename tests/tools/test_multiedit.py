from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changes_support.answers import answering
from corpus_support import examples
from placet.core.errors import EditConflict, EditError, InvalidArguments
from placet.tools.multiedit import TOOL
from placet.tools.read import TOOL as READ
from tools_support.workbench import Workbench, open_workbench


def edit(old: str, new: str, **more: bool) -> dict[str, str | bool]:
    return {"oldString": old, "newString": new, **more}


async def test_edits_are_made_one_on_the_other_with_one_question(bench: Workbench) -> None:
    path = bench.write("a.py", "one\ntwo\none\n")
    await bench.run(READ, filePath="a.py")
    edits = [edit("one", "1", replaceAll=True), edit("1\ntwo", "1\n2"), edit("2\n1", "3")]
    result = await bench.run(TOOL, filePath="a.py", edits=edits)
    assert path.read_text() == "1\n3\n"
    assert bench.user.asked == [("edit", ("a.py",))]
    assert "Changed a.py" in result.output


async def test_if_one_does_not_fit_none_is_made_and_it_is_named(bench: Workbench) -> None:
    path = bench.write("a.py", "one\ntwo\n")
    await bench.run(READ, filePath="a.py")
    for second in (edit("nowhere", "x"), edit("two", "two"), edit("one", "x")):
        with pytest.raises(EditError, match="Edit 2 of 2, so none of them was made"):
            await bench.run(TOOL, filePath="a.py", edits=[edit("one", "1"), second])
    assert path.read_text() == "one\ntwo\n"
    assert bench.user.asked == []


async def test_a_path_within_an_edit_is_ignored(bench: Workbench) -> None:
    path = bench.write("a.py", "one\n")
    other = bench.write("b.py", "one\n")
    await bench.run(READ, filePath="a.py")
    await bench.run(TOOL, filePath="a.py", edits=[{"filePath": "b.py", **edit("one", "1")}])
    assert (path.read_text(), other.read_text()) == ("1\n", "one\n")


async def test_a_first_empty_text_creates_the_file(bench: Workbench) -> None:
    await bench.run(TOOL, filePath="new.py", edits=[edit("", "a = 1\n"), edit("1", "2")])
    assert (bench.root / "new.py").read_text() == "a = 2\n"


async def test_the_user_may_allow_a_part_of_it(bench: Workbench) -> None:
    middle = "".join(f"{number}\n" for number in range(30))
    path = bench.write("a.txt", f"first\n{middle}last\n")
    await bench.run(READ, filePath="a.txt")
    bench.user.answers = [answering({path: frozenset({1})})]
    result = await bench.run(TOOL, filePath="a.txt", edits=[edit("first", "1st"), edit("last", "z")])
    assert path.read_text() == f"1st\n{middle}last\n"
    assert "NOT applied" in result.output


async def test_a_file_that_was_never_read_is_not_edited(bench: Workbench) -> None:
    bench.write("a.txt", "one\n")
    with pytest.raises(EditError, match="Read it first"):
        await bench.run(TOOL, filePath="a.txt", edits=[edit("one", "two")])


async def test_at_least_one_edit_is_needed(bench: Workbench) -> None:
    with pytest.raises(InvalidArguments, match="edits"):
        await bench.run(TOOL, filePath="a.txt", edits=[])


async def test_edits_that_fit_only_the_unread_text_are_refused_with_the_region(bench: Workbench) -> None:
    path = bench.write("a.txt", "one\n")
    await bench.run(READ, filePath="a.txt")
    path.write_text("one\nadded\n")
    with pytest.raises(EditConflict, match="2: added"):
        await bench.run(TOOL, filePath="a.txt", edits=[edit("added", "x"), edit("x", "y")])
    assert path.read_text() == "one\nadded\n"


LETTERS = st.text("ab\n", max_size=12)
EDITS = st.lists(st.tuples(st.text("ab", min_size=1, max_size=2), st.text("abc", max_size=2)), min_size=1, max_size=3)


@settings(max_examples=examples(50))
@given(LETTERS, EDITS)
async def test_either_all_edits_are_made_to_the_letter_or_the_file_is_as_it_was(
    text: str, edits: list[tuple[str, str]]
) -> None:
    expected: str | None = text
    for old, new in edits:
        fits = expected is not None and old != new and expected.count(old) == 1 and f"{old[0]}{old}" not in expected
        expected = expected.replace(old, new) if expected is not None and fits else None
    with TemporaryDirectory() as directory:
        async with open_workbench(Path(directory)) as bench:
            path = bench.write("a.txt", text)
            await bench.run(READ, filePath="a.txt")
            try:
                await bench.run(TOOL, filePath="a.txt", edits=[edit(old, new) for old, new in edits])
            except EditError:
                assert path.read_text() == text
                assert expected is None
            else:
                assert expected is None or path.read_text() == expected
