"""What a review looks like: the screen as text at 80 and at 120 columns, without colours, and the manual's pictures."""

import os
from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, created, listed, renamed
from neovim_support.editor import Editor
from neovim_support.review import open_file
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer
from neovim_support.shapes import HUNKS, NEW, OLD

IMAGES = Path(__file__).parents[2] / "docs" / "images"


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    editor.command("set laststatus=0 noruler noshowcmd fillchars=eob:\\ ")
    return open_file(editor, connected, project / "shapes.py", OLD)


def lines(screen: Screen) -> list[str]:
    return screen.draw().lines()[:18]


def picture(name: str, tmp_path: Path) -> Path:
    """Where it goes; to the manual only when PLACET_UPDATE_IMAGES is set."""
    return (IMAGES if os.environ.get("PLACET_UPDATE_IMAGES") else tmp_path) / name


def test_at_80_columns(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    screen = Screen(editor.nvim, 80, 20)
    changes.ask(listed(path, HUNKS))
    assert lines(screen) == [
        '  """Shapes and what they measure."""',
        "",
        "  from math import pi",
        "",
        "",
        "┃ def area(w, h):".ljust(48) + "● 1/3 Proposed, the agent waits",
        "  def area(width, height):",
        '      """The area of a box."""',
        "┃     return w * h".ljust(48) + "● 2/3 Proposed, the agent waits",
        "      return width * height",
        "",
        "",
        "┃ def circle(radius):".ljust(48) + "● 3/3 Proposed, the agent waits",
        '      """The area of a circle."""',
        "      return pi * radius ** 2",
        "",
        "",
        "",
    ]


def test_without_colours_signs_tell_old_from_new(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    editor.command("set notermguicolors")
    screen = Screen(editor.nvim, 80, 20, rgb=False, colours=2)
    changes.ask(listed(path, HUNKS))
    shown = lines(screen)
    assert shown[5].startswith("- def area(w, h):")
    assert shown[6] == "  + def area(width, height):"
    assert shown[8].startswith("-     return w * h")
    assert shown[9] == "  +     return width * height"


def test_in_256_colours_lines_have_colours_of_the_scheme(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    editor.command("set notermguicolors")
    screen = Screen(editor.nvim, 80, 20, rgb=False, colours=256)
    changes.ask(listed(path, HUNKS))
    assert lines(screen)[6] == "  def area(width, height):"
    plain, old, new = (screen.highlight_at(row, 2) for row in (1, 5, 6))
    assert plain != old != new != plain


def test_signs_can_be_had_with_colours(editor: Editor, changes: PlayedChangeSet, path: Path) -> None:
    editor.lua("require('placet').setup({ review = { signs = 'always' } })")
    screen = Screen(editor.nvim, 80, 20)
    changes.ask(listed(path, HUNKS))
    assert lines(screen)[5].startswith("- def area(w, h):")


@pytest.mark.parametrize("width", [80, 120])
def test_a_new_file_and_a_renamed_one(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, width: int
) -> None:
    screen = Screen(editor.nvim, width, 20)
    new = created(project / "new.py", "import forms\n\nprint(forms)\n")
    changes.ask(new, renamed(path, project / "forms.py", HUNKS))
    editor.command("Placet review")
    said = "rename shapes.py → forms.py  ● file 1/2 Proposed, the agent waits, rename file"
    assert any(said in line for line in lines(screen))
    editor.keys("[c")
    editor.wait("vim.fn.expand('%:t') == 'new.py'")
    shown = lines(screen)
    assert "import forms" in shown[0]
    assert shown[0].endswith("● file 2/2 Proposed, the agent waits, new file")
    assert "print(forms)" in shown[2]


def pictured(editor: Editor, columns: int = 100, rows: int = 24) -> Screen:
    editor.command("set background=dark number showtabline=0 statusline=\\ %t")
    return Screen(editor.nvim, columns, rows)


def test_a_picture_of_a_comment_and_a_hunk_that_is_edited(
    editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path
) -> None:
    screen = pictured(editor, rows=28)
    changes.ask(listed(path, HUNKS))
    editor.lua("vim.ui.input = function(_, use) use('the name is part of the API: keep w and h') end")
    editor.keys("6Ggm")
    editor.keys("8Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("A  # square units<Esc>")
    editor.wait("vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
    text = screen.draw().text()
    screen.save_svg(picture("neovim-review-edit.svg", tmp_path), "Placet in Neovim: a comment, and lines edited")
    assert "You: the name is part of the API" in text
    assert "proposed lines of hunk 2: :w accepts the lines" in text
    assert "return width * height  # square units" in text


def test_a_picture_of_side_by_side(editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path) -> None:
    screen = pictured(editor, 120)
    changes.ask(listed(path, HUNKS, oldText=OLD, newText=NEW))
    editor.keys("gD")
    editor.wait("vim.wo.diff")
    text = screen.draw().text()
    screen.save_svg(picture("neovim-review-side-by-side.svg", tmp_path), "Placet in Neovim: side by side")
    assert "present text" in text
    assert "Proposed: :w accepts this text for the file" in text


def test_a_picture_of_the_keys(editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path) -> None:
    screen = pictured(editor)
    changes.ask(listed(path, HUNKS))
    editor.keys("g?")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    text = screen.draw().text()
    screen.save_svg(tmp_path / "keys.svg", "Placet in Neovim: the keys of a change that waits")
    assert "keys of a change that waits" in text
