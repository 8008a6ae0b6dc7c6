import pytest

from placet.core.errors import EditError, NobodyToAsk, Rejected
from placet.core.ports import PermissionAnswer
from placet.tools.read import TOOL as READ
from placet.tools.write import TOOL
from tools_support.workbench import Workbench


async def test_a_new_file_is_created_with_its_directories(bench: Workbench) -> None:
    result = await bench.run(TOOL, filePath="src/deep/new.py", content="one\n")
    assert (bench.root / "src/deep/new.py").read_bytes() == b"one\n"
    assert "Created src/deep/new.py (+1 -0)" in result.output
    assert bench.user.asked == [("edit", ("src/deep/new.py",))]
    change = bench.user.requests[0].change
    assert change is not None
    assert change.files[0].new_text == "one\n"


async def test_an_existing_file_that_was_never_read_is_not_overwritten(bench: Workbench) -> None:
    path = bench.write("a.txt", "precious\n")
    with pytest.raises(EditError, match="Read it first"):
        await bench.run(TOOL, filePath="a.txt", content="new\n")
    assert path.read_text() == "precious\n"
    assert bench.user.asked == []


async def test_a_file_that_was_read_is_overwritten_and_keeps_its_line_ends_and_mark(bench: Workbench) -> None:
    path = bench.write("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    path.chmod(0o640)
    await bench.run(READ, filePath="a.txt")
    await bench.run(TOOL, filePath="a.txt", content="\ufeffone\nthree\n")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\nthree\r\n"
    assert path.stat().st_mode & 0o777 == 0o640


async def test_nothing_is_written_when_the_user_rejects(bench: Workbench) -> None:
    bench.user.answers = [PermissionAnswer("reject")]
    with pytest.raises(Rejected):
        await bench.run(TOOL, filePath="a.txt", content="x")
    assert not (bench.root / "a.txt").exists()


async def test_nothing_is_written_when_there_is_nobody_to_ask(bench: Workbench) -> None:
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL, filePath="a.txt", content="x")
    assert list(bench.root.iterdir()) == []


async def test_outside_the_workspace_is_asked_for_on_its_own(bench: Workbench) -> None:
    await bench.run(TOOL, filePath="../out/a.txt", content="x\n")
    outside = bench.root.parent / "out"
    assert [permission for permission, _ in bench.user.asked] == ["external_directory", "edit"]
    assert bench.user.asked[0][1] == (f"{outside}/*",)
