"""Saving what only we left unsaved, in editors that can be told to and in those that cannot."""

from pathlib import Path

import pytest

from fake_editor.memory import MemoryPeer
from fake_editor.profiles import HELIX, NEOVIM, PLAIN, VSCODE, EditorProfile
from placet.frontends.lsp.documents import LspDocuments
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
