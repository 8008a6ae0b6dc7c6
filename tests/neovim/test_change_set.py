"""A session's change set in the buffers of its files: shown, moved through, and decided, never in the user's way."""

from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, created, deleted, listed
from neovim_support.editor import Editor
from neovim_support.review import HUNKS, NEW, OLD, cursor, here, hunk, open_file
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer


@pytest.fixture
def changes(editor: Editor, connected: ScriptedServer, path: Path) -> PlayedChangeSet:
    changes = PlayedChangeSet(editor, connected)
    changes.begin()
    editor.command("wincmd o")
    return changes


def test_proposed_hunks_are_shown_in_the_buffer_without_moving_the_cursor(
    editor: Editor, changes: PlayedChangeSet, path: Path, screen: Screen
) -> None:
    editor.command("normal! 4G")

    changes.stage(listed(path))

    text = screen.draw().text()
    assert "def area(w, h):" in text
    assert "def area(width, height):" in text
    assert "● 1/2 Proposed" in text
    assert "● 2/2 Proposed" in text
    assert "┃" in text
    assert cursor(editor) == [4, 0]
    assert editor.text() == OLD
    assert editor.lua("return vim.bo.modified") is False
    assert editor.lua("return require('placet').status()").startswith("Placet: 2 proposed")
