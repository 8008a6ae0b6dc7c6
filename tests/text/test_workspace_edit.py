"""A language server's edit becomes a plan, whole, or an error."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.errors import EditError
from placet.text.plan import PlannedFile
from placet.text.positions import character_at
from placet.text.workspace_edit import applied, planned_files, touched_uris, versions_of

A, B = "file:///p/a.py", "file:///p/b.py"


def path_of(uri: str) -> Path | None:
    return Path(uri.removeprefix("file://")) if uri.startswith("file://") else None


def span(line: int, start: int, end: int, new: str, *, end_line: int | None = None) -> dict[str, Any]:
    at = {
        "start": {"line": line, "character": start},
        "end": {"line": line if end_line is None else end_line, "character": end},
    }
    return {"range": at, "newText": new}


def plan(edit: dict[str, Any], **texts: str) -> tuple[PlannedFile, ...]:
    return planned_files(edit, {{"a": A, "b": B}[name]: text for name, text in texts.items()}, path_of)


def test_edits_of_several_files_are_one_plan() -> None:
    edit = {"changes": {A: [span(0, 4, 7, "new")], B: [span(0, 0, 3, "new")]}}
    assert plan(edit, a="def old(): ...\n", b="old()\n") == (
        PlannedFile("modify", Path("/p/a.py"), "def old(): ...\n", "def new(): ...\n"),
        PlannedFile("modify", Path("/p/b.py"), "old()\n", "new()\n"),
    )


def test_all_edits_of_a_document_speak_of_its_text_as_it_was() -> None:
    assert applied("one two\n", [span(0, 4, 7, "2"), span(0, 0, 3, "first,")]) == "first, 2\n"
    assert applied("x\n", [span(0, 0, 0, "a"), span(0, 0, 0, "b")]) == "abx\n", "two insertions keep their order"


def test_positions_count_in_utf_16() -> None:
    assert applied("'\U0001f600' old\n", [span(0, 5, 8, "new")]) == "'\U0001f600' new\n"


def test_line_ends_of_the_server_become_ours() -> None:
    assert applied("a\n", [span(0, 1, 1, "\r\nb")]) == "a\nb\n"


def test_a_file_is_created_written_renamed_and_deleted() -> None:
    edit = {
        "documentChanges": [
            {"kind": "create", "uri": "file:///p/new.py"},
            {"textDocument": {"uri": "file:///p/new.py", "version": None}, "edits": [span(0, 0, 0, "made\n")]},
            {"kind": "rename", "oldUri": A, "newUri": "file:///p/moved.py"},
            {"textDocument": {"uri": "file:///p/moved.py", "version": 3}, "edits": [span(0, 0, 1, "y")]},
            {"kind": "delete", "uri": B},
        ]
    }
    assert plan(edit, a="x\n", b="gone\n") == (
        PlannedFile("delete", Path("/p/b.py"), "gone\n", None),
        PlannedFile("create", Path("/p/new.py"), None, "made\n"),
        PlannedFile("rename", Path("/p/a.py"), "x\n", "y\n", new_path=Path("/p/moved.py")),
    )
    assert touched_uris(edit) == ["file:///p/new.py", A, "file:///p/moved.py", B]
    assert versions_of(edit) == {"file:///p/moved.py": 3}


def test_an_edit_that_changes_nothing_plans_nothing() -> None:
    assert plan({"changes": {A: [span(0, 0, 1, "x")]}}, a="x\n") == ()
    assert plan({}) == ()


@corpus(
    ("edit", "message"),
    [
        ({"changes": {A: [span(0, 0, 2, "1"), span(0, 1, 3, "2")]}}, "overlap"),
        ({"changes": {B: [span(0, 0, 0, "1")]}}, "not there"),
        ({"documentChanges": [{"kind": "create", "uri": A}]}, "exists"),
        ({"documentChanges": [{"kind": "rename", "oldUri": A, "newUri": A}]}, "exists"),
        ({"documentChanges": [{"kind": "copy", "uri": A}]}, "not known"),
        ({"changes": {A: [{"range": span(0, 0, 0, "")["range"], "snippet": {"value": "$1"}}]}}, "snippet"),
        ({"documentChanges": [{"kind": "create", "uri": "untitled:1"}]}, "no file"),
    ],
)
def test_what_cannot_be_done_as_a_whole_is_an_error(edit: dict[str, Any], message: str) -> None:
    with pytest.raises(EditError, match=message):
        plan(edit, a="text\n")


@given(st.data())
def test_any_edits_that_do_not_overlap_give_exactly_what_they_say(data: st.DataObject) -> None:
    words = data.draw(st.lists(st.text("ab\U0001f600\n", min_size=1, max_size=5), min_size=1, max_size=8))
    text, edits, expected = "", [], ""
    for word in words:
        start = text
        text += word
        if data.draw(st.booleans()):
            new = data.draw(st.text("xy\n", max_size=3))
            edits.append((start, text, new))
            expected += new
        else:
            expected += word

    def position(before: str) -> dict[str, int]:
        line = before.rpartition("\n")[2]
        return {"line": before.count("\n"), "character": character_at(line, len(line), "utf-16")}

    made = [{"range": {"start": position(a), "end": position(b)}, "newText": new} for a, b, new in edits]
    assert applied(text, data.draw(st.permutations(made))) == expected
