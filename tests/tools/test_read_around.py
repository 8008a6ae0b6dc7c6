"""What comes with a file: instructions that hold for it; and what is said when the name is not quite right."""

import asyncio
import os

import pytest

from placet.core.errors import DocumentMissing, NobodyToAsk
from placet.tools.read import TOOL
from tools_support.workbench import Workbench


async def test_the_instructions_above_a_file_come_with_it_once_a_session(bench: Workbench) -> None:
    top = bench.write("AGENTS.md", "Be brief.\n")
    near = bench.write("src/deep/CLAUDE.md", "Use tabs.\n")
    bench.write("src/deep/CONTEXT.md", "Not this one.\n")
    bench.write("other/AGENTS.md", "Not here.\n")
    bench.write("src/deep/a.py", "a\n")
    bench.write("src/deep/b.py", "b\n")
    result = await bench.run(TOOL, filePath="src/deep/a.py")
    instructions = f"Instructions from {near}:\nUse tabs.\n\nInstructions from {top}:\nBe brief."
    assert result.output.endswith(f"</content>\n\n<system-reminder>\n{instructions}\n</system-reminder>")
    assert result.metadata["loaded"] == [str(near), str(top)]
    again = await bench.run(TOOL, filePath="src/deep/b.py")
    assert "system-reminder" not in again.output
    assert again.metadata["loaded"] == []


async def test_reads_side_by_side_bring_the_instructions_once(bench: Workbench) -> None:
    bench.write("AGENTS.md", "Be brief.\n")
    for name in ("a.py", "b.py", "c.py"):
        bench.write(name, "x\n")
    results = await asyncio.gather(*(bench.run(TOOL, filePath=name) for name in ("a.py", "b.py", "c.py")))
    assert sum("Be brief." in result.output for result in results) == 1


async def test_instructions_that_the_session_knows_are_not_repeated(bench: Workbench) -> None:
    bench.write("AGENTS.md", "Be brief.\n")
    bench.write("a.py", "x\n")
    assert "system-reminder" not in (await bench.run(TOOL, filePath="AGENTS.md")).output
    assert "system-reminder" not in (await bench.run(TOOL, filePath="a.py")).output


async def test_instructions_that_may_not_be_read_are_left_out(bench: Workbench) -> None:
    outside = bench.root.parent / "AGENTS.md"
    outside.write_text("From outside.\n")
    bench.write(".env", "KEY=1\n")
    bench.write("one/CLAUDE.md", "Denied.\n")
    (bench.root / "two").mkdir()
    (bench.root / "two/AGENTS.md").symlink_to(bench.root / ".env")
    (bench.root / "AGENTS.md").symlink_to(outside)
    bench.permission = {"read": {"one/CLAUDE.md": "deny"}}
    for name in ("one/a.py", "two/a.py"):
        bench.write(name, "x\n")
        assert "system-reminder" not in (await bench.run(TOOL, filePath=name)).output


async def test_a_rule_of_cursor_comes_with_the_files_it_is_about_once_a_session(bench: Workbench) -> None:
    rule = bench.write(".cursor/rules/types.mdc", "---\nglobs: *.ts\n---\nName each type.\n")
    for name in ("a.py", "a.ts", "b.ts"):
        bench.write(name, "x\n")
    told = [(await bench.run(TOOL, filePath=name)).output for name in ("a.py", "a.ts", "b.ts")]
    assert [f"Instructions from {rule}:" in output for output in told] == [False, True, False]


async def test_a_rule_of_cursor_that_links_to_a_secret_is_left_out(bench: Workbench) -> None:
    bench.write(".env", "---\nglobs: *.ts\n---\nKEY=1\n")
    rule = bench.write(".cursor/rules/types.mdc", "")
    rule.unlink()
    rule.symlink_to(bench.root / ".env")
    bench.write("a.ts", "x\n")
    assert "system-reminder" not in (await bench.run(TOOL, filePath="a.ts")).output


async def test_unsaved_instructions_are_taken_as_on_screen_and_long_ones_are_cut(bench: Workbench) -> None:
    path = bench.write("AGENTS.md", "saved\n")
    bench.write("a.py", "x\n")
    bench.documents.type(path, "typed\n" + "x" * 100_000)
    output = (await bench.run(TOOL, filePath="a.py")).output
    assert f"Instructions from {path}:\ntyped\n" in output
    assert "100006 characters in all" in output
    assert len(output) < 25_000


async def test_of_two_names_that_look_the_same_neither_is_guessed(bench: Workbench) -> None:
    bench.write("a\u2013b.txt", "one\n")
    bench.write("a\u2014b.txt", "two\n")
    with pytest.raises(DocumentMissing, match="Did you mean") as caught:
        await bench.run(TOOL, filePath="a-b.txt")
    assert "a\u2013b.txt" in str(caught.value)


async def test_a_name_that_looks_like_a_secret_is_asked_for_as_the_secret(bench: Workbench) -> None:
    bench.write(".env", "KEY=1\n")
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL, filePath="\uff0eenv")
    assert bench.user.asked == [("read", (".env",))]


async def test_a_missing_file_names_its_namesakes_elsewhere(bench: Workbench) -> None:
    namesake = bench.write("lib/deep/settings.py", "")
    bench.write("secret/settings.py", "")
    bench.permission = {"read": {"secret/*": "deny"}}
    with pytest.raises(DocumentMissing) as caught:
        await bench.run(TOOL, filePath="src/Settings.py")
    assert str(caught.value).endswith(f"Did you mean one of these?\n{namesake}")


async def test_a_missing_directory_names_the_nearest_that_exists(bench: Workbench) -> None:
    (bench.root / "src").mkdir()
    with pytest.raises(DocumentMissing, match=f"There is no directory .*; {bench.root / 'src'} exists"):
        await bench.run(TOOL, filePath=os.path.join("src", "nowhere", "a.py"))


async def test_letters_alone_are_no_suggestion(bench: Workbench) -> None:
    bench.write("a", "")
    with pytest.raises(DocumentMissing) as caught:
        await bench.run(TOOL, filePath="database.sql")
    assert "Did you mean" not in str(caught.value)
