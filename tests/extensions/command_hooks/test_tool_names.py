"""Matchers and scripts for Claude Code's tools meet Placet's tools."""

from pathlib import Path
from typing import Any

from corpus_support import corpus
from placet.extensions.command_hooks.table import CommandHook
from placet.extensions.command_hooks.tool_names import arguments_from, hook_tool

ROOT = Path("/project").absolute()


@corpus(
    ("matcher", "tool", "does_match"),
    [
        ("", "bash", True),
        ("*", "anything", True),
        ("Bash", "bash", True),
        ("bash", "bash", True),
        ("Bash", "batch", False),
        ("Edit|Write", "write", True),
        ("Edit, Write", "edit", True),
        ("Edit|Write", "apply_patch", True),
        ("Edit", "multiedit", True),
        ("Write", "edit", False),
        ("Web.*", "webfetch", True),
        ("Agent", "task", True),
        ("mcp__notes__find", "notes_find", True),
        ("mcp__notes__.*", "notes_find", True),
        ("mcp__notes__.*", "notes_too_find", False),
        ("mcp__.*__find", "notes_too_find", True),
    ],
)
def test_a_matcher_for_claude_code_matches_the_tool(matcher: str, tool: str, does_match: bool) -> None:
    names = hook_tool(tool, {}, ROOT, ("notes", "notes_too")).names
    assert CommandHook("PreToolUse", "true", "here", matcher).matches(names) is does_match


@corpus(
    ("tool", "arguments"),
    [
        ("edit", {"filePath": str(ROOT / "a"), "oldString": "b", "newString": "c", "replaceAll": True}),
        ("bash", {"command": "ls", "background": True}),
        ("grep", {"pattern": "x", "include": "*.py", "path": str(ROOT)}),
        ("apply_patch", {"patchText": "*** Begin Patch\n*** Update File: a.py\n*** End Patch"}),
        ("notes_find", {"someName": 1, "other_name": 2}),
    ],
)
def test_arguments_come_back_as_they_went(tool: str, arguments: dict[str, Any]) -> None:
    call = hook_tool(tool, arguments, ROOT, ("notes",))
    assert arguments_from(tool, call.input, arguments) == arguments
    assert arguments_from(tool, call.input, {}) == arguments


def test_the_names_of_arguments_are_those_of_claude_code() -> None:
    edit = hook_tool("edit", {"filePath": "a.py", "oldString": "b", "newString": "c"}, ROOT, ())
    assert edit.names[0] == "Edit"
    assert edit.input == {"file_path": str(ROOT / "a.py"), "old_string": "b", "new_string": "c"}
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n*** Add File: b.py\n*** End Patch"
    assert hook_tool("apply_patch", {"patchText": patch}, ROOT, ()).input["file_paths"] == [
        str(ROOT / "a.py"),
        str(ROOT / "b.py"),
    ]
