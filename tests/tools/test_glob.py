import os
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import InvalidArguments, ToolError
from placet.tools.glob import LIMIT, TOOL, split_pattern
from tools_support.workbench import Workbench, open_workbench


def shown(bench: Workbench, output: str) -> list[str]:
    return [os.path.relpath(line, bench.root) for line in output.split("\n\n")[0].splitlines()]


def dated(path: Path, seconds: int) -> None:
    os.utime(path, (seconds, seconds))


async def test_the_newest_come_first(bench: Workbench) -> None:
    for name, seconds in (("b.py", 2), ("a.py", 3), ("sub/c.py", 1), ("d.txt", 9)):
        dated(bench.write(name, ""), seconds)
    result = await bench.run(TOOL, pattern="*.py")
    assert shown(bench, result.output) == ["a.py", "b.py", "sub/c.py"]
    assert result.metadata["count"] == 3
    assert result.metadata["truncated"] is False


async def test_the_newest_of_all_are_kept_not_the_first_found(bench: Workbench) -> None:
    for number in range(LIMIT + 20):
        dated(bench.write(f"{number:03}.py", ""), number + 1)
    result = await bench.run(TOOL, pattern="**/*.py")
    assert shown(bench, result.output) == [f"{number:03}.py" for number in range(LIMIT + 19, 19, -1)]
    assert f"(The {LIMIT} newest of {LIMIT + 20} files." in result.output
    assert result.metadata["truncated"] is True


async def test_hidden_files_are_found_and_the_repository_is_not(bench: Workbench) -> None:
    for name in (".hidden/a.py", ".git/b.py", "sub/.git/c.py"):
        bench.write(name, "")
    assert shown(bench, (await bench.run(TOOL, pattern="**/*")).output) == [".hidden/a.py"]
    assert shown(bench, (await bench.run(TOOL, pattern="*.py")).output) == [".hidden/a.py"]


@corpus("pattern", ["*", "**", "**/*", "src/**", "src/**/*"], bench=open_workbench)
async def test_a_pattern_for_everything_does_not_bring_back_what_is_ignored(bench: Workbench, pattern: str) -> None:
    for name in ("src/a.py", "src/node_modules/b.js"):
        bench.write(name, "")
    bench.write(".ignore", "node_modules\n.ignore\n")
    assert shown(bench, (await bench.run(TOOL, pattern=pattern)).output) == ["src/a.py"]


@corpus(
    ("pattern", "expected"),
    [
        ("src/*.py", ["src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/deep/b.py"]),
        ("**/*.{js,ts}", ["src/c.js", "src/d.ts"]),
        ("*/deep/*", ["src/deep/b.py"]),
        ("/src/*.py", ["src/a.py"]),
        ("nowhere/*.py", []),
    ],
    bench=open_workbench,
)
async def test_patterns_mean_what_they_say(bench: Workbench, pattern: str, expected: list[str]) -> None:
    for name in ("src/a.py", "src/deep/b.py", "src/c.js", "src/d.ts"):
        bench.write(name, "")
    output = (await bench.run(TOOL, pattern=pattern)).output
    assert (sorted(shown(bench, output)) if expected else output) == (expected or "No files found.")


async def test_an_absolute_pattern_names_its_own_directory(bench: Workbench) -> None:
    bench.write("src/a.py", "")
    result = await bench.run(TOOL, pattern=f"{bench.root}/src/*.py")
    assert shown(bench, result.output) == ["src/a.py"]
    assert bench.user.asked == []


async def test_a_directory_outside_is_asked_for(bench: Workbench) -> None:
    outside = bench.root.parent / "out"
    outside.mkdir()
    await bench.run(TOOL, pattern="*.py", path=str(outside))
    await bench.run(TOOL, pattern=f"{outside}/*.py")
    assert bench.user.asked == [("external_directory", (f"{outside}/*",))] * 2


async def test_wrong_places_and_patterns_are_clear_errors(bench: Workbench) -> None:
    bench.write("a.py", "")
    with pytest.raises(ToolError, match="is a file, not a directory"):
        await bench.run(TOOL, pattern="*", path="a.py")
    with pytest.raises(ToolError, match="There is no directory"):
        await bench.run(TOOL, pattern="*", path="nowhere")
    with pytest.raises(ToolError, match="unclosed character class"):
        await bench.run(TOOL, pattern="[")
    with pytest.raises(InvalidArguments):
        await bench.run(TOOL, pattern="")


def test_the_literal_beginning_of_a_pattern_is_where_to_look(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    assert split_pattern(tmp_path, "src/*.py") == (tmp_path / "src", "/*.py")
    assert split_pattern(tmp_path, "*.py") == (tmp_path, "*.py")
    assert split_pattern(tmp_path, "/*.py") == (tmp_path, "/*.py")
    assert split_pattern(tmp_path, "s?c/*.py") == (tmp_path, "s?c/*.py")
    assert split_pattern(tmp_path, f"{tmp_path}/src/**/a") == (tmp_path / "src", "/**/a")


async def test_a_file_that_may_not_be_read_is_not_found(bench: Workbench) -> None:
    for name in ("a.py", "private/b.py", ".env"):
        bench.write(name, "")
    bench.permission = {"read": {"private/*": "deny"}}
    result = await bench.run(TOOL, pattern="**/*")
    assert sorted(shown(bench, result.output)) == [".env", "a.py"]
    assert result.metadata["count"] == 2
    assert (await bench.run(TOOL, pattern="*.py", path="private")).output == "No files found."


@corpus(
    ("pattern", "expected"),
    [
        ("src/[id]/*", ["src/[id]/page.tsx"]),
        ("src/[id]/**", ["src/[id]/page.tsx"]),
        ("[...all]/*.tsx", ["[...all]/x.tsx"]),
        ("src/[slug].tsx", ["src/[slug].tsx", "src/s.tsx"]),
        ("**/[id]/*", ["src/[id]/page.tsx", "src/i/plain.tsx"]),
        ("{{name}}/*", ["{{name}}/y.tsx"]),
        ("**/[[]id]/*", ["src/[id]/page.tsx"]),
        ("src/\\[id\\]/*", ["src/[id]/page.tsx"]),
        ("src/[i]/*", ["src/i/plain.tsx"]),
    ],
    bench=open_workbench,
)
@pytest.mark.skipif(os.name == "nt", reason="a backslash parts directories there")
async def test_a_pattern_that_is_the_very_name_of_a_directory_or_file_finds_it(
    bench: Workbench, pattern: str, expected: list[str]
) -> None:
    names = ("src/[id]/page.tsx", "src/i/plain.tsx", "[...all]/x.tsx", "src/[slug].tsx", "src/s.tsx", "{{name}}/y.tsx")
    for name in names:
        bench.write(name, "")
    assert sorted(shown(bench, (await bench.run(TOOL, pattern=pattern)).output)) == expected
