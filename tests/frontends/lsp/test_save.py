"""Saving what only we left unsaved, in editors that can be told to and in those that cannot."""

from pathlib import Path

import pytest

from corpus_support import corpus
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import HELIX, NEOVIM, PLAIN, VSCODE, EditorProfile
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.settings import Settings


def open_and_type(profile: EditorProfile, root: Path) -> tuple[LspDocuments, Path]:
    peer = MemoryPeer(profile, root)
    path = root / "a.txt"
    path.write_text("old\n")
    peer.editor.open(path)
    peer.editor.type(path, "new ")
    return LspDocuments(peer, peer.buffers, Settings()), path


@pytest.mark.parametrize("profile", [VSCODE, NEOVIM], ids=lambda profile: profile.name)
async def test_an_editor_with_our_plugin_saves(profile: EditorProfile, tmp_path: Path) -> None:
    documents, path = open_and_type(profile, tmp_path)
    assert await documents.save([path, tmp_path / "not-open.txt"]) == [path]
    assert path.read_text() == "new old\n"
    assert await documents.unsaved() == []


@pytest.mark.parametrize("profile", [HELIX, PLAIN], ids=lambda profile: profile.name)
async def test_another_is_not_asked(profile: EditorProfile, tmp_path: Path) -> None:
    documents, path = open_and_type(profile, tmp_path)
    assert await documents.save([path]) == []
    assert path.read_text() == "old\n"


@corpus("profile", [VSCODE, NEOVIM, HELIX, PLAIN])
async def test_what_the_user_saves_is_known_as_far_as_the_editor_tells(profile: EditorProfile, tmp_path: Path) -> None:
    """Typing is no save, and neither is the loading of what a command wrote."""
    peer = MemoryPeer(profile, tmp_path)
    documents = LspDocuments(peer, peer.buffers, Settings())
    paths = [tmp_path / name for name in ("saved.txt", "typed.txt", "reloaded.txt", "opened.txt")]
    for path in paths:
        path.write_text("old\n")
    for path in paths[:3]:
        peer.editor.open(path)
    peer.editor.save(paths[1])
    with documents.watch_saves() as saves:
        peer.editor.type(paths[0], "new ")
        peer.editor.save(paths[0])
        peer.editor.type(paths[0], "newer ")
        peer.editor.type(paths[1], "new ")
        paths[2].write_text("written by a command\n")
        peer.editor.look_at_disk()
        peer.editor.open(paths[3])
    assert dict(saves) == ({paths[0]: "new old\n"} if profile.did_save else {})
