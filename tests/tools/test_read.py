import re
import subprocess

import pytest

from placet.core.errors import DocumentError, DocumentMissing, NobodyToAsk, PermissionDenied, ToolError
from placet.core.executor import in_thread
from placet.core.ports import text_sha256
from placet.tools.read import PAGE_BYTES, TOOL
from tools_support.workbench import Workbench


async def test_lines_are_numbered_from_one(bench: Workbench) -> None:
    bench.write("a.txt", "one\ntwo\n")
    result = await bench.run(TOOL, filePath="a.txt")
    assert f"<path>{bench.root / 'a.txt'}</path>\n<type>file</type>" in result.output
    assert "\n1: one\n2: two\n\n(End of file, 2 lines.)" in result.output
    assert result.title == "a.txt"
    sha256 = text_sha256("one\ntwo\n")
    assert result.metadata == {"preview": "one\ntwo", "truncated": False, "sha256": sha256, "loaded": []}


async def test_only_the_three_line_ends_end_a_line(bench: Workbench) -> None:
    bench.write("a.txt", "one\r\ntwo\x0c still\u2028two\rthree")
    result = await bench.run(TOOL, filePath="a.txt")
    assert "1: one\n2: two\x0c still\u2028two\n3: three\n" in result.output


async def test_offset_and_limit_choose_a_page(bench: Workbench) -> None:
    bench.write("a.txt", "".join(f"line {number}\n" for number in range(1, 11)))
    result = await bench.run(TOOL, filePath="a.txt", offset=4, limit=2)
    assert "<content>\n4: line 4\n5: line 5\n\n(Lines 4-5 of 10. Use offset=6 to read on.)" in result.output
    assert result.metadata["truncated"] is True


async def test_the_byte_limit_ends_a_page_at_a_whole_line(bench: Workbench) -> None:
    bench.write("a.txt", ("x" * 999 + "\n") * 100)
    result = await bench.run(TOOL, filePath="a.txt")
    shown = PAGE_BYTES // 1000
    assert f"\n{shown}: xxx" in result.output
    assert f"\n{shown + 1}: xxx" not in result.output
    assert f"Cut at 50 KiB: lines 1-{shown} of 100. Use offset={shown + 1} to read on." in result.output


async def test_a_long_line_is_cut_with_a_mark_and_the_way_to_the_rest(bench: Workbench) -> None:
    path = bench.write("a b.txt", "one\n" + "x" * 2000 + "rest")
    result = await bench.run(TOOL, filePath="a b.txt")
    assert f"2: {'x' * 2000}... (line cut at 2000 characters)\n" in result.output
    way = re.search(r"See the rest of a cut line by a command: `(.*)`", result.output)
    assert way is not None
    assert str(path) in way[1]
    rest = await in_thread(lambda: subprocess.check_output(("bash", "-c", way[1]), text=True))
    assert rest == "rest\n"


async def test_an_empty_file_can_be_read(bench: Workbench) -> None:
    bench.write("a.txt", "")
    assert "(End of file, 0 lines.)" in (await bench.run(TOOL, filePath="a.txt")).output


async def test_a_start_past_the_end_is_an_error_that_says_how_long_the_file_is(bench: Workbench) -> None:
    bench.write("a.txt", "one\ntwo\n")
    with pytest.raises(ToolError, match="has 2 lines"):
        await bench.run(TOOL, filePath="a.txt", offset=3)


async def test_a_directory_is_listed_with_slashes_and_paged(bench: Workbench) -> None:
    bench.write("src/deep/x.py", "")
    bench.write("src/b.py", "")
    (bench.root / "src/link").symlink_to(bench.root / "src/deep")
    result = await bench.run(TOOL, filePath="src")
    assert "<type>directory</type>\n<entries>\nb.py\ndeep/\nlink/\n\n(3 entries)" in result.output
    page = await bench.run(TOOL, filePath="src", offset=2, limit=1)
    assert "<entries>\ndeep/\n\n(Showing 1 of 3 entries. Use offset=3 to read on.)" in page.output


async def test_a_binary_file_is_refused(bench: Workbench) -> None:
    bench.write("a.bin", b"\x00\x01\x02")
    with pytest.raises(DocumentError, match="binary"):
        await bench.run(TOOL, filePath="a.bin")


async def test_a_missing_file_names_its_neighbours(bench: Workbench) -> None:
    bench.write("settings.py", "")
    bench.write("other.txt", "")
    with pytest.raises(DocumentMissing) as caught:
        await bench.run(TOOL, filePath="setings.py")
    assert f"Did you mean one of these?\n{bench.root / 'settings.py'}" in str(caught.value)
    assert "other.txt" not in str(caught.value)


async def test_a_file_of_secrets_is_asked_for_and_an_example_of_one_is_not(bench: Workbench) -> None:
    bench.write("sub/.env", "KEY=1\n")
    bench.write("sub/.env.example", "KEY=\n")
    await bench.run(TOOL, filePath="sub/.env.example")
    assert bench.user.asked == []
    await bench.run(TOOL, filePath="sub/.env")
    assert bench.user.asked == [("read", ("sub/.env",))]


async def test_a_link_does_not_lend_its_name_to_a_file_of_secrets(bench: Workbench) -> None:
    bench.write(".env", "KEY=1\n")
    (bench.root / "notes.txt").symlink_to(bench.root / ".env")
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL, filePath="notes.txt")
    assert bench.user.asked == [("read", ("notes.txt", ".env"))]


async def test_a_path_outside_the_workspace_is_asked_for_by_its_directory(bench: Workbench) -> None:
    outside = bench.root.parent / "elsewhere"
    outside.mkdir()
    (outside / "a.txt").write_text("far\n")
    await bench.run(TOOL, filePath=str(outside / "a.txt"))
    await bench.run(TOOL, filePath="../elsewhere")
    assert bench.user.asked == [("external_directory", (f"{outside}/*",))] * 2


async def test_a_link_that_leads_outside_is_asked_for_by_where_it_leads(bench: Workbench) -> None:
    outside = bench.root.parent / "elsewhere"
    outside.mkdir()
    (outside / "a.txt").write_text("far\n")
    (bench.root / "near.txt").symlink_to(outside / "a.txt")
    await bench.run(TOOL, filePath="near.txt")
    assert bench.user.asked == [("external_directory", (f"{outside}/*",))]


async def test_a_denied_file_is_not_read(bench: Workbench) -> None:
    bench.write("secret.txt", "x")
    bench.permission = {"read": {"secret.txt": "deny"}}
    with pytest.raises(PermissionDenied):
        await bench.run(TOOL, filePath="secret.txt")
    assert bench.ledger.find(bench.root / "secret.txt") is None


async def test_the_last_page_is_not_truncated(bench: Workbench) -> None:
    bench.write("a.txt", "one\ntwo\nthree\n")
    for name in ("a", "b", "c"):
        bench.write(f"folder/{name}", "")
    for path in ("a.txt", "folder"):
        pages = [(await bench.run(TOOL, filePath=path, offset=offset, limit=2)).metadata for offset in (1, 3)]
        assert [page["truncated"] for page in pages] == [True, False]
