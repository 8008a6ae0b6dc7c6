"""EDITS.md rules 10 and 13: what is written can be read again, and what went wrong is put back byte by byte."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changes_support.answers import answering
from changes_support.desk import Desk, create, plan
from corpus_support import examples
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import SIX, EditorProfile
from placet.core.errors import DocumentError, EditError
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.project.files import disk as files
from placet.project.files.disk import read_document, write_document
from placet.settings import Settings
from placet.text.plan import PlannedFile

UNREADABLE = {"nul": "a\0b\n", "mark": "\ufeffa\n", "half": "a\ud800\n", "long": "x" * 101}


@pytest.fixture
def at_most_100_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 100)


@pytest.mark.usefixtures("at_most_100_bytes")
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
async def test_a_text_that_could_not_be_read_again_is_refused_before_anybody_is_asked(desk: Desk, text: str) -> None:
    paths = [desk.write(name, "old\n") for name in ("a.txt", "b.txt", "c.txt")]
    planned = [await desk.plan(path.name, "new\n") for path in paths]
    with pytest.raises(DocumentError, match=r"b\.txt: .*Nothing was changed"):
        await desk.changes.propose(plan(planned[0], await desk.plan("b.txt", text), planned[2]))
    assert [path.read_bytes() for path in paths] == [b"old\n"] * 3
    assert (desk.approver.requests, await desk.states()) == ([], [])


@pytest.mark.usefixtures("at_most_100_bytes")
@pytest.mark.parametrize("text", [text for kind, text in UNREADABLE.items() if kind != "mark"])
async def test_no_file_is_made_of_such_a_text(desk: Desk, text: str) -> None:
    with pytest.raises(DocumentError):
        await desk.changes.propose(plan(create(desk.path("a.txt"), text)))
    assert not desk.path("a.txt").exists()


@pytest.mark.usefixtures("at_most_100_bytes")
@pytest.mark.parametrize("profile", SIX, ids=lambda profile: profile.name)
@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
async def test_an_open_document_does_not_get_such_a_text_either(
    tmp_path: Path, profile: EditorProfile, text: str
) -> None:
    peer = MemoryPeer(profile, tmp_path)
    desk = Desk(tmp_path, editor=LspDocuments(peer, peer.buffers, Settings()))  # type: ignore[arg-type]
    buffer = peer.editor.open(desk.write("a.txt", "old\n"))
    with pytest.raises(DocumentError, match="Nothing was changed"):
        await desk.edit("a.txt", text)
    assert (buffer.text, desk.path("a.txt").read_bytes()) == ("old\n", b"old\n")
    await desk.database.close()


async def test_a_document_with_half_a_character_can_be_read_and_not_edited(tmp_path: Path) -> None:
    peer = MemoryPeer(SIX[0], tmp_path)
    desk = Desk(tmp_path, editor=LspDocuments(peer, peer.buffers, Settings()))  # type: ignore[arg-type]
    peer.editor.open(desk.write("a.txt", "one\ntwo\n"))
    peer.editor.type(desk.path("a.txt"), "\ud83d", after="one")
    assert (await desk.changes.read(desk.path("a.txt"))).text == "one\ud83d\ntwo\n"
    with pytest.raises(DocumentError, match="U\\+D83D"):
        await desk.edit("a.txt", "one\ud83d\nTWO\n")
    assert peer.editor.buffers[desk.path("a.txt")].text == "one\ud83d\ntwo\n"
    await desk.database.close()


async def test_what_the_user_puts_in_the_place_of_a_proposal_is_held_to_the_same(desk: Desk) -> None:
    path = desk.write("a.txt", "old\n")
    desk.approver.answers = [answering(edited={path: "a\0b\n"})]
    with pytest.raises(DocumentError, match="NUL"):
        await desk.edit("a.txt", "new\n")
    assert path.read_bytes() == b"old\n"


async def test_a_byte_order_mark_on_a_new_files_text_is_the_files(desk: Desk) -> None:
    await desk.changes.propose(plan(create(desk.path("a.txt"), "\ufeffone\n")))
    assert desk.path("a.txt").read_bytes() == b"\xef\xbb\xbfone\n"
    assert await desk.undo() == {"a.txt": "restored"}
    assert not desk.path("a.txt").exists()
    assert await desk.redo() == {"a.txt": "restored"}
    assert desk.path("a.txt").read_bytes() == b"\xef\xbb\xbfone\n"


@settings(max_examples=examples(100))
@given(
    st.text(st.characters(exclude_categories=()) | st.sampled_from("\0\ufeff\r\n\ud800"), max_size=20), st.booleans()
)
def test_whatever_can_be_written_is_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, text: str, bom: bool
) -> None:
    path = tmp_path_factory.mktemp("written") / "a.txt"
    try:
        write_document(path, text, encoding="utf-8", bom=bom)
    except DocumentError:
        assert not path.exists()
        return
    document = read_document(path)
    assert (document.text, document.bom) == (text, bom)


def when_all_is_applied(desk: Desk, files: int, then: Callable[[], None]) -> None:
    """Do something once, when the editor has applied so many files."""

    def look() -> None:
        if len(desk.editor.applied) == files:
            desk.editor.user = lambda: None
            then()

    desk.editor.user = look


async def test_what_the_reader_refuses_once_it_is_written_is_put_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [desk.write(name, "old\n") for name in ("a.txt", "b.txt", "c.txt")]
    planned = [await desk.plan(path.name, f"{'x' * 50}\n") for path in paths]
    when_all_is_applied(desk, 3, lambda: monkeypatch.setattr(files, "MAX_BYTES", 20))
    with pytest.raises(EditError, match="not applied"):
        await desk.changes.propose(plan(*planned, create(desk.path("made/new.txt"), "n")))
    monkeypatch.undo()
    assert [path.read_bytes() for path in paths] == [b"old\n"] * 3
    assert not desk.path("made").exists()
    assert await desk.states() == ["failed"]


async def test_what_could_not_be_put_back_can_be_undone(desk: Desk) -> None:
    paths = [desk.write(name, "old\n") for name in ("a.txt", "b.txt")]
    planned = [await desk.plan(path.name, "new\n") for path in paths]
    desk.editor.lies_about = {paths[1]}
    when_all_is_applied(desk, 1, lambda: paths[0].write_text("the user's\n"))
    with pytest.raises(EditError, match=r"a\.txt: COULD NOT BE PUT BACK"):
        await desk.changes.propose(plan(*planned))
    assert await desk.states() == ["applied"]
    paths[0].write_text("new\n")
    assert await desk.undo() == {"a.txt": "restored"}
    assert [path.read_text() for path in paths] == ["old\n", "old\n"]


@pytest.mark.parametrize("kind", ["modify", "create", "rename"])
async def test_a_file_that_is_no_text_any_more_is_undone_by_its_bytes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path, new_path = desk.path("a.txt"), desk.path("b.txt")
    text = f"{'x' * 50}\n"
    if kind == "create":
        planned = create(path, text)
    else:
        desk.write("a.txt", "old\n")
        to = new_path if kind == "rename" else None
        planned = PlannedFile(kind, path, (await desk.plan("a.txt", text)).base_text, text, to)  # type: ignore[arg-type]
    await desk.changes.propose(plan(planned))
    monkeypatch.setattr(files, "MAX_BYTES", 20)
    assert await desk.undo() == {"a.txt": "restored"}
    monkeypatch.undo()
    assert [one.read_text() if one.exists() else None for one in (path, new_path)] == [
        None if kind == "create" else "old\n",
        None,
    ]


async def test_bytes_that_somebody_changed_since_are_left_alone(desk: Desk) -> None:
    path = desk.write("a.txt", "old\n")
    await desk.edit("a.txt", "new\n")
    path.write_bytes(b"new\n\0")
    assert await desk.undo() == {"a.txt": "conflict"}
    assert path.read_bytes() == b"new\n\0"
