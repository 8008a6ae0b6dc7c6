"""All files that a command has written are marked: texts by their texts, other files by descriptions."""

from pathlib import Path

from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import ChangeRecord, FileRecord
from placet.changes.propose.raw_proposal import CommandPlan
from placet.changes.review.marks import has_texts_only, written_files
from placet.text.plan import PlannedFile

A, B = Path("/project/a"), Path("/project/b")
TEXT, BINARY, LINK = RawFile("file", b"a\r\n", 0o644), RawFile("file", b"\0\xff"), RawFile("link", b"a")


def marked(*records: FileRecord) -> list[tuple[str, str, str]]:
    change = ChangeRecord("chg", "ses", "turn", "msg", records, kind="command")
    return [(file.kind, file.old_text, file.new_text) for file in written_files(change.files)]


def test_changed_created_and_deleted_texts_are_marked() -> None:
    assert marked(FileRecord("modify", A, "a\r\n", "b\r\n")) == [("modify", "a\n", "b\n")]
    assert marked(FileRecord("create", A, None, "b\n")) == [("create", "", "b\n")]
    assert marked(FileRecord("delete", A, "a\n", None)) == [("delete", "a\n", "")]
    assert marked(FileRecord("create", A, raw_after=TEXT)) == [("create", "", "a\n")]
    assert marked(FileRecord("delete", A, raw_before=TEXT)) == [("delete", "a\n", "")]


def test_binary_files_and_links_are_marked_by_descriptions() -> None:
    created, deleted = marked(FileRecord("create", A, raw_after=BINARY), FileRecord("delete", B, raw_before=LINK))
    assert created[:2] == ("create", "")
    assert created[2].startswith("binary file, 2 bytes, sha256 ")
    assert deleted == ("delete", "symbolic link to a\n", "")
    ((kind, old_text, new_text),) = marked(FileRecord("modify", A, raw_before=TEXT, raw_after=BINARY))
    assert (kind, new_text) == ("modify", created[2])
    assert old_text.startswith("text file, utf-8, line ends CRLF, 3 bytes")


def test_new_permissions_are_marked_with_the_present_content(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("a\n")
    change = ChangeRecord("chg", "ses", "turn", "msg", (FileRecord("modify", path, mode=0o644, new_mode=0o755),))
    (file,) = written_files(change.files)
    assert (file.old_text, file.new_text, file.base_mode, file.mode) == ("a\n", "a\n", 0o644, 0o755)
    path.unlink()
    assert written_files(change.files) == []


def test_names_that_are_not_utf_8_are_not_marked() -> None:
    assert marked(FileRecord("create", Path("/project/\udcff"), None, "a\n")) == []


def test_a_commands_plan_is_of_texts_only_without_any_other_difference() -> None:
    text = PlannedFile("modify", A, "a\n", "b\n")
    created, mode = FileRecord("create", B, raw_after=TEXT), FileRecord("modify", A, mode=0o644, new_mode=0o755)
    assert has_texts_only(CommandPlan("", (text,), {B: [created]}))
    assert not has_texts_only(CommandPlan("", (text,), {A: [mode]}))
    assert not has_texts_only(CommandPlan("", (), {B: [FileRecord("create", B, raw_after=BINARY)]}))
    assert not has_texts_only(CommandPlan("", (), {B: [created, mode]}))
