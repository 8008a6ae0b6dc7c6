import pytest

from placet.core.errors import EditConflict, EditError
from placet.tools.apply_patch import TOOL
from placet.tools.read import TOOL as READ
from tools_support.workbench import Workbench

PATCH = """*** Begin Patch
*** Update File: a.py
@@
 one
-two
+2
*** Add File: sub/new.py
+x = 1
*** Delete File: old.py
*** Update File: moved.py
*** Move to: sub/there.py
@@
-here
+there
*** End Patch"""


async def test_all_kinds_of_change_are_one_question_and_one_result(bench: Workbench) -> None:
    for name, content in (("a.py", "one\ntwo\n"), ("old.py", "gone\n"), ("moved.py", "here\n")):
        bench.write(name, content)
        await bench.run(READ, filePath=name)
    result = await bench.run(TOOL, patchText=PATCH)
    assert (bench.root / "a.py").read_text() == "one\n2\n"
    assert (bench.root / "sub/new.py").read_text() == "x = 1\n"
    assert (bench.root / "sub/there.py").read_text() == "there\n"
    assert not (bench.root / "old.py").exists()
    assert not (bench.root / "moved.py").exists()
    assert [permission for permission, _ in bench.user.asked] == ["edit"]
    assert set(bench.user.asked[0][1]) == {"a.py", "sub/new.py", "old.py", "moved.py", "sub/there.py"}
    assert result.title == "Patch a.py, sub/new.py, old.py and 1 more"
    assert "Deleted old.py" in result.output
    assert "Renamed moved.py to sub/there.py" in result.output


async def test_a_section_that_does_not_fit_changes_nothing(bench: Workbench) -> None:
    path = bench.write("a.py", "one\n")
    await bench.run(READ, filePath="a.py")
    patch = "*** Begin Patch\n*** Add File: b.py\n+x\n*** Update File: a.py\n@@\n-nothing like it\n+y\n*** End Patch"
    with pytest.raises(EditError):
        await bench.run(TOOL, patchText=patch)
    assert path.read_text() == "one\n"
    assert not (bench.root / "b.py").exists()
    assert bench.user.asked == []


async def test_a_file_that_was_never_read_is_not_patched(bench: Workbench) -> None:
    bench.write("a.py", "one\n")
    with pytest.raises(EditError, match="Read it first"):
        await bench.run(TOOL, patchText="*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+1\n*** End Patch")


async def test_two_spellings_of_a_path_are_one_file(bench: Workbench) -> None:
    path = bench.write("a.py", "one\ntwo\n")
    await bench.run(READ, filePath="a.py")
    patch = (
        f"*** Begin Patch\n*** Update File: ./a.py\n@@\n-one\n+1\n*** Update File: {path}\n@@\n-two\n+2\n*** End Patch"
    )
    await bench.run(TOOL, patchText=patch)
    assert path.read_text() == "1\n2\n"


async def test_a_patch_that_fits_only_the_unread_text_is_refused_with_the_file_that_changed(bench: Workbench) -> None:
    path = bench.write("a.py", "one\n")
    other = bench.write("b.py", "here\n")
    await bench.run(READ, filePath="a.py")
    await bench.run(READ, filePath="b.py")
    path.write_text("one\nadded\n")
    section = "*** Update File: {}\n@@\n-{}\n+y\n"
    patch = "".join(
        ("*** Begin Patch\n", section.format("a.py", "added"), section.format("b.py", "here"), "*** End Patch")
    )
    with pytest.raises(EditConflict, match=r"^a.py: changed since you read it"):
        await bench.run(TOOL, patchText=patch)
    assert (path.read_text(), other.read_text()) == ("one\nadded\n", "here\n")
