"""What a review looks like: the screen as text at 80 and at 120 columns, without colours, and the manual's pictures."""

import os
from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.review import ask, ask_and_open, create, modify, open_file, permission, rename
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer
from neovim_support.shapes import HUNKS, NEW, OLD

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def change(path: Path) -> dict[str, object]:
    return modify(path, OLD, NEW, HUNKS)


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    editor.command("set laststatus=0 noruler noshowcmd fillchars=eob:\\ ")
    return open_file(editor, connected, project / "shapes.py", OLD)


def lines(screen: Screen) -> list[str]:
    return screen.draw().lines()[:18]


def picture(name: str, tmp_path: Path) -> Path:
    """Where it goes; to the manual only when PLACET_UPDATE_IMAGES is set."""
    return (IMAGES if os.environ.get("PLACET_UPDATE_IMAGES") else tmp_path) / name


def test_at_80_columns(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    screen = Screen(editor.nvim, 80, 20)
    ask(editor, connected, permission(change(path)))
    assert lines(screen) == [
        " Placet 0/3  edit shapes.py".ljust(36) + "ga accept gr reject gA all gq later g? keys",
        '"""Shapes and what they measure."""',
        "",
        "from math import pi",
        "",
        "",
        "def area(w, h):".ljust(74) + "● 1/3",
        "def area(width, height):",
        '    """The area of a box."""',
        "    return w * h".ljust(74) + "● 2/3",
        "    return width * height",
        "",
        "",
        "def circle(radius):".ljust(74) + "● 3/3",
        '    """The area of a circle."""',
        "    return pi * radius ** 2",
        "",
        "",
    ]


def test_at_120_columns(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    screen = Screen(editor.nvim, 120, 20)
    ask(editor, connected, permission(change(path)))
    editor.keys("]cga")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 8")
    shown = lines(screen)
    assert shown[0].startswith(" Placet 1/3  edit shapes.py")
    assert shown[0].endswith("ga accept gr reject gA all gq later g? keys")
    assert shown[6] == "def area(w, h):".ljust(105) + "✓ 1/3 accepted"
    assert shown[9] == "    return w * h".ljust(114) + "● 2/3"


def test_in_a_narrow_window_the_last_keys_give_way(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    screen = Screen(editor.nvim, 40, 20)
    ask(editor, connected, permission(change(path)))
    assert lines(screen)[0] == " Placet 0/3  ga accept gr reject gA all"


def test_without_colours_signs_tell_old_from_new(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("set notermguicolors")
    screen = Screen(editor.nvim, 80, 20, rgb=False, colours=2)
    ask(editor, connected, permission(change(path)))
    shown = lines(screen)
    assert shown[6].startswith("- def area(w, h):")
    assert shown[7] == "  + def area(width, height):"
    assert shown[9].startswith("-     return w * h")
    assert shown[10] == "  +     return width * height"


def test_in_256_colours_lines_have_colours_of_the_scheme(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("set notermguicolors")
    screen = Screen(editor.nvim, 80, 20, rgb=False, colours=256)
    ask(editor, connected, permission(change(path)))
    assert lines(screen)[7] == "def area(width, height):"
    plain, old, new = (screen.highlight_at(row, 0) for row in (1, 6, 7))
    assert plain != old != new != plain


def test_signs_can_be_had_with_colours(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.lua("require('placet').setup({ review = { signs = 'always' } })")
    screen = Screen(editor.nvim, 80, 20)
    ask(editor, connected, permission(change(path)))
    assert lines(screen)[6].startswith("- def area(w, h):")


@pytest.mark.parametrize("width", [80, 120])
def test_a_new_file_and_a_renamed_one(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path, width: int
) -> None:
    screen = Screen(editor.nvim, width, 20)
    moved = {**rename(path, project / "forms.py", OLD, NEW, HUNKS)}
    ask_and_open(editor, connected, permission(create(project / "new.py", "import forms\n\nprint(forms)\n"), moved))
    shown = lines(screen)
    assert any("rename shapes.py → forms.py  ● file 1/2 rename file" in line for line in shown)
    editor.keys("[c")
    editor.wait("vim.fn.expand('%:t') == 'new.py'")
    shown = lines(screen)
    assert shown[2].startswith("import forms")
    assert shown[2].endswith("● file 2/2")
    assert shown[4] == "print(forms)"


def pictured(editor: Editor, columns: int = 100, rows: int = 24) -> Screen:
    editor.command("set background=dark number showtabline=0 statusline=\\ %t")
    return Screen(editor.nvim, columns, rows)


def test_a_picture_of_a_comment_and_an_edited_hunk(
    editor: Editor, connected: ScriptedServer, path: Path, tmp_path: Path
) -> None:
    screen = pictured(editor)
    ask(editor, connected, permission(change(path)))
    editor.lua("vim.ui.input = function(_, use) use('the name is part of the API: keep w and h') end")
    editor.keys("]cgm")
    editor.keys("8Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("A  # square units<Esc>")
    editor.wait("vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
    editor.command("silent write")
    text = screen.draw().text()
    screen.save_svg(picture("neovim-review-edit.svg", tmp_path), "Placet in Neovim: a comment, and lines edited")
    assert "You: the name is part of the API" in text
    assert "● 2/3 edited" in text


def test_a_picture_of_side_by_side(editor: Editor, connected: ScriptedServer, path: Path, tmp_path: Path) -> None:
    screen = pictured(editor, 120)
    ask(editor, connected, permission(change(path)))
    editor.keys("gD")
    editor.wait("vim.wo.diff")
    text = screen.draw().text()
    screen.save_svg(picture("neovim-review-side-by-side.svg", tmp_path), "Placet in Neovim: side by side")
    assert "old text" in text
    assert "proposal: :w accepts, :q postpones" in text


def test_a_picture_of_the_keys(editor: Editor, connected: ScriptedServer, path: Path, tmp_path: Path) -> None:
    screen = pictured(editor)
    ask(editor, connected, permission(change(path)))
    editor.keys("g?")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    text = screen.draw().text()
    screen.save_svg(tmp_path / "keys.svg", "Placet in Neovim: the keys of the review")
    assert "keys of the review" in text
