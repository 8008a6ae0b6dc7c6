import asyncio
import os
import stat
from pathlib import Path

import pytest

from placet.core.errors import DocumentError, DocumentMissing
from placet.core.ports import Document, FileEdit, FileOutcome
from placet.project.files.disk import DiskDocuments, read_document, write_document


async def apply(*edits: FileEdit) -> list[FileOutcome]:
    return await DiskDocuments().apply(edits, edit_id="e1", label="test")


def modify(document: Document, text: str) -> FileEdit:
    return FileEdit("modify", document.path, document, text)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_document_is_read_with_its_own_ends_and_without_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    document = read_document(path)
    assert (document.text, document.bom, document.encoding, document.source) == ("one\r\ntwo\n", True, "utf-8", "disk")


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"a\0b")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DocumentMissing):
        read_document(tmp_path / "none")
    with pytest.raises(DocumentMissing):
        read_document(tmp_path / "binary" / "below")
    for name, reason in (("", "directory"), ("binary", "binary"), ("latin", "0xe9"), ("pipe", "regular file")):
        with pytest.raises(DocumentError, match=reason) as caught:
            read_document(tmp_path / name)
        assert str(tmp_path) in str(caught.value)
        assert not isinstance(caught.value, DocumentMissing)


def test_a_file_too_big_for_text_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(DocumentError, match="more than"):
        read_document(path)


def test_writing_keeps_the_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("old")
    path.chmod(0o751)
    write_document(path, "new", encoding="utf-8", bom=False)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert names(tmp_path) == ["run.sh"]


def test_writing_goes_through_a_link_to_its_target(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "a.txt"
    target.write_text("old")
    link = tmp_path / "link"
    link.symlink_to(target)
    write_document(link, "new", encoding="utf-8", bom=False)
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_new_file_gets_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_document(tmp_path / "sub" / "a.txt", "text", encoding="utf-8", bom=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "sub" / "a.txt").stat().st_mode) == 0o640
    assert (tmp_path / "sub" / "a.txt").read_bytes() == b"\xef\xbb\xbftext"


def test_a_read_only_file_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(DocumentError, match="read-only"):
        write_document(path, "new", encoding="utf-8", bom=False)
    assert path.read_text() == "old"


async def test_creating_never_replaces_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("a.txt", "dangling"):
        (outcome,) = await apply(FileEdit("create", tmp_path / name, None, "new"))
        assert not outcome.applied
        assert "exists already" in outcome.reason
    assert names(tmp_path) == ["a.txt", "dangling"]


async def test_of_many_that_create_the_same_file_at_once_one_succeeds(tmp_path: Path) -> None:
    async def attempt(number: int) -> str:
        (outcome,) = await apply(FileEdit("create", tmp_path / "a.txt", None, str(number)))
        return str(number) if outcome.applied else ""

    winners = [text for text in await asyncio.gather(*map(attempt, range(64))) if text]
    assert winners == [(tmp_path / "a.txt").read_text()]
    assert names(tmp_path) == ["a.txt"]


def test_a_text_that_cannot_be_encoded_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(DocumentError):
        write_document(path, "\ud800", encoding="utf-8", bom=False)
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


async def test_a_change_is_applied_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("old\r\n".encode("utf-16"))
    document = read_document(path)
    [outcome] = await apply(modify(document, "néw\r\n"))
    assert outcome.applied
    assert outcome.after is not None
    assert outcome.after.text == "néw\r\n"
    assert path.read_bytes() == "néw\r\n".encode("utf-16")


async def test_a_file_that_changed_since_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    document = read_document(path)
    path.write_text("the user's")
    for edit in (
        modify(document, "new"),
        FileEdit("delete", path, document),
        FileEdit("rename", path, document, "old", new_path=tmp_path / "b.txt"),
    ):
        [outcome] = await apply(edit)
        assert not outcome.applied
        assert "has changed on disk" in outcome.reason
        assert outcome.after is not None
        assert outcome.after.text == "the user's"
    assert names(tmp_path) == ["a.txt"]


async def test_a_mode_or_mark_that_changed_is_not_a_change_of_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    document = read_document(path)
    path.chmod(0o700)
    [outcome] = await apply(modify(document, "new"))
    assert outcome.applied
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


async def test_create_delete_and_rename_are_done_and_reported(tmp_path: Path) -> None:
    old, moved = tmp_path / "old.txt", tmp_path / "moved.txt"
    old.write_text("old")
    moved.write_bytes(b"\xef\xbb\xbfhere")
    moved.chmod(0o600)
    outcomes = await apply(
        FileEdit("create", tmp_path / "sub/new.txt", None, "new\n"),
        FileEdit("delete", old, read_document(old)),
        FileEdit("rename", moved, read_document(moved), "there", new_path=tmp_path / "sub/there.txt"),
    )
    assert [(outcome.applied, outcome.after.text if outcome.after else None) for outcome in outcomes] == [
        (True, "new\n"),
        (True, None),
        (True, "there"),
    ]
    renamed = tmp_path / "sub/there.txt"
    assert renamed.read_bytes() == b"\xef\xbb\xbfthere"
    assert stat.S_IMODE(renamed.stat().st_mode) == 0o600
    assert names(tmp_path) == ["sub"]


async def test_a_file_made_anew_can_be_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    [outcome] = await apply(FileEdit("create", path, None, "a\n", encoding="utf-16-le", bom=True, mode=0o755))
    assert outcome.applied
    assert path.read_bytes() == b"\xff\xfea\0\n\0"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_a_rename_alone_moves_the_very_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("same")
    inode = path.stat().st_ino
    [outcome] = await apply(FileEdit("rename", path, read_document(path), "same", new_path=tmp_path / "x/b.txt"))
    assert outcome.applied
    assert (tmp_path / "x/b.txt").stat().st_ino == inode
    assert names(tmp_path) == ["x"]


async def test_a_rename_replaces_nothing(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    document = read_document(tmp_path / "a.txt")
    [outcome] = await apply(FileEdit("rename", document.path, document, document.text, new_path=tmp_path / "b.txt"))
    assert not outcome.applied
    assert (tmp_path / "b.txt").read_text() == "b.txt"


async def test_what_comes_after_a_failure_is_not_tried(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("there")
    outcomes = await apply(
        FileEdit("create", tmp_path / "first.txt", None, "1"),
        FileEdit("create", path, None, "2"),
        FileEdit("create", tmp_path / "third.txt", None, "3"),
    )
    assert [outcome.applied for outcome in outcomes] == [True, False, False]
    assert "exists already" in outcomes[1].reason
    assert "not tried" in outcomes[2].reason
    assert names(tmp_path) == ["a.txt", "first.txt"]
