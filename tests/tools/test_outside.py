"""What lies outside the workspace is not told of, not even whether it is there, before the user allows a look."""

from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.core.errors import PermissionDenied, ToolError
from placet.tools import apply_patch, edit, glob, grep, listing, lsp, multiedit, read, write
from placet.tools.framework.define import Tool
from tools_support.workbench import Workbench

CALLS: list[tuple[Tool, str, dict[str, Any]]] = [
    (read.TOOL, "filePath", {}),
    (edit.TOOL, "filePath", {"oldString": "a", "newString": "b"}),
    (multiedit.TOOL, "filePath", {"edits": [{"oldString": "a", "newString": "b"}]}),
    (write.TOOL, "filePath", {"content": "x"}),
    (listing.TOOL, "path", {}),
    (glob.TOOL, "path", {"pattern": "*"}),
    (grep.TOOL, "path", {"pattern": "x"}),
    (lsp.TOOL, "filePath", {"operation": "documentSymbol"}),
]


@pytest.fixture
def outside(bench: Workbench) -> Path:
    directory = bench.root.parent / "outside"
    directory.mkdir()
    (directory / "there.txt").write_text("a\n")
    (bench.root / "link").symlink_to(directory)
    return directory


def patch(path: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"


@corpus("by_link", [False, True])
@corpus(("tool", "argument", "others"), CALLS)
async def test_a_denied_place_is_denied_alike_whether_the_file_is_there_or_not(
    bench: Workbench, outside: Path, tool: Tool, argument: str, others: dict[str, Any], by_link: bool
) -> None:
    bench.permission = {"external_directory": "deny"}
    messages = set[str]()
    for name in ("there.txt", "none.txt"):
        path = f"link/{name}" if by_link else str(outside / name)
        with pytest.raises(PermissionDenied) as denied:
            await bench.run(tool, **{**others, argument: path})
        messages.add(str(denied.value).replace(name, "NAME"))
    assert len(messages) == 1


async def test_a_patch_of_a_denied_place_is_denied_alike_too(bench: Workbench, outside: Path) -> None:
    bench.permission = {"external_directory": "deny"}
    for name in ("there.txt", "none.txt"):
        with pytest.raises(PermissionDenied):
            await bench.run(apply_patch.TOOL, patchText=patch(str(outside / name)))


async def test_one_change_outside_is_asked_for_its_place_once(bench: Workbench, outside: Path) -> None:
    await bench.run(read.TOOL, filePath=str(outside / "there.txt"))
    bench.user.requests.clear()
    await bench.run(edit.TOOL, filePath=str(outside / "there.txt"), oldString="a", newString="b")
    await bench.run(write.TOOL, filePath=str(outside / "new.txt"), content="x\n")
    assert [permission for permission, _ in bench.user.asked] == ["external_directory", "edit"] * 2
    assert (outside / "there.txt").read_text() == "b\n"


async def test_a_file_outside_that_was_not_read_is_said_after_the_look_was_allowed(
    bench: Workbench, outside: Path
) -> None:
    with pytest.raises(ToolError, match="has not been read"):
        await bench.run(edit.TOOL, filePath=str(outside / "there.txt"), oldString="a", newString="b")
    assert [permission for permission, _ in bench.user.asked] == ["external_directory"]
