"""The Documents port over a client of ACP: what is read, by which way an edit goes, and what becomes of it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from acp_support.editor import (
    AGENT_SHELL,
    AVANTE,
    CODECOMPANION,
    HONEST,
    READ_ONLY,
    REAL,
    VSCODE_ACP,
    ZED,
    AcpPeer,
    Quirks,
)
from placet.core.errors import DocumentError, DocumentMissing
from placet.core.ports import Document, FileEdit, FileOutcome
from placet.core.values import replace
from placet.frontends.acp.ports import client_files, client_writes
from placet.frontends.acp.ports.documents import AcpDocuments
from placet.project.files.disk import DiskDocuments
from placet.text.diff import text_edits
from placet.text.encoding import encode
from placet.text.lines import restore_line_endings, to_lf
from time_support import wait_seconds

TEXT = "one\ntwo\nthree\n"
WANTED = "one\n2\nthree\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for what does not come is the same when it is short."""
    monkeypatch.setattr(client_files, "READ_SECONDS", 0.05)
    monkeypatch.setattr(client_files, "WRITE_SECONDS", 0.05)
    monkeypatch.setattr(client_writes, "SETTLE_SECONDS", 0.05)
    monkeypatch.setattr(client_writes, "LATE_LOOKS_SECONDS", (0.01, 0.02, 0.05))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "a.txt"
    path.write_bytes(TEXT.encode())
    return path


@pytest.fixture
async def peers(tmp_path: Path) -> AsyncIterator[Any]:
    def make(quirks: Quirks, **switches: Any) -> AcpPeer:
        peer = AcpPeer(replace(quirks, **switches), tmp_path.resolve())
        made.append(peer)
        return peer

    made: list[AcpPeer] = []
    yield make
    assert [peer.editor.violations for peer in made] == [[] for _ in made]


async def edit(peer: AcpPeer, path: Path, new_lf: str, base: Document | None = None) -> FileOutcome:
    """The outcome of an edit of the text that is read now."""
    base = base or await peer.documents.read(path)
    new_text = restore_line_endings(base.text, new_lf)
    change = FileEdit("modify", path, base, new_text, text_edits(base.text, new_text))
    [outcome] = await peer.documents.apply([change], edit_id="chg_1", label="Edit")
    return outcome


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("quirks", REAL, ids=lambda quirks: quirks.name)
async def test_a_clean_file_is_read_as_the_disk_has_the_file(quirks: Quirks, peers: Any, file: Path) -> None:
    peer = peers(quirks)
    for text in (TEXT, "a\r\nb\r\n", "no newline", "", "\n", "mixed\r\nends\n"):
        file.write_bytes(b"\xef\xbb\xbf" + text.encode())
        document = await peer.documents.read(file)
        assert document == Document(file, text, "disk", bom=True)


@pytest.mark.parametrize("quirks", [HONEST, ZED, AVANTE, VSCODE_ACP, READ_ONLY], ids=lambda quirks: quirks.name)
async def test_unsaved_text_is_the_client_s_in_the_line_ends_of_the_file(
    quirks: Quirks, peers: Any, file: Path
) -> None:
    file.write_bytes(encode("one\r\ntwo\r\n", "utf-16-le", True))
    peer = peers(quirks)
    peer.editor.open(file)
    peer.editor.type(file, "typed\r\n")
    document = await peer.documents.read(file)
    assert document == Document(file, "typed\r\none\r\ntwo\r\n", "editor", dirty=True, encoding="utf-16-le", bom=True)
    assert await peer.documents.unsaved() == [document]
    peer.editor.save(file)
    assert (await peer.documents.read(file)).source == "disk"
    assert await peer.documents.unsaved() == []


@pytest.mark.parametrize("quirks", REAL, ids=lambda quirks: quirks.name)
async def test_a_missing_file_is_missing_whatever_the_client_gives(quirks: Quirks, peers: Any, file: Path) -> None:
    peer = peers(quirks, empty_for_missing=True)
    with pytest.raises(DocumentMissing):
        await peer.documents.read(file.with_name("b.txt"))


async def test_a_new_file_that_is_not_saved_yet_has_the_client_s_text(peers: Any, file: Path) -> None:
    peer, new = peers(HONEST), file.with_name("new.txt")
    peer.editor.open(new)
    peer.editor.type(new, "draft\n")
    assert await peer.documents.read(new) == Document(new, "draft\n", "editor", dirty=True)


async def test_a_file_that_is_no_text_on_disk_is_refused_whatever_the_client_gives(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    peer.editor.open(file)
    file.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(DocumentError):
        await peer.documents.read(file)


async def test_a_client_that_refuses_the_file_leaves_the_disk_s_text(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    peer.files._session_id = lambda: "ses_of_another"
    assert (await peer.documents.read(file)).text == TEXT
    assert peer.editor.violations.pop() == "a file was asked for in the session ses_of_another"


async def test_without_a_session_of_the_client_the_disk_is_read(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    peer.files._session_id = lambda: None
    assert (await peer.documents.read(file)).text == TEXT
    assert peer.asked == []


async def test_three_reads_without_an_answer_end_the_asking(peers: Any, file: Path) -> None:
    peer = peers(HONEST, answers_reads=False)
    for _ in range(5):
        assert (await peer.documents.read(file)).text == TEXT
    assert len(peer.asked) == client_files.MOST_MISSES
    assert len(peer.cancelled) == client_files.MOST_MISSES


async def test_an_answer_ends_the_row_of_reads_without_one(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    for answers in (False, False, True, False, False, True):
        peer.quirks = replace(HONEST, answers_reads=answers)
        await peer.documents.read(file)
    assert len(peer.asked) == 6


async def test_looks_for_unsaved_text_at_the_same_time_are_shared_and_none_is_older_than_its_call(
    peers: Any, file: Path
) -> None:
    peer = peers(HONEST)
    peer.editor.open(file)
    await peer.documents.read(file)
    peer.asked.clear()
    assert await asyncio.gather(*(peer.documents.unsaved() for _ in range(9))) == [[]] * 9
    assert len(peer.asked) == 1

    given = asyncio.Event()
    peer.user = lambda: asyncio.get_running_loop().call_soon(given.set)
    first = asyncio.create_task(peer.documents.unsaved())
    await given.wait()
    peer.editor.type(file, "typed\n")  # The client has read the buffer for the first look.
    later = [asyncio.create_task(peer.documents.unsaved()) for _ in range(9)]
    impatient = asyncio.create_task(peer.documents.unsaved())
    peer.user = impatient.cancel
    assert await first == []
    for found in await asyncio.gather(*later):
        assert [document.text for document in found] == [f"typed\n{TEXT}"]
    assert impatient.cancelled()
    assert len(peer.asked) == 3


async def test_an_old_text_in_the_client_is_not_unsaved_text(peers: Any, file: Path) -> None:
    """A command changed the file, and the client has not loaded the file again."""
    peer = peers(HONEST)
    peer.editor.open(file)
    await peer.documents.read(file)
    for number in range(3):
        file.write_text(f"by a command {number}\n")
        assert await peer.documents.read(file) == Document(file, f"by a command {number}\n", "disk")
    peer.editor.buffers[file].text = "by a command 1\n"
    assert (await peer.documents.read(file)).text == "by a command 2\n"
    file.unlink()
    with pytest.raises(DocumentMissing):
        await peer.documents.read(file)


async def test_text_saved_between_the_two_looks_is_not_unsaved(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    peer.editor.open(file)

    def type_and_save() -> None:
        peer.editor.type(file, "typed\n")
        peer.editor.save(file)

    peer.user = type_and_save
    assert await peer.documents.read(file) == Document(file, "typed\n" + TEXT, "disk")


async def test_a_text_that_the_user_takes_back_is_unsaved_text(peers: Any, file: Path) -> None:
    peer = peers(ZED)
    assert (await edit(peer, file, WANTED)).applied
    peer.editor.undo(file)
    assert await peer.documents.read(file) == Document(file, TEXT, "editor", dirty=True)


@pytest.mark.parametrize("quirks", [CODECOMPANION, replace(HONEST, reads=False), Quirks(reads=False, writes=False)])
async def test_a_client_that_shows_no_unsaved_text_is_not_asked_which_the_log_says_once(
    quirks: Quirks, peers: Any, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    peer = peers(quirks)
    assert isinstance(peer.documents, DiskDocuments)
    assert (await edit(peer, file, WANTED)).applied
    assert peer.asked == []
    assert caplog.messages == ["The client shows no unsaved text: files are read and written on disk"]


# ---------------------------------------------------------------- the way of an edit


@pytest.mark.parametrize("quirks", REAL, ids=lambda quirks: quirks.name)
@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(
    ("text", "encoding", "bom"),
    [
        (TEXT, "utf-8", False),
        ("one\r\ntwo\r\nthree\r\n", "utf-8", False),
        ("one\r\ntwo\r\nthree\r\n", "utf-8", True),
        ("one\r\ntwo\nthree\n", "utf-8", False),
        ("one\ntwo\nthree", "utf-8", False),
        ("one\r\ntwo\r\nthree\r\n", "utf-16-le", True),
    ],
)
async def test_a_clean_file_is_edited_and_keeps_encoding_bom_and_line_ends(
    quirks: Quirks, is_open: bool, text: str, encoding: str, bom: bool, peers: Any, file: Path
) -> None:
    file.write_bytes(encode(text, encoding, bom))
    peer = peers(quirks)
    if is_open:
        peer.editor.open(file)
    wanted = to_lf(text).replace("two", "2")
    outcome = await edit(peer, file, wanted)
    assert outcome.applied
    assert file.read_bytes() == encode(restore_line_endings(text, wanted), encoding, bom)
    assert outcome.after == Document(file, restore_line_endings(text, wanted), "disk", encoding=encoding, bom=bom)
    peer.editor.look_at_disk()
    assert not is_open or to_lf(peer.editor.buffers[file].text) == wanted
    assert bool(peer.written()) == (
        quirks in (ZED, AGENT_SHELL) and encoding == "utf-8" and not bom and text != "one\r\ntwo\nthree\n"
    )


@pytest.mark.parametrize("quirks", [HONEST, ZED, AGENT_SHELL], ids=lambda quirks: quirks.name)
@pytest.mark.parametrize(("encoding", "bom"), [("utf-8", False), ("utf-8", True), ("utf-16-be", True)])
async def test_unsaved_text_is_edited_through_the_client(
    quirks: Quirks, encoding: str, bom: bool, peers: Any, file: Path
) -> None:
    file.write_bytes(encode("one\r\ntwo\r\n", encoding, bom))
    peer = peers(quirks)
    peer.editor.open(file)
    peer.editor.type(file, "typed\r\n")
    outcome = await edit(peer, file, "typed\none\n2\n")
    assert outcome.applied
    assert not outcome.changed_by_save
    assert file.read_bytes() == encode("typed\r\none\r\n2\r\n", encoding, bom)
    assert peer.editor.buffers[file].text == "typed\r\none\r\n2\r\n"
    assert peer.written() == ["typed\none\n2\n"]


async def test_a_client_that_does_not_save_keeps_the_text_unsaved(peers: Any, file: Path) -> None:
    peer = peers(HONEST, saves=False)
    peer.editor.open(file)
    peer.editor.type(file, "typed\n")
    outcome = await edit(peer, file, "typed\n" + WANTED)
    assert outcome.applied
    assert outcome.after == Document(file, "typed\n" + WANTED, "editor", dirty=True)
    assert file.read_text() == TEXT


@pytest.mark.parametrize("quirks", [AVANTE, VSCODE_ACP, READ_ONLY], ids=lambda quirks: quirks.name)
async def test_unsaved_text_in_a_client_that_takes_no_edit_is_left_alone_with_words(
    quirks: Quirks, peers: Any, file: Path
) -> None:
    peer = peers(quirks)
    peer.editor.open(file)
    peer.editor.type(file, "typed\n")
    outcome = await edit(peer, file, "typed\n" + WANTED)
    assert not outcome.applied
    assert "unsaved changes" in outcome.reason
    assert not outcome.is_unsure
    assert (file.read_text(), peer.editor.buffers[file].text) == (TEXT, "typed\n" + TEXT)
    assert peer.written() == []


@pytest.mark.parametrize("answer", ["result", "error", "none"])
async def test_a_client_that_writes_the_disk_under_unsaved_text_gets_the_file_back(
    answer: str, peers: Any, file: Path
) -> None:
    file.write_bytes(encode("one\r\ntwo\r\n", "utf-16-le", True))
    peer = peers(HONEST, write="disk", answer=answer)
    peer.editor.open(file)
    peer.editor.type(file, "typed\r\n")
    outcome = await edit(peer, file, "typed\none\n2\n")
    assert (outcome.applied, outcome.is_unsure) == (False, False)
    assert file.read_bytes() == encode("one\r\ntwo\r\n", "utf-16-le", True)
    assert peer.editor.buffers[file].text == "typed\r\none\r\ntwo\r\n"
    again = await edit(peer, file, "typed\none\n2\n")
    assert "unsaved changes" in again.reason
    assert len(peer.written()) == 1, "tried again, after the fault was learned"


async def test_a_client_that_writes_the_disk_under_unsaved_text_is_asked_once(peers: Any, file: Path) -> None:
    peer = peers(HONEST, write="disk")
    peer.editor.open(file)
    peer.editor.type(file, "typed\n")
    for _ in range(2):
        assert not (await edit(peer, file, "typed\n" + WANTED)).applied
    assert len(peer.written()) == 1
    assert file.read_text() == TEXT


async def test_a_file_that_the_client_has_not_loaded_again_is_edited_on_disk(peers: Any, file: Path) -> None:
    peer = peers(ZED)
    peer.editor.open(file)
    await peer.documents.read(file)
    file.write_text("by a command\n" + TEXT)
    assert (await edit(peer, file, "by a command\n" + WANTED)).applied
    assert file.read_text() == "by a command\n" + WANTED
    assert peer.written() == []


async def test_an_edit_in_other_line_ends_keeps_those_of_the_file(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    base = await peer.documents.read(file)
    file.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert (await edit(peer, file, WANTED, base)).applied
    assert file.read_bytes() == WANTED.replace("\n", "\r\n").encode()


# ---------------------------------------------------------------- what the client makes of a write


async def test_a_doubled_final_newline_is_taken_off_and_remembered(peers: Any, file: Path) -> None:
    peer = peers(AGENT_SHELL, doubles_final_newline=True)
    peer.editor.open(file)
    assert (await edit(peer, file, WANTED)).applied
    assert file.read_text() == WANTED
    assert peer.files.facts.mangles_writes
    assert (await edit(peer, file, TEXT)).applied
    assert file.read_text() == TEXT
    assert len(peer.written()) == 1


@pytest.mark.parametrize("spoils", ["lf", "cr", "bom", "encoding"])
async def test_a_spoilt_file_is_repaired_on_disk_and_the_fault_remembered(spoils: str, peers: Any, file: Path) -> None:
    encoding = "utf-16-le" if spoils == "encoding" else "utf-8"
    file.write_bytes(encode("one\r\ntwo\r\n", encoding, True))
    peer = peers(HONEST, spoils=spoils)
    peer.editor.open(file)
    peer.editor.type(file, "typed\r\n")
    outcome = await edit(peer, file, "typed\none\n2\n")
    assert outcome.applied
    assert file.read_bytes() == encode("typed\r\none\r\n2\r\n", encoding, True)
    assert peer.files.facts.mangles_writes


async def test_a_formatter_s_changes_are_told_as_changed_by_save(peers: Any, file: Path) -> None:
    peer = peers(ZED)

    def quoted(text: str) -> str:
        return text.replace("2", '  "2"')

    peer.editor.on_save = quoted
    outcome = await edit(peer, file, WANTED)
    assert outcome.applied
    assert outcome.changed_by_save
    assert outcome.after is not None
    assert outcome.after.text == file.read_text() == 'one\n  "2"\nthree\n'


async def test_what_the_user_types_after_the_write_is_not_told_as_read(peers: Any, file: Path) -> None:
    for quirks in (ZED, replace(ZED, saves=False)):
        file.write_text(TEXT)
        peer = peers(quirks)
        peer.editor.open(file)

        def type_once(peer: AcpPeer = peer) -> None:
            peer.editor.type(file, "typed\n")

        peer.after_write = type_once
        outcome = await edit(peer, file, WANTED)
        assert outcome.applied
        assert outcome.after is not None
        assert outcome.after.text == WANTED
        assert (await peer.documents.read(file)).text == "typed\n" + WANTED


async def test_typing_and_saving_over_the_edit_is_not_told_as_a_formatter_s(peers: Any, file: Path) -> None:
    peer = peers(ZED)

    def save_something_else() -> None:
        peer.editor.type(file, "my own", instead_of="2")
        peer.editor.save(file)

    peer.after_write = save_something_else
    outcome = await edit(peer, file, WANTED)
    assert (outcome.applied, outcome.changed_by_save) == (False, False)
    assert file.read_text() == "one\nmy own\nthree\n"


@pytest.mark.parametrize("quirks", [ZED, AGENT_SHELL], ids=lambda quirks: quirks.name)
async def test_a_word_of_success_without_the_text_is_not_believed(quirks: Quirks, peers: Any, file: Path) -> None:
    outcome = await edit(peers(quirks, write="nothing"), file, WANTED)
    assert (outcome.applied, outcome.is_unsure) == (False, False)
    assert "as it was" in outcome.reason


async def test_an_error_without_effect_is_told_in_the_client_s_words(peers: Any, file: Path) -> None:
    outcome = await edit(peers(ZED, write="nothing", answer="error"), file, WANTED)
    assert not outcome.applied
    assert "cannot write" in outcome.reason


@pytest.mark.parametrize("answer", ["error", "none"])
async def test_a_text_that_is_there_counts_without_a_word_of_success(answer: str, peers: Any, file: Path) -> None:
    peer = peers(ZED, answer=answer)
    outcome = await edit(peer, file, WANTED)
    assert outcome.applied
    assert file.read_text() == WANTED
    assert len(peer.written()) == 1
    assert len(peer.cancelled) == (answer == "none")


async def test_a_write_without_an_answer_is_cancelled_never_sent_again_and_settled_by_what_comes(
    peers: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_writes, "LATE_LOOKS_SECONDS", (0.01,) * 500)
    peer = peers(ZED)
    peer.held_writes = []
    outcome = await edit(peer, file, WANTED)
    assert (outcome.applied, outcome.is_unsure) == (False, True)
    assert len(peer.cancelled) == len(peer.written()) == 1
    assert outcome.later is not None
    peer.release_writes()
    late = await asyncio.wait_for(outcome.later, wait_seconds())
    assert late.applied
    assert file.read_text() == WANTED
    assert len(peer.written()) == 1


async def test_a_write_that_never_comes_is_settled_as_not_applied(peers: Any, file: Path) -> None:
    peer = peers(ZED)
    peer.held_writes = []
    outcome = await edit(peer, file, WANTED)
    assert outcome.later is not None
    late = await asyncio.wait_for(outcome.later, wait_seconds())
    assert (late.applied, late.is_unsure) == (False, False)
    assert (await edit(peer, file, WANTED)).applied, "the disk is used from then on"
    assert len(peer.written()) == 1


# ---------------------------------------------------------------- the user


async def test_text_typed_since_the_read_keeps_the_edit_out(peers: Any, file: Path) -> None:
    for quirks in (HONEST, ZED):
        peer = peers(quirks)
        base = await peer.documents.read(file)
        peer.editor.open(file)
        peer.editor.type(file, "typed\n")
        outcome = await edit(peer, file, WANTED, base)
        assert not outcome.applied
        assert "has changed since" in outcome.reason
        assert peer.written() == []


@pytest.mark.parametrize("quirks", [HONEST, ZED], ids=lambda quirks: quirks.name)
async def test_text_typed_between_the_last_look_and_the_write_is_merged(quirks: Quirks, peers: Any, file: Path) -> None:
    peer = peers(quirks)
    peer.editor.open(file)
    peer.editor.type(file, "typed\n")
    base = await peer.documents.read(file)
    reads = len(peer.asked)

    def type_once() -> None:
        if len(peer.asked) == reads + 1 and "more" not in peer.editor.buffers[file].text:
            peer.editor.type(file, "more\n")

    peer.user = type_once
    outcome = await edit(peer, file, "typed\n" + WANTED, base)
    assert outcome.applied
    assert file.read_text() == "more\ntyped\n" + WANTED


async def test_text_typed_over_the_same_lines_goes_before_the_edit(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    peer.editor.open(file)
    peer.editor.type(file, "typed\n")
    base = await peer.documents.read(file)
    reads = len(peer.asked)

    def type_once() -> None:
        if len(peer.asked) == reads + 1:
            peer.editor.type(file, "my own", instead_of="two")

    peer.user = type_once
    outcome = await edit(peer, file, "typed\n" + WANTED, base)
    assert not outcome.applied
    assert peer.editor.buffers[file].text == "typed\none\nmy own\nthree\n"


async def test_text_typed_while_the_disk_is_written_brings_the_old_file_back(peers: Any, file: Path) -> None:
    peer = peers(HONEST)
    peer.editor.open(file)
    base = await peer.documents.read(file)
    reads = len(peer.asked)

    def type_once() -> None:
        if len(peer.asked) == reads + 1:
            peer.editor.type(file, "typed\n")

    peer.user = type_once
    outcome = await edit(peer, file, WANTED, base)
    assert not outcome.applied
    assert (file.read_text(), peer.editor.buffers[file].text) == (TEXT, "typed\n" + TEXT)


# ---------------------------------------------------------------- other kinds of edits


@pytest.mark.parametrize("quirks", REAL, ids=lambda quirks: quirks.name)
async def test_a_file_is_created_with_its_directories(quirks: Quirks, peers: Any, file: Path) -> None:
    peer, new = peers(quirks), file.parent / "x" / "y" / "new.txt"
    [outcome] = await peer.documents.apply([FileEdit("create", new, None, TEXT)], edit_id="chg_1", label="Create")
    assert outcome.applied
    assert new.read_text() == TEXT
    assert peer.written() == ([TEXT] if quirks in (ZED, AGENT_SHELL) else [])


@pytest.mark.parametrize(
    ("text", "encoding", "bom"), [(TEXT, "utf-8", True), ("a\r\n", "utf-8", False), (TEXT, "utf-16-le", True)]
)
async def test_a_file_in_a_form_that_clients_may_not_keep_is_created_on_disk(
    text: str, encoding: str, bom: bool, peers: Any, file: Path
) -> None:
    peer, new = peers(ZED), file.with_name("new.txt")
    create = FileEdit("create", new, None, text, encoding=encoding, bom=bom)
    [outcome] = await peer.documents.apply([create], edit_id="chg_1", label="Create")
    assert outcome.applied
    assert new.read_bytes() == encode(text, encoding, bom)
    assert peer.written() == []


async def test_a_file_that_the_client_refuses_to_create_is_created_on_disk(peers: Any, file: Path) -> None:
    """Some clients write no files outside of their own folders."""
    peer, new = peers(ZED, write="nothing", answer="error"), file.parent / "x" / "new.txt"
    [outcome] = await peer.documents.apply([FileEdit("create", new, None, TEXT)], edit_id="chg_1", label="Create")
    assert outcome.applied
    assert new.read_text() == TEXT


async def test_text_typed_into_a_file_that_is_not_saved_yet_is_merged(peers: Any, file: Path) -> None:
    for saves in (True, False):
        peer, new = peers(HONEST, saves=saves), file.with_name(f"new {saves}.txt")
        peer.editor.open(new)
        peer.editor.type(new, TEXT)
        base = await peer.documents.read(new)
        reads = len(peer.asked)

        def type_once(peer: AcpPeer = peer, new: Path = new, reads: int = reads) -> None:
            if len(peer.asked) == reads + 1:
                peer.editor.type(new, "typed\n")

        peer.user = type_once
        assert (await edit(peer, new, WANTED, base)).applied
        assert peer.editor.buffers[new].text == "typed\n" + WANTED
        assert new.exists() == saves


async def test_directories_of_a_file_that_was_not_created_are_removed(peers: Any, file: Path) -> None:
    peer, new = peers(ZED, write="nothing"), file.parent / "x" / "y" / "new.txt"
    [outcome] = await peer.documents.apply([FileEdit("create", new, None, TEXT)], edit_id="chg_1", label="Create")
    assert not outcome.applied
    assert not (file.parent / "x").exists()


@pytest.mark.parametrize("quirks", REAL, ids=lambda quirks: quirks.name)
async def test_a_file_is_never_created_over_another(quirks: Quirks, peers: Any, file: Path) -> None:
    peer = peers(quirks)
    [outcome] = await peer.documents.apply([FileEdit("create", file, None, "new\n")], edit_id="chg_1", label="Create")
    assert not outcome.applied
    assert file.read_text() == TEXT


@pytest.mark.parametrize("quirks", REAL, ids=lambda quirks: quirks.name)
async def test_files_are_deleted_and_renamed_on_disk(quirks: Quirks, peers: Any, file: Path) -> None:
    peer, moved = peers(quirks), file.with_name("b.txt")
    base = await peer.documents.read(file)
    rename = FileEdit("rename", file, base, WANTED, text_edits(TEXT, WANTED), new_path=moved)
    [outcome] = await peer.documents.apply([rename], edit_id="chg_1", label="Rename")
    assert outcome.applied
    assert (file.exists(), moved.read_text()) == (False, WANTED)
    delete = FileEdit("delete", moved, await peer.documents.read(moved))
    [outcome] = await peer.documents.apply([delete], edit_id="chg_2", label="Delete")
    assert outcome.applied
    assert not moved.exists()
    assert peer.written() == []


@pytest.mark.parametrize("kind", ["delete", "rename"])
async def test_a_file_with_unsaved_text_is_neither_deleted_nor_renamed(kind: Any, peers: Any, file: Path) -> None:
    peer = peers(ZED)
    peer.editor.open(file)
    peer.editor.type(file, "typed\n")
    base = await peer.documents.read(file)
    edit = FileEdit(kind, file, base, new_path=file.with_name("b.txt") if kind == "rename" else None)
    [outcome] = await peer.documents.apply([edit], edit_id="chg_1", label="Away")
    assert not outcome.applied
    assert "unsaved changes" in outcome.reason
    assert file.exists()


@pytest.mark.parametrize("quirks", [HONEST, ZED], ids=lambda quirks: quirks.name)
async def test_files_behind_a_failed_file_are_not_tried(quirks: Quirks, peers: Any, file: Path) -> None:
    peer, other = peers(quirks), file.with_name("b.txt")
    other.write_text(TEXT)
    stale = Document(file, "another\n", "disk")
    edits = [
        FileEdit("modify", file, stale, WANTED, text_edits("another\n", WANTED)),
        FileEdit("modify", other, await peer.documents.read(other), WANTED, text_edits(TEXT, WANTED)),
    ]
    outcomes = await peer.documents.apply(edits, edit_id="chg_1", label="Edit")
    assert [outcome.applied for outcome in outcomes] == [False, False]
    assert "not tried" in outcomes[1].reason
    assert other.read_text() == TEXT


@pytest.mark.parametrize("quirks", [HONEST, ZED], ids=lambda quirks: quirks.name)
async def test_a_read_only_file_is_refused(quirks: Quirks, peers: Any, file: Path) -> None:
    peer = peers(quirks)
    base = await peer.documents.read(file)
    file.chmod(0o444)
    outcome = await edit(peer, file, WANTED, base)
    assert "read-only" in outcome.reason
    assert file.read_text() == TEXT


async def test_a_file_below_a_file_is_refused(peers: Any, file: Path) -> None:
    change = FileEdit("create", file / "b.txt", None, TEXT)
    [outcome] = await peers(ZED).documents.apply([change], edit_id="chg_1", label="Create")
    assert not outcome.applied
    assert file.read_text() == TEXT


async def test_a_path_that_leads_elsewhere_by_now_is_not_written(peers: Any, file: Path) -> None:
    peer, elsewhere = peers(ZED), file.with_name("elsewhere.txt")
    base = await peer.documents.read(file)
    elsewhere.write_text(TEXT)
    file.unlink()
    file.symlink_to(elsewhere)
    change = FileEdit("modify", file, base, WANTED, text_edits(TEXT, WANTED), target=file)
    [outcome] = await peer.documents.apply([change], edit_id="chg_1", label="Edit")
    assert not outcome.applied
    assert elsewhere.read_text() == TEXT
    assert peer.written() == []


async def test_a_text_that_the_file_could_not_give_back_is_not_sent(peers: Any, file: Path) -> None:
    peer = peers(ZED)
    outcome = await edit(peer, file, "nul\0\n")
    assert "NUL" in outcome.reason
    assert peer.written() == []


async def test_a_lost_client_leaves_the_disk(peers: Any, file: Path) -> None:
    peer = peers(ZED)
    base = await peer.documents.read(file)
    peer.client.lose()
    assert await peer.documents.read(file) == base
    assert (await edit(peer, file, WANTED, base)).applied
    assert file.read_text() == WANTED


def test_the_port_is_the_client_s_wherever_the_client_shows_unsaved_text(tmp_path: Path) -> None:
    shown = {quirks.name: isinstance(AcpPeer(quirks, tmp_path).documents, AcpDocuments) for quirks in REAL}
    assert [name for name, is_shown in shown.items() if not is_shown] == ["CodeCompanion.nvim"]
