"""What a change set looks like: pictures of the manual, and the screen as text."""

import os
from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, created, deleted, listed
from neovim_support.editor import Editor
from neovim_support.review import hunk, open_file
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

IMAGES = Path(__file__).parents[2] / "docs" / "images"

OLD = '''"""Shapes and what they measure."""

from math import pi


def area(w, h):
    """The area of a box."""
    return w * h


def circle(radius):
    return pi * radius ** 2
'''
NEW = (
    OLD.replace("def area(w, h)", "def area(width, height)")
    .replace("w * h", "width * height")
    .replace("    return pi", '    """The area of a circle."""\n    return pi')
)
HUNKS = [
    hunk(1, 5, ["def area(w, h):\n"], 5, ["def area(width, height):\n"]),
    hunk(2, 7, ["    return w * h\n"], 7, ["    return width * height\n"]),
    hunk(3, 11, [], 11, ['    """The area of a circle."""\n']),
]


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    editor.command("set laststatus=2 noruler noshowcmd fillchars=eob:\\  background=dark number showtabline=0")
    editor.command("set statusline=\\ %t\\ %m%=%{v:lua.require'placet'.status()}\\ ")
    return open_file(editor, connected, project / "shapes.py", OLD)


@pytest.fixture
def changes(editor: Editor, connected: ScriptedServer, path: Path) -> PlayedChangeSet:
    changes = PlayedChangeSet(editor, connected)
    changes.begin()
    editor.command("wincmd o")
    return changes


def picture(name: str, tmp_path: Path) -> Path:
    """Where it goes; to the manual only when PLACET_UPDATE_IMAGES is set."""
    return (IMAGES if os.environ.get("PLACET_UPDATE_IMAGES") else tmp_path) / name


def test_a_picture_of_proposed_hunks(editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path) -> None:
    screen = Screen(editor.nvim, 100, 22)
    changes.stage(listed(path, HUNKS))
    editor.lua("vim.ui.input = function(_, use) use('the name is part of the API: keep w and h') end")
    editor.keys("]h")
    editor.command("Placet comment")
    text = screen.draw().text()
    screen.save_svg(picture("neovim-change-set.svg", tmp_path), "Placet in Neovim: proposed hunks in a file")
    assert "● 1/3 Proposed, with a comment" in text
    assert "You: the name is part of the API" in text
    assert "3 proposed" in text


def test_a_picture_of_unreviewed_hunks(editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path) -> None:
    screen = Screen(editor.nvim, 100, 22)
    path.write_text(NEW)
    editor.command("edit!")
    changes.stage(listed(path, HUNKS, "unreviewed"))
    text = screen.draw().text()
    screen.save_svg(picture("neovim-unreviewed.svg", tmp_path), "Placet in Neovim: unreviewed hunks in a file")
    lines = screen.lines()
    row = next(index for index, line in enumerate(lines) if "def area(width, height):" in line)
    assert "def area(w, h):" in lines[row - 1]
    assert "● 1/3 Unreviewed" in lines[row]
    assert "3 unreviewed" in text


def test_a_picture_of_the_window_with_the_change_set(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 100, 22)
    changes.stage(
        listed(path, HUNKS),
        created(project / "forms.py", "import shapes\n\nprint(shapes)\n"),
        listed(project / "main.py", [], conflict="The same lines have been changed since the change was staged."),
        deleted(project / "old.py", "one\ntwo\n"),
        listed(project / "box.py", HUNKS[:1], "unreviewed"),
    )
    editor.command("Placet review")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    text = screen.draw().text()
    screen.save_svg(picture("neovim-change-set-window.svg", tmp_path), "Placet in Neovim: the change set")
    assert "Proposed 4 files, 6 hunks" in text
    assert "Unreviewed 1 file, 1 hunk" in text
    assert "3 hunks" in text
    assert "new file" in text
    assert "conflict: The same lines" in text
