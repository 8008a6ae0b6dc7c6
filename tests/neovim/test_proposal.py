"""The proposal edited by the user: what is accepted then is their text."""

from pathlib import Path

from neovim_support.editor import Editor
from neovim_support.review import NEW, OLD, ask, cursor, delete, here, modify, permission
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer


def test_a_hunk_is_edited_in_a_small_window_and_accepted_so(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("6Gge")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet%-proposal')")
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.modified }") == ["acwrite", "python", False]
    assert editor.lua("return #vim.lsp.get_clients({ bufnr = 0 })") == 0

    editor.keys("ccreturn 'oblong'<Esc>:wq<CR>")
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    text = screen.draw().text()
    assert "return 'oblong'" in text
    assert "return 'rectangle'" not in text
    assert "2/2 edited" in text

    editor.keys("gaga")
    edited = NEW.replace("rectangle", "oblong")
    assert inquiry.answer() == {"outcome": "once", "edited": [{"uri": path.as_uri(), "text": edited}]}


def test_a_hunk_that_is_edited_to_no_lines_only_deletes(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("6Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ggdG:wq<CR>")
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    editor.keys("gagr")
    edited = OLD.replace("    return 'box'\n", "")
    assert inquiry.answer() == {"outcome": "once", "edited": [{"uri": path.as_uri(), "text": edited}]}


def test_closing_the_window_without_writing_changes_nothing(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("6Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccnothing of that<Esc>:q!<CR>")
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}


def test_the_agents_own_lines_come_back(editor: Editor, connected: ScriptedServer, path: Path, screen: Screen) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("6Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccmine<Esc>:wq<CR>")
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    editor.keys("go")
    screen.wait_for("return 'rectangle'")
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}


def test_an_edited_hunk_beside_a_refused_file(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    other = project / "other.py"
    other.write_text(OLD)
    inquiry = ask(editor, connected, permission(modify(path), modify(other)))
    editor.keys("6Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccreturn 'oblong'<Esc>:wq<CR>")
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    editor.keys("gF")
    editor.wait("vim.fn.expand('%:t') == 'other.py'")
    editor.keys("gX")
    edited = NEW.replace("rectangle", "oblong")
    assert inquiry.answer() == {
        "outcome": "once",
        "edited": [{"uri": path.as_uri(), "text": edited}],
        "hunks": {},
    }


def test_what_is_being_typed_is_not_lost_when_the_request_is_cancelled(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("6Gge")
    editor.wait("vim.bo.buftype == 'acwrite'")
    editor.keys("ccmy own words")
    editor.wait("vim.bo.modified")
    connected.cancel(inquiry)
    editor.wait("not require('placet.review').is_open()")
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "i"
    assert editor.text() == "    my own words\n"


def test_a_file_to_be_deleted_can_be_kept_with_another_text(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    inquiry = ask(editor, connected, permission(delete(path, OLD)))
    editor.keys("ge")
    editor.wait("vim.api.nvim_buf_get_name(0):match('^placet%-proposed')")
    editor.keys("ikeep me<Esc>:w<CR>")
    assert inquiry.answer() == {"outcome": "once", "edited": [{"uri": path.as_uri(), "text": "keep me\n"}]}
    editor.wait("vim.fn.expand('%:t') == 'shapes.py'")
    assert here(editor) == "shapes.py"
    assert cursor(editor)[0] == 1
