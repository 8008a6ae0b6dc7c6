import pytest

from changes_support.answers import answering
from corpus_support import corpus
from placet.core.errors import DocumentMissing, EditConflict, EditError, InvalidArguments
from placet.tools.apply_patch import TOOL as APPLY_PATCH
from placet.tools.edit import TOOL
from placet.tools.multiedit import TOOL as MULTIEDIT
from placet.tools.read import TOOL as READ
from placet.tools.write import TOOL as WRITE
from tools_support.workbench import Workbench, open_workbench


async def test_the_text_is_replaced_and_the_result_says_so(bench: Workbench) -> None:
    path = bench.write("a.py", "def f():\n    return 1\n")
    await bench.run(READ, filePath="a.py")
    result = await bench.run(TOOL, filePath="a.py", oldString="return 1", newString="return 2")
    assert path.read_text() == "def f():\n    return 2\n"
    assert "Changed a.py (+1 -1)" in result.output
    assert result.metadata["additions"] == 1
    assert "+    return 2" in result.metadata["diff"]


async def test_replace_all_replaces_every_occurrence_literally(bench: Workbench) -> None:
    path = bench.write("a.txt", "a b a\n")
    await bench.run(READ, filePath="a.txt")
    await bench.run(TOOL, filePath="a.txt", oldString="a", newString=r"[$&\1]", replaceAll=True)
    assert path.read_text() == "[$&\\1] b [$&\\1]\n"


async def test_an_ambiguous_text_changes_nothing(bench: Workbench) -> None:
    path = bench.write("a.txt", "same\nsame\n")
    await bench.run(READ, filePath="a.txt")
    with pytest.raises(EditError):
        await bench.run(TOOL, filePath="a.txt", oldString="same", newString="other")
    assert path.read_text() == "same\nsame\n"


async def test_a_file_that_was_never_read_is_not_edited(bench: Workbench) -> None:
    bench.write("a.txt", "one\n")
    with pytest.raises(EditError, match="Read it first"):
        await bench.run(TOOL, filePath="a.txt", oldString="one", newString="two")


async def test_a_file_that_is_not_there_is_an_error(bench: Workbench) -> None:
    with pytest.raises(DocumentMissing):
        await bench.run(TOOL, filePath="a.txt", oldString="one", newString="two")


async def test_the_same_text_twice_is_an_error(bench: Workbench) -> None:
    bench.write("a.txt", "one\n")
    await bench.run(READ, filePath="a.txt")
    with pytest.raises(EditError, match="the same"):
        await bench.run(TOOL, filePath="a.txt", oldString="one\r\n", newString="one\n")


async def test_an_empty_old_text_fills_a_new_or_empty_file_but_never_overwrites(bench: Workbench) -> None:
    await bench.run(TOOL, filePath="new.txt", oldString="", newString="one\n")
    assert (bench.root / "new.txt").read_text() == "one\n"
    bench.write("empty.txt", "")
    await bench.run(READ, filePath="empty.txt")
    await bench.run(TOOL, filePath="empty.txt", oldString="", newString="two\n")
    assert (bench.root / "empty.txt").read_text() == "two\n"
    await bench.run(READ, filePath="empty.txt")
    with pytest.raises(EditError, match="not empty"):
        await bench.run(TOOL, filePath="empty.txt", oldString="", newString="three\n")


@corpus("new", ["x\ry", "x\r\ny\rz", "x\ny\r\r\n"], bench=open_workbench)
async def test_a_carriage_return_that_would_become_a_line_end_is_refused(bench: Workbench, new: str) -> None:
    path = bench.write("a.txt", b"one\r\ntwo\r\n")
    await bench.run(READ, filePath="a.txt")
    for tool, arguments in (
        (TOOL, {"filePath": "a.txt", "oldString": "one", "newString": new}),
        (MULTIEDIT, {"filePath": "a.txt", "edits": [{"oldString": "one", "newString": new}]}),
        (APPLY_PATCH, {"patchText": f"*** Begin Patch\n*** Update File: a.txt\n-one\n+{new}\n*** End Patch"}),
        (WRITE, {"filePath": "b.txt", "content": f"{new}\nmore\n"}),
    ):
        with pytest.raises(EditError, match="carriage return"):
            await bench.run(tool, **arguments)
    assert path.read_bytes() == b"one\r\ntwo\r\n"
    assert not (bench.root / "b.txt").exists()


async def test_windows_line_ends_stay(bench: Workbench) -> None:
    path = bench.write("a.txt", b"one\r\ntwo\r\nthree\r\n")
    await bench.run(READ, filePath="a.txt")
    await bench.run(TOOL, filePath="a.txt", oldString="one\ntwo", newString="one\nand\ntwo")
    assert path.read_bytes() == b"one\r\nand\r\ntwo\r\nthree\r\n"


async def test_the_model_is_told_of_the_hunk_the_user_refused(bench: Workbench) -> None:
    middle = "".join(f"{number}\n" for number in range(30))
    path = bench.write("a.txt", f"old\n{middle}old\n")
    await bench.run(READ, filePath="a.txt")
    bench.user.answers = [answering({path: frozenset({2})})]
    result = await bench.run(TOOL, filePath="a.txt", oldString="old", newString="new", replaceAll=True)
    assert path.read_text() == f"old\n{middle}new\n"
    refused = result.output.partition("NOT applied")[2]
    assert "@@ -1" in refused
    assert "+new" in refused


async def test_a_missing_argument_is_named(bench: Workbench) -> None:
    with pytest.raises(InvalidArguments, match="newString") as caught:
        await bench.run(TOOL, filePath="a.txt", oldString="x")
    assert "Please rewrite the input" in str(caught.value)


async def test_a_text_that_is_only_in_the_unread_version_is_refused_with_its_region(bench: Workbench) -> None:
    before = "".join(f"line {number}\n" for number in range(1, 101))
    path = bench.write("a.txt", before)
    await bench.run(READ, filePath="a.txt")
    current = before.replace("line 50\n", "line 50\nbrand new\n")
    path.write_text(current)
    with pytest.raises(EditConflict, match="has changed since you read it") as caught:
        await bench.run(TOOL, filePath="a.txt", oldString="brand new", newString="x")
    assert "50: line 50\n51: brand new\n52: line 51\n" in str(caught.value)
    assert "47:" not in str(caught.value)
    assert path.read_text() == current
    await bench.run(READ, filePath="a.txt")
    await bench.run(TOOL, filePath="a.txt", oldString="brand new", newString="x")
    assert path.read_text() == current.replace("brand new", "x")


async def test_a_text_that_is_nowhere_shows_the_nearest_place_as_it_was_read(bench: Workbench) -> None:
    path = bench.write("a.txt", "alpha\nbeta\n")
    await bench.run(READ, filePath="a.txt")
    path.write_text("alpha\nbeta\ngamma\n")
    with pytest.raises(EditError, match="nearest text is at line 2") as caught:
        await bench.run(TOOL, filePath="a.txt", oldString="betta", newString="x")
    assert "since you read" not in str(caught.value)


async def test_the_model_is_shown_what_became_of_a_text_it_quoted_loosely(bench: Workbench) -> None:
    path = bench.write("a.py", "class A:\n    def f(self):\n        return 1\n")
    await bench.run(READ, filePath="a.py")
    loosely = {"oldString": "def f(self):\n    return 1", "newString": "def f(self):\n    return 2"}
    result = await bench.run(TOOL, filePath="a.py", **loosely)
    assert path.read_text() == "class A:\n    def f(self):\n        return 2\n"
    assert "not there exactly as you quoted it" in result.output
    assert "\n-        return 1\n+        return 2\n```" in result.output
    exactly = await bench.run(TOOL, filePath="a.py", oldString="return 2", newString="return 3")
    assert "```" not in exactly.output


MIXED = "one\r\ntwo\nthree\r\r\nfour\rfive\r\nsix"


@corpus("old", ["one", "two", "three", "four", "five", "six"], bench=open_workbench)
async def test_an_edit_of_one_line_changes_no_line_ending(bench: Workbench, old: str) -> None:
    path = bench.root / "a.txt"
    path.write_bytes(MIXED.encode())
    await bench.run(READ, filePath="a.txt")
    await bench.run(TOOL, filePath="a.txt", oldString=old, newString="NEW")
    assert path.read_bytes() == MIXED.replace(old, "NEW").encode()


async def test_a_new_file_ends_its_lines_as_the_new_text_does(bench: Workbench) -> None:
    await bench.run(TOOL, filePath="a.txt", oldString="", newString="one\r\ntwo\r\n")
    assert (bench.root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


@corpus(
    ("old", "new", "result"),
    [
        # Quoted at no depth, and written at the file's.
        ("x = 1\ny = 2", "    x = 3\n    if x:\n        y = 4", "    x = 3\n    if x:\n        y = 4"),
        # Quoted and written at no depth.
        ("x = 1\ny = 2", "x = 3\nif x:\n    y = 4", "    x = 3\n    if x:\n        y = 4"),
        # Quoted too deep, and written at the file's depth.
        ("        x = 1\n        y = 2", "    x = 3", "    x = 3"),
    ],
    bench=open_workbench,
)
async def test_a_new_text_that_has_the_files_indentation_is_not_indented_again(
    bench: Workbench, old: str, new: str, result: str
) -> None:
    path = bench.write("a.py", "def f():\n    x = 1\n    y = 2\n")
    await bench.run(READ, filePath="a.py")
    # A blank at the end is in no line of the file, so that the quotation is not there to the letter.
    await bench.run(TOOL, filePath="a.py", oldString=old.replace("\n", " \n"), newString=new)
    assert path.read_text() == f"def f():\n{result}\n"
