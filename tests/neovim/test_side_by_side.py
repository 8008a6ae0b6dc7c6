"""Old text and proposal side by side: Vim's own diff, written to keep it, closed for later."""

from pathlib import Path

from neovim_support.editor import Editor
from neovim_support.review import NEW, OLD, ask, here, modify, permission
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer


def open_side_by_side(editor: Editor) -> None:
    editor.keys("gD")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet%-proposed')")


def test_both_texts_are_in_diff_mode_and_no_server_sees_them(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    ask(editor, connected, permission(modify(path)))
    open_side_by_side(editor)

    assert editor.text() == NEW
    windows = editor.lua("""
      return vim.tbl_map(function(window)
        local bufnr = vim.api.nvim_win_get_buf(window)
        return { vim.wo[window].diff, vim.bo[bufnr].filetype, vim.bo[bufnr].modifiable, vim.bo[bufnr].buflisted }
      end, vim.api.nvim_tabpage_list_wins(0))
    """)
    assert windows == [[True, "python", False, False], [True, "python", True, False]]
    assert editor.lua("return #vim.lsp.get_clients({ bufnr = 0 })") == 0
    assert "proposal: :w accepts, :q postpones" in screen.draw().text()


def test_writing_keeps_it_as_it_is_there(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    open_side_by_side(editor)
    editor.keys("6Gccreturn 'oblong'<Esc>:w<CR>")
    edited = NEW.replace("rectangle", "oblong")
    assert inquiry.answer() == {"outcome": "once", "edited": [{"uri": path.as_uri(), "text": edited}]}
    editor.wait("#vim.api.nvim_list_tabpages() == 1")
    assert here(editor) == "shapes.py"
    assert editor.lua("return vim.wo.diff") is False


def test_a_hunk_taken_back_by_diffobtain_is_refused(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    open_side_by_side(editor)
    editor.keys("6Gdo:wq<CR>")
    assert inquiry.answer() == {"outcome": "once", "hunks": {path.as_uri(): [1]}}
    editor.wait("#vim.api.nvim_list_tabpages() == 1")


def test_closing_it_decides_nothing(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    open_side_by_side(editor)
    editor.keys(":q<CR>")
    editor.wait("#vim.api.nvim_list_tabpages() == 1")
    assert here(editor) == "shapes.py"
    assert not inquiry.done()
    assert editor.lua("return require('placet.review').is_open()")
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}


def test_writing_the_old_text_refuses_the_file(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    open_side_by_side(editor)
    editor.keys(":%diffget<CR>:w<CR>")
    assert inquiry.answer() == {"outcome": "reject"}


def test_after_one_file_the_review_goes_on_with_the_next(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    other = project / "other.py"
    other.write_text(OLD)
    inquiry = ask(editor, connected, permission(modify(path), modify(other)))
    open_side_by_side(editor)
    editor.keys(":w<CR>")
    editor.wait("vim.fn.expand('%:t') == 'other.py'")
    editor.keys("grgr")
    assert inquiry.answer() == {"outcome": "once", "hunks": {path.as_uri(): [1, 2]}}
