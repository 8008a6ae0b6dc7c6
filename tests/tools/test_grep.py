import os
import re
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import InvalidArguments, ToolError
from placet.tools.grep import LIMIT, TOOL
from tools_support.workbench import Workbench, open_workbench


def dated(path: Path, seconds: int) -> Path:
    os.utime(path, (seconds, seconds))
    return path


async def test_matches_are_grouped_by_file_the_newest_first(bench: Workbench) -> None:
    older = dated(bench.write("a.py", "x = 1\nname = 2\n"), 1)
    newer = dated(bench.write("sub/b.py", "name\r\n\nname again\r\n"), 2)
    result = await bench.run(TOOL, pattern=r"\bname\b")
    assert result.output == (
        f"Found 3 matches\n\n{newer}:\n  Line 1: name\n  Line 3: name again\n\n{older}:\n  Line 2: name = 2"
    )
    assert result.metadata["matches"] == 3
    assert result.metadata["truncated"] is False


async def test_the_newest_files_of_all_are_shown_and_every_match_counted(bench: Workbench) -> None:
    for number in range(40):
        dated(bench.write(f"{number:02}.txt", "needle\n" * 7), number + 1)
    result = await bench.run(TOOL, pattern="needle")
    assert result.output.startswith(f"Found 280 matches (showing {LIMIT}, of the newest files)\n\n{bench.root}/39.txt:")
    assert result.output.count("  Line ") == LIMIT
    assert f"{bench.root}/25.txt:\n  Line 1: needle\n  Line 2: needle\n\n(" in result.output
    assert f"{bench.root}/24.txt" not in result.output
    assert result.metadata["truncated"] is True


async def test_a_file_full_of_matches_does_not_fill_memory(bench: Workbench) -> None:
    bench.write("a.txt", "needle\n" * 50_000)
    result = await bench.run(TOOL, pattern="needle")
    assert "Found 50000 matches" in result.output
    assert len(result.output) < 10_000


async def test_one_file_or_only_some_can_be_searched(bench: Workbench) -> None:
    path = bench.write("a.py", "needle\n")
    bench.write("a.js", "needle\n")
    by_path = await bench.run(TOOL, pattern="needle", path="a.py")
    by_include = await bench.run(TOOL, pattern="needle", include="*.{py,rs}")
    assert by_path.output == by_include.output == f"Found 1 match\n\n{path}:\n  Line 1: needle"


async def test_hidden_files_are_searched_and_the_repository_and_ignored_files_are_not(bench: Workbench) -> None:
    path = bench.write(".hidden/a.py", "needle\n")
    bench.write(".git/config", "needle\n")
    bench.write("node_modules/x.js", "needle\n")
    bench.write(".ignore", "node_modules\n")
    for include in (None, "*", "**/*"):
        result = await bench.run(TOOL, pattern="needle", include=include)
        assert result.output == f"Found 1 match\n\n{path}:\n  Line 1: needle"


async def test_a_long_line_is_cut_and_a_binary_file_is_no_match(bench: Workbench) -> None:
    bench.write("long.txt", "needle " + "x" * 100_000)
    bench.write("a.bin", b"needle\0\n")
    result = await bench.run(TOOL, pattern="needle")
    assert result.output.startswith("Found 1 match")
    assert len(result.output) < 2500


@corpus(
    ("before", "after"),
    [("", 100_000), ("x" * 1990, 50), ("x" * 50_000, 50_000), ("é" * 30_000, 0), ("a\n" * 3 + "x" * 9_000, 9_000)],
    bench=open_workbench,
)
async def test_a_match_in_a_long_line_is_shown_with_its_surroundings(bench: Workbench, before: str, after: int) -> None:
    text = f"{before}NEEDLE_7{'y' * after}\nNEEDLE_7 short\n"
    path = bench.write("long.js", text)
    line = before.count("\n") + 1
    long = (await bench.run(TOOL, pattern=r"NEEDLE_\d")).output
    assert len(long) < 1500
    assert re.search(rf"  Line {line}: .*NEEDLE_7", long)
    assert f"  Line {line + 1}: NEEDLE_7 short" in long
    bench.documents.type(path, text + "typed")
    on_screen = (await bench.run(TOOL, pattern=r"NEEDLE_\d")).output
    assert on_screen.startswith(long)


async def test_a_match_in_a_long_line_of_another_encoding_is_shown_as_far_as_ripgrep_shows_it(bench: Workbench) -> None:
    (bench.root / "a.txt").write_text("NEEDLE" + "x" * 9000, encoding="utf-16")
    assert "  Line 1: NEEDLExxx" in (await bench.run(TOOL, pattern="NEEDLE")).output


async def test_what_may_not_be_read_is_not_shown_by_search(bench: Workbench) -> None:
    bench.write(".env", "needle=secret\n")
    bench.write("private/a.txt", "needle=secret\n")
    path = bench.write("open.txt", "needle\n")
    bench.permission = {"read": {"private/*": "deny"}}
    result = await bench.run(TOOL, pattern="needle")
    assert result.output == f"Found 1 match\n\n{path}:\n  Line 1: needle"
    assert bench.user.asked == []


async def test_nothing_found_says_so(bench: Workbench) -> None:
    assert (await bench.run(TOOL, pattern="needle")).output == "No matches found."


async def test_wrong_patterns_and_places_are_clear_errors(bench: Workbench) -> None:
    with pytest.raises(ToolError, match="unclosed group"):
        await bench.run(TOOL, pattern="(")
    with pytest.raises(ToolError, match="unclosed character class"):
        await bench.run(TOOL, pattern="x", include="[")
    with pytest.raises(ToolError, match="There is no file or directory"):
        await bench.run(TOOL, pattern="x", path="nowhere")
    with pytest.raises(InvalidArguments):
        await bench.run(TOOL, pattern="")


async def test_a_pattern_that_looks_like_an_option_is_a_pattern(bench: Workbench) -> None:
    bench.write("a.txt", "--files\n")
    assert "Line 1: --files" in (await bench.run(TOOL, pattern="--files")).output


async def test_outside_the_workspace_is_asked_for(bench: Workbench) -> None:
    outside = bench.root.parent / "out"
    outside.mkdir()
    await bench.run(TOOL, pattern="x", path=str(outside))
    assert bench.user.asked == [("external_directory", (f"{outside}/*",))]


async def test_the_end_of_a_line_is_found_in_a_file_of_windows(bench: Workbench) -> None:
    bench.write("a.txt", b"needle\r\nneedles\r\n")
    assert "Found 1 match\n" in (await bench.run(TOOL, pattern="needle$")).output


async def test_unsaved_text_is_searched_in_place_of_the_disks(bench: Workbench) -> None:
    dated(bench.write("newer.txt", "needle\n"), 4_000_000_000)
    typed = bench.write("src/typed.py", "needle on disk\n")
    bench.documents.type(typed, "x\r\nneedle on screen\r\n")
    result = await bench.run(TOOL, pattern="^needle.*n?$")
    assert "on disk" not in result.output
    assert f"{typed}:\n  Line 2: needle on screen\n" in result.output
    assert result.output.startswith("Found 2 matches\n")
    assert "(Searched as it is on screen, with unsaved changes: src/typed.py.)" in result.output
    for path in ("src", "src/typed.py"):
        assert "Line 2: needle on screen" in (await bench.run(TOOL, pattern="needle", path=path)).output
    bench.documents.type(typed, "nothing\n")
    assert "Found 1 match\n" in (await bench.run(TOOL, pattern="needle")).output


async def test_unsaved_text_is_searched_only_where_the_file_would_be(bench: Workbench) -> None:
    bench.write(".ignore", "ignored/\n")
    names = ("ignored/a.py", "src/b.js", ".git/c.py", "d.py", "private/e.py", ".env")
    for name in names:
        bench.documents.type(bench.write(name, "x\n"), f"needle in {name}\n")
    bench.documents.type(bench.root / "new/never_saved.py", "needle in new\n")
    bench.documents.type(bench.root / "new/never_saved.js", "needle in new js\n")
    bench.documents.type(bench.root.parent / "outside.py", "needle outside\n")
    bench.permission = {"read": {"private/*": "deny"}}
    result = await bench.run(TOOL, pattern="needle", include="*.py")
    assert sorted(line for line in result.output.splitlines() if "Line 1:" in line) == [
        "  Line 1: needle in d.py",
        "  Line 1: needle in new",
    ]
    assert "private/e.py" not in result.output
    anchored = await bench.run(TOOL, pattern="needle", include="new/*.py")
    assert "Found 1 match\n" in anchored.output
    assert "needle in .env" not in (await bench.run(TOOL, pattern="needle")).output


async def test_a_file_that_was_never_saved_can_be_searched_by_name(bench: Workbench) -> None:
    bench.documents.type(bench.root / "new.py", "needle\n")
    assert "Line 1: needle" in (await bench.run(TOOL, pattern="needle", path="new.py")).output


async def test_whether_there_are_matches_in_what_may_not_be_read_is_not_told(bench: Workbench) -> None:
    for number in range(8):
        bench.write(f"private/{number}.txt", "needle\n")
    bench.write(".env", "needle\n")
    bench.permission = {"read": {"private/*": "deny"}}
    assert (await bench.run(TOOL, pattern="needle")).output == "No matches found."
    for path in (".env", "private/0.txt", "private/none.txt"):
        for pattern in ("needle", "hay"):
            with pytest.raises(ToolError, match="was not searched, as reading it is not allowed"):
                await bench.run(TOOL, pattern=pattern, path=path)
