"""With several folders open, a search that names no path looks into all of them and says so."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.core.errors import ToolError
from placet.tools import glob, grep, listing
from placet.tools.framework.define import Tool
from tools_support.workbench import Workbench, open_workbench

CALLS: list[tuple[Tool, dict[str, Any]]] = [
    (grep.TOOL, {"pattern": "needle"}),
    (glob.TOOL, {"pattern": "*.txt"}),
    (listing.TOOL, {}),
]


@pytest.fixture
def other(bench: Workbench) -> Path:
    return other_folder(bench)


def other_folder(bench: Workbench) -> Path:
    """Another folder, and one within the root, which is searched once all the same."""
    bench.write("first.txt", "needle\n")
    bench.write("inner/inner.txt", "needle\n")
    other = bench.root.parent / "other"
    other.mkdir()
    (other / "there.txt").write_text("needle\n")
    bench.folders = [other, bench.root / "inner"]
    return other


@corpus(("tool", "arguments"), CALLS, bench=open_workbench, other=other_folder)
async def test_every_folder_is_looked_into_once(
    bench: Workbench, other: Path, tool: Tool, arguments: dict[str, Any]
) -> None:
    output = (await bench.run(tool, **arguments)).output
    assert [output.count(name) for name in ("first.txt", "there.txt", "inner.txt")] == [1, 1, 1]
    assert output.endswith(f"(Looked in {bench.root}, {other}.)")
    assert bench.user.asked == []


@corpus(("tool", "arguments"), CALLS, bench=open_workbench, other=other_folder)
async def test_a_path_that_is_named_is_looked_into_alone(
    bench: Workbench, other: Path, tool: Tool, arguments: dict[str, Any]
) -> None:
    output = (await bench.run(tool, **arguments, path=str(other))).output
    assert "there.txt" in output
    assert "inner.txt" not in output
    assert "Looked in" not in output


@corpus(("tool", "arguments"), CALLS, bench=open_workbench, other=other_folder)
async def test_a_folder_that_is_gone_is_told_and_the_others_are_looked_into(
    bench: Workbench, other: Path, tool: Tool, arguments: dict[str, Any]
) -> None:
    shutil.rmtree(other)
    output = (await bench.run(tool, **arguments)).output
    assert "inner.txt" in output
    assert output.endswith(f"(Looked in {bench.root}.)\n\n(There is no directory {other}.)")


async def test_a_pattern_that_names_a_directory_is_looked_for_in_every_folder(bench: Workbench, other: Path) -> None:
    (other / "inner").mkdir()
    (other / "inner/more.txt").write_text("x\n")
    output = (await bench.run(glob.TOOL, pattern="inner/*.txt")).output
    assert "inner.txt" in output
    assert "more.txt" in output
    assert "there.txt" not in (await bench.run(glob.TOOL, pattern=f"{bench.root}/*.txt")).output


async def test_the_rules_of_each_folder_hold_in_it(bench: Workbench, other: Path) -> None:
    bench.permission = {"read": {f"{other}/*": "deny"}}
    for tool, arguments in CALLS:
        assert "there.txt" not in (await bench.run(tool, **arguments)).output


async def test_without_any_folder_left_it_is_an_error(bench: Workbench) -> None:
    bench.root.rmdir()
    for tool, arguments in CALLS:
        with pytest.raises(ToolError, match="There is no"):
            await bench.run(tool, **arguments)
