from pathlib import Path

import pytest

from placet.core.errors import NobodyToAsk, PermissionDenied, ToolError
from placet.tools.listing import IGNORED, LIMIT, TOOL, tree
from tools_support.workbench import Workbench


async def test_files_are_an_indented_tree_with_directories_first(bench: Workbench) -> None:
    for name in ("b.py", "a/z.py", "a/deep/x.py", "a.py", ".hidden/h.py"):
        bench.write(name, "")
    result = await bench.run(TOOL)
    assert result.output == "\n".join(
        (
            f"{bench.root.as_posix()}/",
            "  .hidden/",
            "    h.py",
            "  a/",
            "    deep/",
            "      x.py",
            "    z.py",
            "  a.py",
            "  b.py",
        )
    )
    assert result.metadata == {"count": 5, "truncated": False}
    assert (await bench.run(TOOL, path="a/deep")).output == f"{bench.root.as_posix()}/a/deep/\n  x.py"


async def test_what_is_made_or_ignored_is_left_out(bench: Workbench) -> None:
    for pattern in IGNORED:
        bench.write(f"sub/{pattern}file" if pattern.endswith("/") else f"sub/{pattern}", "")
    bench.write(".ignore", "*.log\n.ignore\n")
    for name in ("a.log", "a.py", "poetry.lock", "fixtures/x.json"):
        bench.write(name, "")
    result = await bench.run(TOOL, ignore=["*.lock", "fixtures/"])
    assert result.output == f"{bench.root.as_posix()}/\n  a.py"


async def test_of_too_many_the_nearest_are_shown_and_the_others_counted(bench: Workbench) -> None:
    for number in range(LIMIT):
        bench.write(f"big/{number:03}.txt", "")
    for name in ("top.txt", "other/deep/a.txt", "other/deep/b.txt"):
        bench.write(name, "")
    result = await bench.run(TOOL)
    assert result.output.startswith(f"{bench.root.as_posix()}/\n  big/\n    000.txt\n")
    assert "    098.txt\n  top.txt\n" in result.output
    assert "099.txt" not in result.output
    assert "Not shown: 2 in other/, 1 in big/. List such a directory itself.)" in result.output
    assert f"({LIMIT} of {LIMIT + 3} files." in result.output
    assert result.metadata == {"count": LIMIT + 3, "truncated": True}


async def test_a_file_that_may_not_be_read_is_not_named(bench: Workbench) -> None:
    bench.write("private/a.py", "")
    bench.write("b.py", "")
    bench.permission = {"read": {"private/*": "deny"}}
    assert (await bench.run(TOOL)).output == f"{bench.root.as_posix()}/\n  b.py"


async def test_an_empty_directory_says_so(bench: Workbench) -> None:
    assert "(No files" in (await bench.run(TOOL)).output


async def test_wrong_places_and_globs_are_clear_errors(bench: Workbench) -> None:
    bench.write("a.py", "")
    with pytest.raises(ToolError, match="is a file; read it"):
        await bench.run(TOOL, path="a.py")
    with pytest.raises(ToolError, match="does not exist"):
        await bench.run(TOOL, path="nowhere")
    with pytest.raises(ToolError, match="unclosed character class"):
        await bench.run(TOOL, ignore=["["])


async def test_permissions_are_asked(bench: Workbench) -> None:
    bench.permission = {"list": {"secret": "deny", "asked": "ask"}}
    for name in ("secret", "asked"):
        (bench.root / name).mkdir()
    with pytest.raises(PermissionDenied):
        await bench.run(TOOL, path="secret")
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL, path="asked")
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL, path="..")
    assert bench.user.asked == [("list", ("asked",)), ("external_directory", (f"{bench.root.parent}/*",))]


def test_a_tree_names_each_directory_once() -> None:
    names = [str(Path(name)) for name in ("a/b/1", "a/b/2", "a/c/3", "a/4", "d/b/5")]
    assert tree(names) == [
        "  a/",
        "    b/",
        "      1",
        "      2",
        "    c/",
        "      3",
        "    4",
        "  d/",
        "    b/",
        "      5",
    ]
