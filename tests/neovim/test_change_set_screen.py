"""What a change set looks like: pictures of the manual, and the screen as text."""

import os
import re
from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, created, deleted, listed
from neovim_support.editor import Editor
from neovim_support.review import open_file
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer
from neovim_support.shapes import HUNKS, NEW, OLD

IMAGES = Path(__file__).parents[2] / "docs" / "images"


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    editor.command("set laststatus=2 noruler noshowcmd fillchars=eob:\\  background=dark number showtabline=0")
    editor.command("set statusline=\\ %t\\ %m%=%{v:lua.require'placet'.status()}\\ ")
    return open_file(editor, connected, project / "shapes.py", OLD)


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
        listed(project / "main.py", [], kind="create", conflict="A file of this name has been made meanwhile."),
        deleted(project / "old.py", "one\ntwo\n"),
        listed(project / "box.py", HUNKS[:1], "unreviewed"),
    )
    editor.command("Placet review")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    text = screen.draw().text()
    screen.save_svg(picture("neovim-change-set-window.svg", tmp_path), "Placet in Neovim: the change set")
    assert "Proposed 4 files, 6 hunks" in text
    assert "Unreviewed 1 file, 1 hunk" in text
    shown = re.sub(r"[│\s]+", " ", text)
    assert "conflict: A file of this name has been made meanwhile." in shown
    assert "box.py" in text, "the window is as high as its wrapped lines"
    row = next(number for number, line in enumerate(screen.lines()) if "3 hunks" in line)
    line = screen.lines()[row]
    name, facts = (screen.highlight_at(row, line.index(part)) for part in ("shapes.py", "3 hunks"))
    assert name["background"] == facts["background"], "the whole line of the cursor is marked"
    assert "3 hunks" in text
    assert "new file" in text
    assert "conflict: A file of this name" in text


def test_a_picture_of_a_rename_and_of_a_conflict(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 100, 22)
    other = project / "main.py"
    other.write_text("import shapes\n\nprint(shapes.area(1, 2))\n")
    changes.stage(
        listed(project / "forms.py", HUNKS[:1], kind="rename", oldUri=path.as_uri()),
        listed(other, [], conflict="The same lines have been changed since the change was staged."),
    )
    editor.command(f"split {other}")
    editor.keys("]h[h")
    editor.wait("vim.fn.expand('%:t') == 'main.py'")
    screen.wait_for("● file 2/2 Proposed: The same lines")
    editor.keys("]h")
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    screen.wait_for("rename shapes.py → forms.py  ● file 1/2 Proposed, rename file")
    screen.save_svg(tmp_path / "rename.svg", "Placet in Neovim: a proposed rename and a conflict")


def test_a_picture_of_both_texts_side_by_side(
    editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 120, 22)
    changes.stage(listed(path, HUNKS, oldText=OLD, newText=NEW))
    editor.command("Placet side-by-side")
    editor.wait("vim.wo.diff")
    text = screen.draw().text()
    screen.save_svg(tmp_path / "side-by-side.svg", "Placet in Neovim: both texts of a file")
    assert "present text" in text
    assert "Proposed: :w accepts this text for the file" in text


def test_a_picture_of_the_editor_of_a_hunk(
    editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 100, 22)
    changes.stage(listed(path, HUNKS[:1], oldText=OLD, newText=NEW))
    editor.keys("]h")
    editor.command("Placet edit")
    editor.wait("vim.bo.buftype == 'acwrite'")
    text = screen.draw().text()
    screen.save_svg(tmp_path / "edit.svg", "Placet in Neovim: the lines of a proposed hunk")
    assert "proposed lines of hunk 1: :w accepts the lines" in text


def test_a_picture_of_the_keys(editor: Editor, changes: PlayedChangeSet, path: Path, tmp_path: Path) -> None:
    screen = Screen(editor.nvim, 100, 22)
    changes.stage(listed(path, HUNKS), created(path.with_name("new.py"), "print()\n"))
    editor.command("Placet change-set")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    editor.keys("?")
    screen.wait_for("keys of the changes to review")
    screen.save_svg(tmp_path / "keys.svg", "Placet in Neovim: the keys of the change set")


def test_a_picture_of_a_file_to_be_deleted_and_a_deleted_file(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, tmp_path: Path
) -> None:
    screen = Screen(editor.nvim, 100, 30)
    changes.stage(deleted(path, OLD), deleted(project / "gone.py", OLD, "unreviewed"))
    editor.command("split")
    editor.keys("]h")
    editor.wait("vim.fn.bufname():match('^placet%-change://')")
    screen.wait_for("● file 1/2 Unreviewed, deleted file")
    screen.save_svg(tmp_path / "deleted.svg", "Placet in Neovim: a file to be deleted, and a deleted file")
    assert "● file 2/2 Proposed, delete file" in screen.text()


@pytest.mark.parametrize("width", [80, 120])
def test_the_window_with_the_change_set_fits_the_screen(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path, width: int
) -> None:
    screen = Screen(editor.nvim, width, 20)
    long = project / "a_directory_with_a_long_name" / "another_directory_with_a_long_name" / "shapes_of_all_kinds.py"
    many = [listed(project / f"file{number:02}.py", HUNKS[:1]) for number in range(40)]
    changes.stage(listed(path, HUNKS), created(long, "print()\n"), *many)
    editor.command("Placet change-set")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    lines = screen.draw().lines()
    assert any("Placet: changes to review" in line for line in lines)
    assert any(" Proposed 42 files, 44 hunks" in line for line in lines)
    assert any("<CR> open  r reject  a accept  ? keys" in line for line in lines)
