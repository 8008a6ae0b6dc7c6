"""Hunks fit the windows that show them, and stay readable when windows, columns and options change."""

from pathlib import Path

import pytest

from neovim_support.change_set import PlayedChangeSet, created, listed, renamed
from neovim_support.editor import Editor
from neovim_support.review import hunk, open_file
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

OLD = "short\nend\n"
LONG = "".join(f"word{number} " for number in range(25)) + "\n"
NEW = OLD.replace("short\n", LONG)
HUNKS = [hunk(1, 0, ["short\n"], 0, [LONG])]


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    editor.command("set laststatus=0 noruler noshowcmd fillchars=eob:\\ ,vert:\\|")
    return open_file(editor, connected, project / "a.txt", OLD)


def shows_all_words(screen: Screen, width: int, left: int = 0) -> bool:
    rows = ["".join(cell for cell, _ in row[left : left + width]) for row in screen.settle().cells]
    return LONG.replace(" ", "").strip() in "".join(rows).replace(" ", "")


def test_a_hunk_is_drawn_again_for_each_change_of_the_windows(editor: Editor, changes: PlayedChangeSet) -> None:
    path = Path(editor.lua("return vim.api.nvim_buf_get_name(0)"))
    screen = Screen(editor.nvim, 80, 24)
    changes.stage(listed(path, HUNKS))
    assert shows_all_words(screen, 80)
    editor.command("set number numberwidth=8 signcolumn=yes:3 foldcolumn=2")
    assert shows_all_words(screen, 64, 16)
    editor.command("set nonumber signcolumn=auto foldcolumn=0")
    editor.command("vsplit | vertical resize 30")
    assert shows_all_words(screen, 28, 2)
    editor.command("only | set columns=50")
    assert shows_all_words(screen, 50)
    editor.command("tabedit other.txt | set columns=70 | tabprevious")
    assert shows_all_words(screen, 70)
    assert max(map(len, screen.lines())) > 55, "a wider window is used"


def test_a_window_of_few_columns_beside_another_does_not_make_the_rows_short(
    editor: Editor, changes: PlayedChangeSet
) -> None:
    path = Path(editor.lua("return vim.api.nvim_buf_get_name(0)"))
    screen = Screen(editor.nvim, 80, 24)
    changes.stage(listed(path, HUNKS))
    editor.command("vsplit | vertical resize 8 | wincmd p")
    assert shows_all_words(screen, 69, 11)


def test_a_label_without_room_beside_its_line_has_a_line_of_its_own(
    editor: Editor, connected: ScriptedServer, changes: PlayedChangeSet, project: Path
) -> None:
    editor.lua("require('placet').setup({ change_set = { signs = false } })")
    wide = "x" * 79
    path = open_file(editor, connected, project / "wide.txt", f"{wide}\nend\n")
    screen = Screen(editor.nvim, 80, 20)
    changes.ask(listed(path, [hunk(1, 0, [f"{wide}\n"], 0, ["y\n"])]))
    lines = screen.draw().lines()
    row = lines.index(wide)
    assert lines[row + 1] == " ● 1/1 Proposed, the agent waits"
    assert lines[row + 2] == "y"


def test_the_new_name_of_a_renamed_file_is_shown_whole(
    editor: Editor, changes: PlayedChangeSet, path: Path, project: Path
) -> None:
    screen = Screen(editor.nvim, 80, 20)
    name = "a_directory_with_a_long_name/" * 3 + "file.txt"
    changes.ask(renamed(path, project / name, []))
    editor.command("Placet review")
    screen.wait_for("rename a.txt")
    editor.keys("<C-y>")
    assert f"renamea.txt→{name}" in screen.draw().text().replace(" ", "").replace("\n", "")


def test_tabs_of_new_lines_are_as_wide_as_the_tabs_of_the_buffer(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    new = "a\tb\tc\n"
    screen = Screen(editor.nvim, 80, 20)
    for option, shown in (("tabstop=4", "a   b   c"), ("vartabstop=2,6", "a b     c")):
        editor.command(f"setlocal {option}")
        changes.stage(listed(path, [hunk(1, 0, ["short\n"], 0, [new])]))
        screen.wait_for(shown)


def test_text_is_not_concealed_while_hunks_are_shown_and_concealed_again_after_the_decision(
    editor: Editor, connected: ScriptedServer, changes: PlayedChangeSet, project: Path
) -> None:
    new = "**bold**\nsecond\n"
    path = open_file(editor, connected, project / "a.md", new)
    editor.command("setlocal conceallevel=2 concealcursor=nvic")
    editor.command(r"syntax match Stars '\*\*' conceal")
    screen = Screen(editor.nvim, 80, 20)
    assert "**bold**" not in screen.draw().text()
    changes.stage(listed(path, [hunk(1, 0, ["plain\n"], 0, ["**bold**\n"])], "unreviewed"))
    screen.wait_for("**bold**")
    editor.command("setlocal conceallevel=3")
    screen.wait_for("**bold**")

    editor.command("edit other.txt")
    changes.files = []
    changes.announce()
    editor.wait("require('placet').details().unreviewed == 0")
    assert editor.lua("return vim.wo.conceallevel") == 0, "another buffer keeps its own"
    editor.command(f"edit {path}")
    assert editor.lua("return vim.wo.conceallevel") == 3
    assert "**bold**" not in screen.draw().text()


def test_long_new_lines_of_a_buffer_are_wrapped_until_the_decision_where_the_user_does_not_wrap(
    editor: Editor, connected: ScriptedServer, changes: PlayedChangeSet, project: Path
) -> None:
    editor.command("set nowrap")
    screen = Screen(editor.nvim, 80, 20)
    changes.stage(created(project / "new.txt", LONG))
    editor.lua("require('placet.change_set.actions').act('next')")
    editor.wait("vim.fn.bufname():match('new.txt$')")
    assert shows_all_words(screen, 80)

    path = open_file(editor, connected, project / "b.txt", LONG)
    changes.stage(listed(path, HUNKS, "unreviewed"))
    assert shows_all_words(screen, 80)
    changes.files = []
    changes.announce()
    editor.wait("not vim.wo.wrap")


@pytest.mark.parametrize("count", [1, 3, 12])
def test_lines_that_go_above_the_first_line_of_a_file_can_all_be_seen(
    editor: Editor, changes: PlayedChangeSet, path: Path, count: int
) -> None:
    """Neovim itself hides virtual lines above the first line, and never shows more than fit the window."""
    new = [f"new {number} {'x' * 90} end {number}\n" for number in range(count)]
    screen = Screen(editor.nvim, 80, 20)
    changes.ask(listed(path, [hunk(1, 0, [], 0, new)]))
    missing = {f"new {number} " for number in range(count)} | {f"end {number}" for number in range(count)}
    assert "new 0 " in screen.settle().text(), "the first line is seen at once"
    for _ in range(2 * count + 1):
        missing -= {words for words in missing if f"{words.strip()} " in f"{screen.text()} ".replace("\n", " ")}
        editor.command('execute "normal! \\<C-e>"')
        screen.settle()
    assert missing == set()


MANY = [f"line {number}\n" for number in range(60)]
BOTH = "(vim.wo.diff and vim.fn.winnr('$') == 2)"
RIGHT = "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.winbufnr(2), 0, -1, true), '\\n') .. '\\n'"


def test_a_waiting_hunk_of_which_neovim_cannot_show_the_middle_is_whole_at_the_key_of_the_hint(
    editor: Editor, changes: PlayedChangeSet, path: Path
) -> None:
    screen = Screen(editor.nvim, 80, 20)
    changes.ask(listed(path, [hunk(1, 2, [], 2, MANY)], oldText=OLD, newText=OLD + "".join(MANY)))
    editor.command("Placet review")
    screen.wait_for("more lines below; gD shows all")
    editor.keys("gD")
    editor.wait(BOTH)
    assert editor.lua(RIGHT) == OLD + "".join(MANY)


def test_a_hunk_of_the_set_of_which_neovim_cannot_show_the_middle_is_whole_at_the_key_of_the_hint(
    editor: Editor, changes: PlayedChangeSet
) -> None:
    path = Path(editor.lua("return vim.api.nvim_buf_get_name(0)"))
    screen = Screen(editor.nvim, 80, 20)
    changes.stage(listed(path, [hunk(1, 2, [], 2, MANY)]))
    editor.lua("require('placet.change_set.actions').act('next')")
    screen.wait_for("more lines below; gH shows all")
    editor.keys("gH")
    editor.wait(BOTH)


def test_a_mapping_of_the_user_stays_and_the_hint_names_the_command(editor: Editor, changes: PlayedChangeSet) -> None:
    path = Path(editor.lua("return vim.api.nvim_buf_get_name(0)"))
    editor.command("nnoremap gH :echo 'mine'<CR>")
    screen = Screen(editor.nvim, 80, 20)
    changes.stage(listed(path, [hunk(1, 2, [], 2, MANY)]))
    editor.lua("require('placet.change_set.actions').act('next')")
    screen.wait_for("more lines below; :Placet side-by-side shows all")
    assert editor.lua("return vim.fn.maparg('gH', 'n')") == ":echo 'mine'<CR>"
