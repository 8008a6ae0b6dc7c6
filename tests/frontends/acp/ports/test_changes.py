"""Changes, their undo and their rollback through a client of ACP, with the whole pipeline."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from acp_support.editor import HONEST, ZED, AcpPeer, Quirks
from changes_support.desk import Desk, create, plan
from placet.core.errors import EditError
from placet.frontends.acp.ports import client_files, client_writes
from time_support import wait_seconds

TEXT = "one\ntwo\nthree\nfour\n"
WANTED = "one\n2\nthree\nfour\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for what does not come is the same when it is short."""
    monkeypatch.setattr(client_files, "WRITE_SECONDS", 0.05)
    monkeypatch.setattr(client_writes, "SETTLE_SECONDS", 0.05)


@pytest.fixture
async def open_desk(tmp_path: Path) -> AsyncIterator[Any]:
    root = tmp_path.resolve() / "project"
    desks: list[Desk] = []

    def open_desk(quirks: Quirks) -> tuple[Desk, AcpPeer, Path]:
        peer = AcpPeer(quirks, root)
        desk = Desk(root, editor=peer.documents)  # type: ignore[arg-type]
        desks.append(desk)
        file = desk.write("a.txt", TEXT)
        peer.editor.open(file)
        return desk, peer, file

    yield open_desk
    for desk in desks:
        await desk.pipeline.close()
        await desk.database.close()


async def test_undo_and_redo_go_through_the_client(open_desk: Any) -> None:
    desk, peer, file = open_desk(ZED)
    await desk.edit("a.txt", WANTED)
    assert await desk.undo() == {"a.txt": "restored"}
    assert file.read_text() == peer.editor.buffers[file].text == TEXT
    assert await desk.redo() == {"a.txt": "restored"}
    assert file.read_text() == peer.editor.buffers[file].text == WANTED
    assert peer.written() == [WANTED, TEXT, WANTED]


@pytest.mark.parametrize("quirks", [ZED, HONEST], ids=lambda quirks: quirks.name)
async def test_an_undo_keeps_what_the_user_has_typed_since(open_desk: Any, quirks: Quirks) -> None:
    desk, peer, file = open_desk(quirks)
    peer.editor.type(file, "typed\n")
    await desk.edit("a.txt", "typed\n" + WANTED)
    peer.editor.type(file, "more\n", after="four\n")
    assert await desk.undo() == {"a.txt": "restored"}
    assert peer.editor.buffers[file].text == "typed\n" + TEXT + "more\n"


async def test_files_changed_before_a_failed_file_are_put_back_through_the_client(open_desk: Any) -> None:
    desk, peer, file = open_desk(ZED)
    other = desk.write("b.txt", TEXT)
    files = [await desk.plan(name, WANTED) for name in ("a.txt", "b.txt")]
    carry_out = peer._write

    def write(path: Path, content: str) -> None:
        if path != other:
            carry_out(path, content)

    peer._write = write
    with pytest.raises(EditError, match=r"b\.txt is as it was"):
        await desk.changes.propose(plan(*files, create(desk.path("new/c.txt"), TEXT)))
    assert (file.read_text(), other.read_text(), desk.path("new").exists()) == (TEXT, TEXT, False)
    assert peer.editor.buffers[file].text == TEXT
    assert peer.written() == [WANTED, WANTED, TEXT]
    assert await desk.states() == ["failed"]


async def test_a_change_that_the_user_rejects_in_the_client_is_seen_as_the_user_s(open_desk: Any) -> None:
    desk, peer, file = open_desk(ZED)
    await desk.edit("a.txt", WANTED)
    assert await desk.changes.moved_on() == ((), ())
    peer.editor.undo(file)
    peer.editor.save(file)
    assert await desk.changes.moved_on() == ((file,), ())
    assert await desk.undo() == {"a.txt": "unchanged"}


async def test_a_change_that_the_client_makes_late_is_journaled_and_can_be_undone(
    open_desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_writes, "LATE_LOOKS_SECONDS", (0.01,) * 1000)
    desk, peer, file = open_desk(ZED)
    peer.held_writes = []
    with pytest.raises(EditError, match="NOT KNOWN"):
        await desk.edit("a.txt", WANTED)
    assert await desk.states() == ["unsure"]
    peer.release_writes()
    await asyncio.wait_for(asyncio.gather(*desk.pipeline.unsure._watched), wait_seconds())
    assert await desk.states() == ["applied"]
    assert await desk.undo() == {"a.txt": "restored"}
    assert file.read_text() == TEXT


async def test_a_change_that_the_client_never_makes_is_journaled_as_failed(
    open_desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_writes, "LATE_LOOKS_SECONDS", (0.01,))
    desk, peer, file = open_desk(ZED)
    peer.held_writes = []
    with pytest.raises(EditError, match="NOT KNOWN"):
        await desk.edit("a.txt", WANTED)
    await asyncio.wait_for(asyncio.gather(*desk.pipeline.unsure._watched), wait_seconds())
    assert await desk.states() == ["failed"]
    assert file.read_text() == TEXT


async def test_a_file_with_unsaved_text_is_named_before_a_command(open_desk: Any) -> None:
    desk, peer, file = open_desk(HONEST)
    await desk.changes.read(file)
    assert await desk.changes.save_own() == []
    peer.editor.type(file, "typed\n")
    assert await desk.changes.save_own() == [file]
