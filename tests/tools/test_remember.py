"""`remember` proposes a note for later sessions in MEMORY.md, and nothing writes a memory unseen."""

from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import Rejected, ToolError
from placet.core.ports import PermissionAnswer
from placet.tools.framework.define import AgentView
from placet.tools.framework.registry import ready_tools
from placet.tools.read import TOOL as READ
from placet.tools.remember import TOOL, remembered
from placet.tools.write import TOOL as WRITE
from tools_support.workbench import Workbench, open_workbench

OF_MEMORY = ("edit_sensitive", ("MEMORY.md",))


async def test_a_first_note_is_proposed_as_a_new_file_with_its_difference(bench: Workbench) -> None:
    result = await bench.run(TOOL, note="Tests run with `make check`.")
    assert (bench.root / "MEMORY.md").read_text() == "# Memory\n\n- Tests run with `make check`.\n"
    assert "Created MEMORY.md" in result.output
    [request] = bench.user.requests
    assert request.permission == "edit"
    assert request.change is not None
    assert request.change.files[0].new_text.endswith("make check`.\n")


async def test_a_further_note_comes_to_the_end_of_a_memory_that_was_never_read(bench: Workbench) -> None:
    path = bench.write("MEMORY.md", b"\xef\xbb\xbf# Ours\r\n\r\n- One.\r\n")
    await bench.run(TOOL, note="- Two\nlines.\n")
    assert path.read_bytes() == b"\xef\xbb\xbf# Ours\r\n\r\n- One.\r\n- Two\r\n  lines.\r\n"


async def test_a_note_that_the_user_rejects_is_not_written(bench: Workbench) -> None:
    bench.user.answers = [PermissionAnswer("reject")]
    with pytest.raises(Rejected):
        await bench.run(TOOL, note="No.")
    assert not (bench.root / "MEMORY.md").exists()


async def test_a_known_note_is_neither_asked_nor_written_again(bench: Workbench) -> None:
    bench.write("MEMORY.md", "- One.\n")
    assert "has this note already" in (await bench.run(TOOL, note="One.")).output
    assert bench.user.asked == []


@corpus("tool", ["remember", "write"], bench=open_workbench)
async def test_a_session_that_edits_without_asking_asks_before_it_writes_a_memory(bench: Workbench, tool: str) -> None:
    bench.permission = {"*": "allow", "edit": "allow"}
    bench.write("MEMORY.md", "- One.\n")
    if tool == "remember":
        await bench.run(TOOL, note="Two.")
    else:
        await bench.run(READ, filePath="MEMORY.md")
        await bench.run(WRITE, filePath="MEMORY.md", content="- Two.\n")
    assert bench.user.asked == [OF_MEMORY]
    [request] = bench.user.requests
    assert "Each later session reads what is written there" in request.rule
    assert request.always == ()
    assert request.change is not None


async def test_a_rule_that_names_the_memory_allows_its_notes(bench: Workbench) -> None:
    bench.permission = {"edit": "allow", "edit_sensitive": {"MEMORY.md": "allow"}}
    await bench.run(TOOL, note="One.")
    assert bench.user.asked == []
    assert (bench.root / "MEMORY.md").exists()


async def test_the_users_own_memory_is_the_file_beside_the_settings(bench: Workbench, tmp_path: Path) -> None:
    memory = tmp_path / "config/placet/MEMORY.md"
    bench.agent = AgentView("build", memory_file=memory)
    bench.permission = {"edit": "allow"}
    await bench.run(TOOL, note="Answers are short.", scope="user")
    assert memory.read_text() == "# Memory\n\n- Answers are short.\n"
    assert [permission for permission, _ in bench.user.asked] == ["external_directory", "edit_sensitive"]


async def test_a_link_that_leads_out_of_the_project_is_asked_as_such_before_it_is_read(
    bench: Workbench, tmp_path: Path
) -> None:
    outside = tmp_path / "elsewhere.md"
    outside.write_text("- One.\n")
    (bench.root / "MEMORY.md").symlink_to(outside)
    bench.user.answers = [PermissionAnswer("reject")]
    with pytest.raises(Rejected):
        await bench.run(TOOL, note="One.")
    assert bench.user.asked == [("external_directory", (f"{tmp_path}/*",))]


async def test_a_memory_that_may_not_be_read_is_not_written(bench: Workbench) -> None:
    bench.permission = {"read": {"MEMORY.md": "deny"}}
    bench.write("MEMORY.md", "- One.\n")
    with pytest.raises(ToolError, match=r"deny reading MEMORY\.md"):
        await bench.run(TOOL, note="Two.")


async def test_an_agent_that_may_not_edit_has_no_such_tool() -> None:
    tools = await ready_tools(AgentView("plan", judge=lambda *_: "deny"), lambda permission: False)
    assert "remember" not in tools
    assert "remember" in await ready_tools(AgentView("build"), lambda permission: False)


@corpus(
    ("memory", "note", "replaces", "expected"),
    [
        ("", "One.", "", "# Memory\n\n- One.\n"),
        ("# Mine\n\n- One.", "Two.", "", "# Mine\n\n- One.\n- Two.\n"),
        ("- One.\n- Two.\n", "New.", "One.", "- New.\n- Two.\n"),
        ("- One.\n- Two.\n", "", "- Two.", "- One.\n"),
        ("- One.\n  More.\n- Two.\n", "", "One.\nMore.", "- Two.\n"),
    ],
)
def test_a_memory_gains_changes_and_loses_notes(memory: str, note: str, replaces: str, expected: str) -> None:
    assert remembered(memory, note, replaces) == expected


@corpus(
    ("memory", "note", "replaces", "told"),
    [
        ("- One.\n", " ", "", "Give a note"),
        ("- One.\n", "New.", "One", "no such note"),
        ("- One.\n  More.\n", "New.", "One.", "no such note"),
        ("- One.\n- One.\n", "New.", "One.", "this note 2 times"),
    ],
)
def test_a_note_that_is_not_clear_changes_nothing(memory: str, note: str, replaces: str, told: str) -> None:
    with pytest.raises(ToolError, match=told):
        remembered(memory, note, replaces)


async def test_a_memory_stays_as_short_as_sessions_read_it(bench: Workbench) -> None:
    bench.write("MEMORY.md", "- " + "x" * 19_995 + "\n")
    with pytest.raises(ToolError, match="which notes to forget"):
        await bench.run(TOOL, note="One.")
