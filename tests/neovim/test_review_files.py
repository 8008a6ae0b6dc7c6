"""A change to several files under review: each shown in its own buffer, and found again as it was."""

from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.review import (
    OLD,
    ask,
    ask_and_open,
    create,
    delete,
    here,
    modify,
    permission,
    rename,
)
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer


@pytest.fixture
def other(project: Path, path: Path) -> Path:
    """A file that nobody has open."""
    other = project / "other.py"
    other.write_text(OLD)
    return other


def quickfix(editor: Editor) -> list[str]:
    return editor.lua("return vim.tbl_map(function(item) return item.text end, vim.fn.getqflist())")


def buffers(editor: Editor) -> list[tuple[str, bool]]:
    """Name and whether it is listed."""
    names = editor.lua("""
      return vim.tbl_map(function(bufnr)
        return { vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ':t'), vim.bo[bufnr].buflisted }
      end, vim.api.nvim_list_bufs())
    """)
    return [(name, listed) for name, listed in names]


def test_a_file_that_is_not_open_is_shown_in_its_own_buffer_and_left_as_it_was_found(
    editor: Editor, connected: ScriptedServer, other: Path, screen: Screen
) -> None:
    inquiry = ask(editor, connected, permission(modify(other)))
    assert here(editor) == "shapes.py"

    editor.command("Placet review")

    text = screen.draw().text()
    assert "return 'box'" in text
    assert "return 'rectangle'" in text
    assert "● 1/2" in text
    assert here(editor) == "other.py"
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.buflisted }") == ["", "python", False]
    editor.keys("gr")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    editor.keys("ga")

    assert inquiry.answer() == {"outcome": "once", "hunks": {other.as_uri(): [2]}}
    assert editor.lua("return #vim.api.nvim_list_tabpages()") == 1
    assert here(editor) == "shapes.py"
    assert buffers(editor) == [("shapes.py", True)]


def test_a_file_whose_text_is_another_is_shown_as_a_diff(
    editor: Editor, connected: ScriptedServer, other: Path, screen: Screen
) -> None:
    other.write_text("nothing of that\n")
    inquiry = ask_and_open(editor, connected, permission(modify(other)))

    text = screen.draw().text()

    assert "--- other.py" in text
    assert "-    return 'box'" in text
    assert "+    return 'rectangle'" in text
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.modifiable }") == ["nofile", "diff", False]
    editor.keys("]c")
    editor.keys("ga")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] < 5")
    editor.keys("gr")
    assert inquiry.answer() == {"outcome": "once", "hunks": {other.as_uri(): [2]}}
    assert buffers(editor) == [("shapes.py", True)]


def test_a_file_with_a_swap_file_is_shown_without_a_prompt(
    editor: Editor, connected: ScriptedServer, other: Path
) -> None:
    other.with_name(".other.py.swp").write_bytes(b"b0VIM 8.2" + bytes(4087))
    inquiry = ask_and_open(editor, connected, permission(modify(other)))
    assert here(editor) == "other.py"
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}


def test_what_the_user_types_into_a_file_shown_for_review_stays(
    editor: Editor, connected: ScriptedServer, other: Path
) -> None:
    inquiry = ask_and_open(editor, connected, permission(modify(other)))
    editor.keys("3Gomine<Esc>")
    editor.wait("vim.bo.modified")
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}
    assert ("other.py", True) in buffers(editor)
    assert "mine" in editor.lua("return table.concat(vim.fn.getbufline('other.py', 1, '$'), ' ')")


def test_closing_its_tab_page_is_later(editor: Editor, connected: ScriptedServer, other: Path) -> None:
    inquiry = ask_and_open(editor, connected, permission(modify(other)))

    editor.command("quit")
    editor.wait("not require('placet.review').is_open()")

    assert "postponed" in editor.notices()[-1]
    assert not inquiry.done()
    editor.command("Placet review")
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}


def test_new_deleted_and_changed_files_are_one_review_and_one_quickfix_list(
    editor: Editor, connected: ScriptedServer, path: Path, other: Path, project: Path, screen: Screen
) -> None:
    created = project / "new.py"
    inquiry = ask(editor, connected, permission(modify(path), create(created, "import shapes\n"), delete(other, OLD)))
    assert quickfix(editor) == ["hunk 1: +2 -2", "hunk 2: +1 -1", "hunk 3: +1 -0", "delete file"]

    editor.keys("grga")
    editor.wait("vim.api.nvim_buf_get_name(0):match('new.py')")
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.modifiable }") == ["nofile", "python", False]
    row = next(index for index, line in enumerate(screen.draw().lines()) if "import shapes" in line)
    assert "background" in screen.highlight_at(row, 0)
    editor.keys("gr")
    editor.wait("vim.fn.expand('%:t') == 'other.py'")
    assert "file 3/3 delete file" in screen.draw().text()
    editor.keys("ga")

    assert inquiry.answer() == {"outcome": "once", "hunks": {path.as_uri(): [2], other.as_uri(): [1]}}
    assert quickfix(editor) == []
    assert buffers(editor) == [("shapes.py", True)]


def test_one_file_has_a_quickfix_list_too(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    ask(editor, connected, permission(modify(path)))
    assert quickfix(editor) == ["hunk 1: +2 -2", "hunk 2: +1 -1"]


def test_the_users_quickfix_list_stays_the_current_one_while_they_did_not_ask(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.lua("vim.fn.setqflist({ { text = 'a' }, { text = 'b' }, { text = 'c' } }, ' ')")
    editor.lua("vim.fn.setqflist({}, 'a', { idx = 2 })")

    for _ in range(3):
        inquiry = ask(editor, connected, permission(modify(path)))
        assert quickfix(editor) == ["a", "b", "c"]
        assert editor.lua("return vim.fn.getqflist({ idx = 0 }).idx") == 2
        editor.command("Placet review")
        assert len(quickfix(editor)) == 2
        editor.keys("gA")
        assert inquiry.answer() == {"outcome": "once"}
        assert quickfix(editor) == ["a", "b", "c"]

    assert editor.lua("return vim.fn.getqflist({ nr = '$' }).nr") == 2


def test_a_renamed_file_says_so_and_its_hunks_go_with_it(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path, screen: Screen
) -> None:
    inquiry = ask_and_open(editor, connected, permission(rename(path, project / "forms.py")))
    assert "rename shapes.py → forms.py" in screen.draw().text()

    editor.keys("]c]c")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    editor.keys("ga")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 1")
    editor.keys("gr")

    assert inquiry.answer() == {"outcome": "once", "hunks": {path.as_uri(): [2]}}


def test_a_file_can_be_renamed_without_its_hunks(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    inquiry = ask_and_open(editor, connected, permission(rename(path, project / "forms.py")))
    editor.keys("ga")
    editor.keys("gr")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    editor.keys("gr")
    assert inquiry.answer() == {"outcome": "once", "edited": [{"uri": path.as_uri(), "text": OLD}]}


def test_a_file_is_decided_with_one_key(editor: Editor, connected: ScriptedServer, path: Path, other: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path), modify(other)))
    editor.keys("gX")
    editor.wait("vim.fn.expand('%:t') == 'other.py'")
    editor.keys("gF")
    assert inquiry.answer() == {"outcome": "once", "hunks": {other.as_uri(): [1, 2]}}


def test_a_decision_can_be_changed_until_it_is_sent(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.lua("require('placet').setup({ review = { auto_send = false } })")
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("gaga")
    editor.wait("require('placet.review').is_open()")
    editor.keys("gggr<CR>")
    assert inquiry.answer() == {"outcome": "once", "hunks": {path.as_uri(): [2]}}


def test_a_review_opened_after_the_user_typed_elsewhere_finds_its_lines(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    editor.keys("3Gonew line<Esc>")
    editor.wait("vim.api.nvim_buf_line_count(0) == 7")

    ask_and_open(editor, connected, permission(modify(path)))

    lines = screen.draw().lines()
    row = next(index for index, line in enumerate(lines) if "return 'box'" in line)
    assert "● 2/2" in lines[row]
    assert "return 'rectangle'" in lines[row + 1]


def test_nothing_of_the_users_is_disturbed_by_a_review_that_opens_by_itself(
    editor: Editor, connected: ScriptedServer, path: Path, other: Path
) -> None:
    editor.command("vsplit | normal! 6G5l")
    editor.command("4mark m | 2,3fold | normal! 1Gm'6G5l")
    state = """
      local view = vim.fn.winsaveview()
      return vim.inspect({
        vim.api.nvim_get_current_win(), vim.fn.winlayout(), vim.fn.getjumplist(), vim.fn.getmarklist('%'),
        vim.fn.foldclosed(2), vim.fn.foldclosedend(2), view.lnum, view.col, vim.fn.bufnr('#'),
        vim.api.nvim_list_tabpages(), vim.bo.modified, vim.b.changedtick, vim.fn.getreg('/'), vim.fn.getreg('"'),
      })
    """
    before = editor.lua(state)

    inquiry = ask(editor, connected, permission(modify(path), modify(other)))
    assert editor.lua(state) == before
    connected.cancel(inquiry)
    editor.wait("not require('placet.review').is_open()")

    assert editor.lua(state) == before


def test_two_windows_on_a_buffer_both_show_the_review(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    editor.command("split")
    inquiry = ask(editor, connected, permission(modify(path)))
    assert screen.draw().text().count("return 'rectangle'") == 2
    assert screen.text().count("Placet 0/2") == 2
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}
    assert "Placet" not in screen.draw().text()


def test_a_window_split_off_a_review_keeps_nothing_of_it(
    editor: Editor, connected: ScriptedServer, path: Path, other: Path, screen: Screen
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.command(f"split {other}")
    editor.wait("vim.wo.winbar == ''")
    editor.command("wincmd p")
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}
    assert "Placet" not in screen.draw().text()


def test_only_the_selected_lines_can_be_accepted(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("2GVga")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    editor.keys("gr")
    half = OLD.replace("w * h", "width * height")
    assert inquiry.answer() == {"outcome": "once", "edited": [{"uri": path.as_uri(), "text": half}]}


def test_a_selection_over_whole_hunks_accepts_them_as_they_are(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("ggVGga")
    assert inquiry.answer() == {"outcome": "once"}


def test_selected_lines_of_a_new_file_can_be_accepted(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    created = project / "new.py"
    inquiry = ask_and_open(editor, connected, permission(create(created, "one\ntwo\nthree\n")))
    editor.keys("ggVjga")
    assert inquiry.answer() == {"outcome": "once", "edited": [{"uri": created.as_uri(), "text": "one\ntwo\n"}]}


def test_the_keys_are_listed(editor: Editor, connected: ScriptedServer, path: Path, screen: Screen) -> None:
    ask(editor, connected, permission(modify(path)))
    editor.keys("g?")
    editor.wait("vim.api.nvim_win_get_config(0).relative ~= ''")
    text = screen.draw().text()
    assert "gm       comment on the hunk" in text
    assert "gD       show old and new text side by side" in text
    editor.keys("q")
    editor.wait("vim.api.nvim_win_get_config(0).relative == ''")
    assert here(editor) == "shapes.py"


def test_without_hunks_of_its_own_a_file_is_decided_as_such(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    empty = project / "__init__.py"
    inquiry = ask_and_open(editor, connected, permission(create(empty, "")))
    editor.keys("ga")
    assert inquiry.answer() == {"outcome": "once"}
