"""Other processes are told of the files that an editor holds with unsaved text, as long as it does."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fake_editor.memory import MemoryPeer
from fake_editor.profiles import NEOVIM, PLAIN, EditorProfile
from placet.changes import unsaved_watch
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.frontends.lsp.ports.watched_buffers import WatchedBuffers
from placet.settings import Settings
from placet.storage.unsaved_notes import UnsavedNote, unsaved_elsewhere
from time_support import limited


class Watched:
    """An editor whose unsaved text is watched."""

    def __init__(self, profile: EditorProfile, root: Path) -> None:
        self.store = root / "placet.db"
        self.peer = MemoryPeer(profile, root)
        self.path = root / "a.txt"
        self.path.write_text("old\n")
        self.peer.editor.open(self.path)

    @property
    def noted(self) -> list[str]:
        notes = self.store.with_name("unsaved").glob("*.json")
        return [name for note in notes for name in json.loads(note.read_text())["files"]]

    async def until(self, names: Iterable[Path]) -> None:
        async with limited(lambda: f"a note of {list(names)}; noted are {self.noted}"):
            while self.noted != [str(name) for name in names]:  # noqa: ASYNC110 - a file tells nobody.
                await asyncio.sleep(0.01)


@asynccontextmanager
async def watched(profile: EditorProfile, root: Path) -> AsyncGenerator[Watched]:
    at = Watched(profile, root)
    documents = LspDocuments(at.peer, at.peer.buffers, Settings())
    watch = WatchedBuffers(at.peer.buffers, documents.has_unsaved, at.store)
    try:
        yield at
    finally:
        await watch.close()
    assert at.noted == []


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unsaved_watch, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(unsaved_watch, "LOOK_AGAIN_SECONDS", 0.01)


@pytest.mark.parametrize("profile", [NEOVIM, PLAIN], ids=["reports saves", "reports no save"])
async def test_a_file_is_noted_from_the_first_change_to_the_save(profile: EditorProfile, tmp_path: Path) -> None:
    async with watched(profile, tmp_path) as at:
        at.peer.editor.type(at.path, "new ")
        await at.until([at.path])
        at.peer.editor.save(at.path)
        await at.until([])


async def test_the_notes_of_this_process_hold_no_file_for_this_process(tmp_path: Path) -> None:
    async with watched(NEOVIM, tmp_path) as at:
        at.peer.editor.type(at.path, "new ")
        await at.until([at.path])
        assert unsaved_elsewhere(at.store, [at.path]) == {}


def test_a_note_of_another_process_holds_its_files_as_long_as_the_process_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, path = tmp_path / "placet.db", tmp_path / "a.txt"
    UnsavedNote(store).write([path])
    assert unsaved_elsewhere(store, [path, tmp_path / "b.txt"]) == {}
    monkeypatch.setattr("placet.storage.unsaved_notes.this_process", lambda: "another")
    held = unsaved_elsewhere(store, [path, tmp_path / "b.txt"])
    assert list(held) == [path]
    assert held[path].isdecimal()
    monkeypatch.setattr("placet.storage.unsaved_notes.is_alive", lambda _: False)
    assert unsaved_elsewhere(store, [path]) == {}
    assert list(store.with_name("unsaved").iterdir()) == []


@pytest.mark.parametrize("note", ["", "{", "[]", '{"process": 1}', '{"files": ["a"]}'])
def test_a_note_that_cannot_be_read_holds_no_file(tmp_path: Path, note: str) -> None:
    store = tmp_path / "placet.db"
    store.with_name("unsaved").mkdir()
    (store.with_name("unsaved") / "note.json").write_text(note)
    assert unsaved_elsewhere(store, [tmp_path / "a.txt"]) == {}
