"""Of a command's changes exactly the texts join the change set; everything else stays in the rest of the plan."""

from pathlib import Path

import pytest

from corpus_support import corpus
from placet.changes.commands.staged_texts import created_text, rest_of, stageable, usual_mode
from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import FileRecord
from placet.changes.propose.raw_proposal import CommandPlan
from placet.text.plan import PlannedFile

A, D, INSIDE = Path("/project/a"), Path("/project/d"), Path("/project/d/x")
TEXT = PlannedFile("modify", A, "a\n", "b\n")


def file(data: bytes, mode: int | None = None) -> RawFile:
    return RawFile("file", data, usual_mode() if mode is None else mode)


def created(path: Path, raw: RawFile) -> list[FileRecord]:
    return [FileRecord("create", path, raw_after=raw)]


def deleted(path: Path, raw: RawFile) -> list[FileRecord]:
    return [FileRecord("delete", path, raw_before=raw)]


def staged(plan: CommandPlan) -> list[tuple[str, Path]]:
    return [(planned.kind, planned.path) for planned in stageable(plan, lambda _: True)]


@pytest.mark.parametrize(("mode", "is_staged"), [(0o755, True), (0o444, False)])
def test_a_text_that_becomes_read_only_is_not_staged(mode: int, is_staged: bool) -> None:
    plan = CommandPlan("", (TEXT,), {A: [FileRecord("modify", A, mode=0o644, new_mode=mode)]})
    assert bool(staged(plan)) == is_staged
    rest = rest_of(plan, [A] if is_staged else [])
    assert (rest.files, list(rest.raw)) == (() if is_staged else (TEXT,), [A])


def test_a_file_in_the_place_of_a_directory_and_the_reverse_are_not_staged() -> None:
    swap = {D: created(D, file(b"d\n")), INSIDE: deleted(INSIDE, file(b"x\n"))}
    assert staged(CommandPlan("", (), swap)) == []
    swap = {D: deleted(D, file(b"d\n")), INSIDE: created(INSIDE, file(b"x\n"))}
    assert staged(CommandPlan("", (), swap)) == []
    both = {D: created(D, file(b"d\n")), A: deleted(A, file(b"a\n"))}
    assert staged(CommandPlan("", (), both)) == [("create", D), ("delete", A)]
    assert rest_of(CommandPlan("", (), both), [D]).raw == {A: both[A]}


def test_only_files_that_join_are_staged() -> None:
    plan = CommandPlan("", (TEXT,), {D: created(D, file(b"d\n"))})
    assert [planned.path for planned in stageable(plan, lambda path: path == D)] == [D]


@corpus(
    ("raw", "text"),
    [
        (file(b"a\nb\n"), "a\nb\n"),
        (file(b"a\r\nb\r\n"), "a\r\nb\r\n"),
        (file(b"\xef\xbb\xbfa\n"), "\ufeffa\n"),
        (file(b"a\r\nb\n"), None),
        (file("a\n".encode("utf-16")), None),
        (file(b"\0"), None),
        (RawFile("link", b"a"), None),
    ],
)
def test_a_new_file_is_staged_where_a_text_with_one_line_ending_gives_the_file_back(
    raw: RawFile, text: str | None
) -> None:
    assert created_text(raw) == text
    assert staged(CommandPlan("", (), {A: created(A, raw)})) == ([] if text is None else [("create", A)])


@pytest.mark.parametrize(
    ("mode", "staged_mode"),
    [(usual_mode(), None), (usual_mode() | 0o111, usual_mode() | 0o111), (0o600, 0o600)],
)
def test_a_new_file_is_staged_with_permissions_of_its_own(mode: int, staged_mode: int | None) -> None:
    plan = CommandPlan("", (), {A: created(A, file(b"a\n", mode))})
    assert [planned.mode for planned in stageable(plan, lambda _: True)] == [staged_mode]


@corpus("mode", [0o444, 0o200, 0o4755, 0o1644])
def test_a_new_file_is_not_staged_if_its_owner_could_not_edit_it_or_a_bit_is_special(mode: int) -> None:
    assert staged(CommandPlan("", (), {A: created(A, file(b"a\n", mode))})) == []
