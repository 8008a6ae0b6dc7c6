"""Names and patterns that no file system or program takes: an error the model can mend, in every tool that looks."""

import contextlib
import os
import re
import sys
from typing import Any

import pytest

from corpus_support import corpus
from placet.core.errors import ToolError
from placet.tools import apply_patch, edit, glob, grep, listing, lsp, multiedit, read, write
from placet.tools.framework.define import Tool
from tools_support.workbench import Workbench, open_workbench

CALLS: list[tuple[Tool, str, dict[str, Any]]] = [
    (read.TOOL, "filePath", {}),
    (edit.TOOL, "filePath", {"oldString": "a", "newString": "b"}),
    (multiedit.TOOL, "filePath", {"edits": [{"oldString": "a", "newString": "b"}]}),
    (write.TOOL, "filePath", {"content": "x"}),
    (listing.TOOL, "path", {}),
    (glob.TOOL, "path", {"pattern": "*"}),
    (glob.TOOL, "pattern", {}),
    (grep.TOOL, "path", {"pattern": "x"}),
    (grep.TOOL, "pattern", {}),
    (grep.TOOL, "include", {"pattern": "x"}),
]


@corpus("name", ["a\0b", "\ud800", "\0/*.py", "\udfff/*"], bench=open_workbench)
@corpus(("tool", "argument", "others"), CALLS)
async def test_what_cannot_be_a_name_is_a_clear_error(
    bench: Workbench, tool: Tool, argument: str, others: dict[str, Any], name: str
) -> None:
    with pytest.raises(ToolError, match=r"NUL or half a character|valid"):
        await bench.run(tool, **{**others, argument: name})


@corpus("name", ["~nobody_has_this_name", "x" * 5000], bench=open_workbench)
@corpus(("tool", "argument", "others"), CALLS)
async def test_an_unusual_name_is_found_missing_or_refused_and_nothing_breaks(
    bench: Workbench, tool: Tool, argument: str, others: dict[str, Any], name: str
) -> None:
    with contextlib.suppress(ToolError):
        assert (await bench.run(tool, **{**others, argument: name})).output


async def test_a_name_that_begins_with_a_tilde_is_a_name(bench: Workbench) -> None:
    bench.write("~no_such_user/a.py", "needle\n")
    assert "1: needle" in (await bench.run(read.TOOL, filePath="~no_such_user/a.py")).output
    assert "a.py" in (await bench.run(glob.TOOL, pattern="~no_such_user/*.py")).output


PIPE: list[tuple[Tool, dict[str, Any]]] = [
    (read.TOOL, {"filePath": "pipe"}),
    (grep.TOOL, {"pattern": "x", "path": "pipe"}),
    (edit.TOOL, {"filePath": "pipe", "oldString": "a", "newString": "b"}),
    (multiedit.TOOL, {"filePath": "pipe", "edits": [{"oldString": "a", "newString": "b"}]}),
    (write.TOOL, {"filePath": "pipe", "content": "x"}),
    (lsp.TOOL, {"operation": "hover", "filePath": "pipe", "line": 1, "character": 1}),
]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@corpus("name", ["pipe", "link"], bench=open_workbench)
@corpus(("tool", "arguments"), PIPE)
async def test_a_pipe_that_nobody_writes_to_keeps_no_tool_waiting(
    bench: Workbench, tool: Tool, arguments: dict[str, Any], name: str
) -> None:
    os.mkfifo(bench.root / "pipe")
    (bench.root / "link").symlink_to("pipe")
    arguments = {key: name if value == "pipe" else value for key, value in arguments.items()}
    with pytest.raises(ToolError, match="is not a regular file"):
        await bench.run(tool, **arguments)


LOOKS: list[tuple[str, str]] = [
    ("Screenshot 9.41\u202fAM.txt", "Screenshot 9.41 AM.txt"),
    ("user\u2019s notes.txt", "user's notes.txt"),
    ("cafe\u0301.txt", "caf\u00e9.txt"),
    ("a\u2013b.txt", "a-b.txt"),
    ("cafe\u0301/a\u2013b/c.txt", "caf\u00e9/a-b/c.txt"),
]


@corpus(("stored", "written"), LOOKS, bench=open_workbench)
async def test_every_tool_takes_a_name_that_looks_the_same_for_the_file_that_is_there(
    bench: Workbench, stored: str, written: str
) -> None:
    path = bench.write(stored, "one\n")
    assert str(path) in (await bench.run(read.TOOL, filePath=written)).output
    assert (await bench.run(glob.TOOL, pattern=written)).output == str(path)
    if "/" in written:
        below = f"{written.rpartition('/')[0]}/*.txt"
        assert (await bench.run(glob.TOOL, pattern=below)).output == str(path)
        assert str(path) in (await bench.run(grep.TOOL, pattern="one", path=written.rpartition("/")[0])).output
    await bench.run(write.TOOL, filePath=written, content="two\n")
    await bench.run(edit.TOOL, filePath=written, oldString="two", newString="three")
    await bench.run(multiedit.TOOL, filePath=written, edits=[{"oldString": "three", "newString": "four"}])
    patch = f"*** Begin Patch\n*** Update File: {written}\n-four\n+five\n*** End Patch\n"
    await bench.run(apply_patch.TOOL, patchText=patch)
    files = [file for file in bench.root.rglob("*.txt") if bench.output_directory not in file.parents]
    assert [(file, file.read_text()) for file in files] == [(path, "five\n")]


@corpus("target", ["nowhere.txt", "no/such/directory.txt"], bench=open_workbench)
async def test_a_link_that_leads_nowhere_is_called_a_link_by_every_tool(bench: Workbench, target: str) -> None:
    (bench.root / "link").symlink_to(target)
    words = f"is a symbolic link to {bench.root / target}, and there is no such file"
    patches = [
        f"*** Begin Patch\n*** {act}\n*** End Patch\n"
        for act in ("Add File: link\n+x", "Update File: link\n@@\n-a\n+b", "Delete File: link")
    ]
    calls: list[tuple[Tool, dict[str, Any]]] = [
        (read.TOOL, {"filePath": "link"}),
        (write.TOOL, {"filePath": "link", "content": "x\n"}),
        (edit.TOOL, {"filePath": "link", "oldString": "a", "newString": "b"}),
        (edit.TOOL, {"filePath": "link", "oldString": "", "newString": "b"}),
        (multiedit.TOOL, {"filePath": "link", "edits": [{"oldString": "a", "newString": "b"}]}),
        *((apply_patch.TOOL, {"patchText": patch}) for patch in patches),
    ]
    for tool, arguments in calls:
        with pytest.raises(ToolError, match=re.escape(words)):
            await bench.run(tool, **arguments)


@corpus(("stored", "written"), [("cafe\u0301.py", "caf\u00e9"), ("caf\u00e9.py", "cafe\u0301")], bench=open_workbench)
async def test_a_pattern_finds_letters_in_both_forms_of_unicode(bench: Workbench, stored: str, written: str) -> None:
    path = bench.write(f"src/{stored}", "needle\n")
    assert (await bench.run(glob.TOOL, pattern=f"**/{written}*")).output == str(path)
    assert str(path) in (await bench.run(grep.TOOL, pattern="needle", include=f"{written}.*")).output
