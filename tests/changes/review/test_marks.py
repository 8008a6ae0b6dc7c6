"""Texts that a command has written are marked; other files of a command are not."""

from pathlib import Path

from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.changes.propose.raw_proposal import CommandPlan
from placet.changes.review.marks import has_texts_only, text_files
from placet.text.plan import PlannedFile

A, B = Path("/project/a"), Path("/project/b")
TEXT, BINARY, LINK = RawFile("file", b"a\r\n", 0o644), RawFile("file", b"\0\xff"), RawFile("link", b"a")


def marked(*records: FileRecord) -> list[tuple[str, str, str]]:
    change = ChangeRecord("chg", "ses", "turn", "msg", records, kind="command")
    return [(file.kind, file.old_text, file.new_text) for file in text_files(change)]


def test_changed_created_and_deleted_texts_are_marked() -> None:
    assert marked(FileRecord("modify", A, "a\r\n", "b\r\n")) == [("modify", "a\n", "b\n")]
    assert marked(FileRecord("create", A, None, "b\n")) == [("create", "", "b\n")]
    assert marked(FileRecord("delete", A, "a\n", None)) == [("delete", "a\n", "")]
    assert marked(FileRecord("create", A, raw_after=TEXT)) == [("create", "", "a\n")]
    assert marked(FileRecord("delete", A, raw_before=TEXT)) == [("delete", "a\n", "")]


def test_binary_files_links_permissions_and_names_that_are_not_utf_8_are_not_marked() -> None:
    assert marked(FileRecord("create", A, raw_after=BINARY), FileRecord("delete", A, raw_before=LINK)) == []
    assert marked(FileRecord("modify", A, raw_before=TEXT, raw_after=BINARY)) == []
    assert marked(FileRecord("modify", A, mode=0o644, new_mode=0o755)) == []
    assert marked(FileRecord("create", Path("/project/\udcff"), None, "a\n")) == []


def test_a_commands_plan_is_of_texts_only_without_any_other_difference() -> None:
    text = PlannedFile("modify", A, "a\n", "b\n")
    created, mode = FileRecord("create", B, raw_after=TEXT), FileRecord("modify", A, mode=0o644, new_mode=0o755)
    assert has_texts_only(CommandPlan("", (text,), {B: [created]}))
    assert not has_texts_only(CommandPlan("", (text,), {A: [mode]}))
    assert not has_texts_only(CommandPlan("", (), {B: [FileRecord("create", B, raw_after=BINARY)]}))
    assert not has_texts_only(CommandPlan("", (), {B: [created, mode]}))
