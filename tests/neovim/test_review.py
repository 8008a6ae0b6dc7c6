"""A proposed change under review: shown in place, decided hunk by hunk with keys, never in the user's way."""

from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.review import OLD, ask, cursor, hunk, modify, permission
from neovim_support.screen import Screen
from neovim_support.scripted_server import AnsweredWithError, ScriptedServer


def test_hunks_are_shown_in_the_buffer_without_moving_the_cursor(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    editor.command("normal! 4G")

    ask(editor, connected, permission(modify(path)))

    text = screen.draw().text()
    assert "def area(w, h):" in text
    assert "def area(width, height):" in text
    assert "return 'rectangle'" in text
    assert "Placet 0/2  edit shapes.py" in text
    assert "ga accept" in text
    assert "● 2/2" in text
    assert cursor(editor) == [4, 0]
    assert editor.text() == OLD
    assert editor.lua("return vim.bo.modified") is False


def test_each_hunk_is_decided_with_keys_and_the_last_sends_the_answer(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))

    editor.keys("ga")
    editor.wait("vim.api.nvim_win_get_cursor(0)[1] == 6")
    assert "✓ 1/2 accepted" in screen.draw().text()
    assert not inquiry.done()
    editor.keys("gr")

    assert inquiry.answer() == {"outcome": "once", "hunks": {path.as_uri(): [1]}}
    text = screen.draw().text()
    assert "rectangle" not in text
    assert "Placet" not in text
    assert editor.lua("return require('placet').status()") == ""


def test_accepting_all_names_no_hunks(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("gA")
    assert inquiry.answer() == {"outcome": "once"}


def test_rejecting_every_hunk_rejects_the_change(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("grgr")
    assert inquiry.answer() == {"outcome": "reject"}


def test_a_rejection_can_carry_a_reason(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.lua("vim.ui.input = function(_, use) use('keep the short names') end")
    editor.keys("gC")
    assert inquiry.answer() == {"outcome": "reject", "feedback": "keep the short names"}


def test_a_change_can_be_allowed_for_the_whole_session(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("g!")
    assert inquiry.answer() == {"outcome": "always", "scope": "session"}


def test_where_several_scopes_are_offered_the_user_chooses(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    params = permission(modify(path))
    params["always"] = [{"scope": scope, "patterns": ["a.py"]} for scope in ("session", "project")]
    inquiry = ask(editor, connected, params)
    editor.lua(
        """
        vim.ui.select = function(items, options, use)
          _G.labels = vim.tbl_map(options.format_item, items)
          use(items[2])
        end
        """
    )
    editor.keys("g!")
    assert inquiry.answer() == {"outcome": "always", "scope": "project"}
    assert editor.lua("return _G.labels") == [
        "Always allow in this session: a.py",
        "Always allow in this project: a.py",
    ]


def test_later_leaves_the_question_open_with_what_was_decided(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("gagq")
    editor.wait("#_G.notices > 0")

    assert "postponed" in editor.notices()[-1]
    assert "rectangle" not in screen.draw().text()
    assert editor.lua("return require('placet').status()") == "Placet: 1 pending"
    assert not inquiry.done()

    editor.command("Placet review")
    assert editor.lua("return vim.api.nvim_win_get_cursor(0)[1]") == 6
    editor.keys("ga")
    assert inquiry.answer() == {"outcome": "once"}


def test_while_typing_a_question_only_announces_itself(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    editor.keys("4GA  # here")
    editor.wait("vim.api.nvim_get_current_line():match('here')")
    old = editor.text()

    inquiry = connected.ask("editor/requestPermission", permission(modify(path, old=old)))
    editor.wait("#_G.notices == 1")

    assert editor.notices() == ["Placet asks: edit shapes.py. :Placet review"]
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "i"
    assert "rectangle" not in screen.draw().text()
    editor.keys(" and on<Esc>")
    editor.wait("vim.api.nvim_get_current_line():match('here and on')")
    assert not inquiry.done()


def test_in_another_window_a_question_only_announces_itself(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.command("new")
    window = editor.lua("return vim.api.nvim_get_current_win()")

    connected.ask("editor/requestPermission", permission(modify(path)))
    editor.wait("#_G.notices == 1")

    assert editor.lua("return vim.api.nvim_get_current_win()") == window
    editor.command("Placet review")
    assert editor.lua("return vim.fn.expand('%:t')") == "shapes.py"
    assert editor.lua("return #vim.api.nvim_list_tabpages()") == 1


def test_a_cancelled_request_leaves_nothing_on_the_screen(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    before = screen.draw().text()
    inquiry = ask(editor, connected, permission(modify(path)))
    assert "rectangle" in screen.draw().text()

    connected.cancel(inquiry)

    with pytest.raises(AnsweredWithError) as caught:
        inquiry.answer()
    assert caught.value.code == -32800
    editor.wait("require('placet').status() == ''")
    assert screen.draw().text() == before
    assert editor.lua("return vim.fn.maparg('ga', 'n')") == ""


def test_the_users_own_keys_and_winbar_come_back(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("setlocal winbar=mine | nnoremap <buffer> ]c :let g:mine = 1<CR>")
    inquiry = ask(editor, connected, permission(modify(path)))
    assert editor.lua("return vim.wo.winbar") != "mine"

    editor.keys("gR")
    inquiry.answer()

    assert editor.lua("return vim.wo.winbar") == "mine"
    editor.keys("]c")
    editor.wait("vim.g.mine == 1")


def test_lines_proposed_above_the_first_line_are_seen(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    hunks = [hunk(1, 0, [], 0, ["import math\n", "\n"])]
    ask(editor, connected, permission(modify(path, new="import math\n\n" + OLD, hunks=hunks)))
    editor.keys("]c")
    editor.wait("vim.fn.winsaveview().topfill == 2")
    assert screen.draw().lines()[1] == "import math"


def test_the_users_typing_moves_the_hunks_along(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    ask(editor, connected, permission(modify(path)))
    editor.keys("3Gonew line<Esc>")
    editor.wait("vim.api.nvim_buf_line_count(0) == 7")
    lines = screen.draw().lines()
    row = next(index for index, line in enumerate(lines) if "return 'box'" in line)
    assert "● 2/2" in lines[row]
    assert "return 'rectangle'" in lines[row + 1]


def test_the_end_of_the_daemon_clears_the_screen(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    ask(editor, connected, permission(modify(path)))
    connected.close()
    editor.wait("require('placet').status() == '' and not require('placet.review').is_open()")
    assert "rectangle" not in screen.draw().text()
