"""Which share of a difference is the command's own."""

from pathlib import Path

from placet.changes.commands.attribution import ConcurrentChanges, own_records
from placet.changes.commands.snapshot import Difference
from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import ChangeRecord, FileRecord, RecordState

PATH = Path("/project/a.py").absolute()
A, B, C, D = ("one\n", "two\n", "three\n", "four\n")
Step = tuple[str | None, str | None]


def raw(text: str | None) -> RawFile | None:
    return None if text is None else RawFile("file", text.encode(), 0o644)


def edit(before: str | None, after: str | None, state: RecordState = "applied") -> ChangeRecord:
    return ChangeRecord("chg_1", "ses_1", "msg_1", "msg_2", (FileRecord("modify", PATH, before, after),), state=state)


def own(before: str | None, after: str | None, *changes: ChangeRecord, saved: tuple[str, ...] = ()) -> list[Step]:
    records = own_records([Difference(PATH, raw(before), raw(after))], ConcurrentChanges(changes, {PATH: saved}))
    return [(record.before, record.after) for record in records]


def test_what_nobody_else_did_is_the_command_s() -> None:
    assert own(A, B) == [(A, B)]
    assert own(None, B) == [(None, B)]
    assert own(A, None) == [(A, None)]


def test_an_edit_of_ours_is_not() -> None:
    assert own(A, B, edit(A, B)) == []
    assert own(None, B, edit(None, B)) == []
    assert own(A, None, edit(A, None)) == []
    assert own(A, C, edit(A, B), edit(B, C)) == []


def test_steps_before_after_and_between_edits_of_ours_are() -> None:
    assert own(A, C, edit(A, B)) == [(B, C)]
    assert own(A, C, edit(B, C)) == [(A, B)]
    assert own(A, D, edit(A, B), edit(C, D)) == [(B, C)]


def test_an_edit_that_is_not_there_yet_makes_nothing_the_command_s() -> None:
    assert own(A, B, edit(A, B), edit(B, C, "planned")) == []


def test_what_the_user_saved_is_theirs() -> None:
    assert own(A, B, saved=(B,)) == []
    assert own(A, C, saved=(B,)) == [(B, C)]
    assert own(A, C, edit(B, C), saved=(B,)) == []


def test_line_ends_alone_are_a_matter_of_bytes() -> None:
    (record,) = own_records([Difference(PATH, raw("a\n"), raw("a\r\n"))], ConcurrentChanges((), {}))
    assert (record.form, record.raw_after) == ("raw", RawFile("file", b"a\r\n"))


def test_another_command_s_bytes_are_not_this_one_s() -> None:
    before, after = RawFile("file", b"\0a"), RawFile("file", b"\0b")
    record = FileRecord("modify", PATH, raw_before=before, raw_after=after)
    other = ChangeRecord("chg_1", "ses_1", "msg_1", "msg_2", (record,), kind="command", state="applied")
    assert own_records([Difference(PATH, before, after)], ConcurrentChanges([other], {})) == []
