"""A proposed change under review: shown in place, decided hunk by hunk with keys, never in the user's way."""

import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import Editor
from neovim_support.screen import Screen
from neovim_support.scripted_server import AnsweredWithError, ScriptedServer

Json = dict[str, Any]

OLD = "def area(w, h):\n    return w * h\n\n\ndef name():\n    return 'box'\n"
NEW = "def area(width, height):\n    return width * height\n\n\ndef name():\n    return 'rectangle'\n"


def hunk(number: int, old_start: int, old: list[str], new_start: int, new: list[str]) -> Json:
    return {"id": number, "oldStart": old_start, "oldLines": old, "newStart": new_start, "newLines": new}


HUNKS = [
    hunk(
        1,
        0,
        ["def area(w, h):\n", "    return w * h\n"],
        0,
        ["def area(width, height):\n", "    return width * height\n"],
    ),
    hunk(2, 5, ["    return 'box'\n"], 5, ["    return 'rectangle'\n"]),
]


def modify(path: Path, old: str = OLD, new: str = NEW, hunks: list[Json] = HUNKS) -> Json:
    return {"uri": path.as_uri(), "kind": "modify", "oldText": old, "newText": new, "hunks": hunks}


def permission(*files: Json, title: str = "edit shapes.py", **more: Any) -> Json:
    return {
        "requestId": "per_1",
        "sessionId": "ses_1",
        "origin": [],
        "toolCall": {"messageId": "m", "callId": "c", "tool": "edit"},
        "permission": "edit",
        "title": title,
        "patterns": ["shapes.py"],
        "always": [{"scope": "session", "patterns": ["*"]}],
        "rule": "edit asks (built in)",
        "change": {"id": "chg_1", "files": list(files)},
        **more,
    }


@pytest.fixture
def path(editor: Editor, connected: ScriptedServer, project: Path) -> Path:
    path = project / "shapes.py"
    path.write_text(OLD)
    editor.open(path)
    connected.wait_for_document(path.as_uri())
    return path


@pytest.fixture
def screen(editor: Editor) -> Screen:
    return Screen(editor.nvim)


def ask(editor: Editor, server: ScriptedServer, params: Json) -> "Future[Any]":
    """The request, once it has reached the plugin."""
    inquiry = server.ask("editor/requestPermission", params)
    editor.wait("require('placet').status() == 'Placet: 1 to review'")
    return inquiry


def answer(inquiry: "Future[Any]") -> Any:
    return inquiry.result(20)


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
    assert editor.lua("return vim.api.nvim_win_get_cursor(0)") == [4, 0]
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

    assert answer(inquiry) == {"outcome": "once", "hunks": {path.as_uri(): [1]}}
    text = screen.draw().text()
    assert "rectangle" not in text
    assert "Placet" not in text
    assert editor.lua("return require('placet').status()") == ""


def test_accepting_all_names_no_hunks(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("gA")
    assert answer(inquiry) == {"outcome": "once"}


def test_rejecting_every_hunk_rejects_the_change(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("grgr")
    assert answer(inquiry) == {"outcome": "reject"}


def test_a_rejection_can_carry_a_reason(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.lua("vim.ui.input = function(_, use) use('keep the short names') end")
    editor.keys("gC")
    assert answer(inquiry) == {"outcome": "reject", "feedback": "keep the short names"}


def test_a_change_can_be_allowed_for_the_whole_session(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("g!")
    assert answer(inquiry) == {"outcome": "always", "scope": "session"}


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
    assert answer(inquiry) == {"outcome": "always", "scope": "project"}
    assert editor.lua("return _G.labels") == ["Always in this session: a.py", "Always in this project: a.py"]


def test_later_leaves_the_question_open_with_what_was_decided(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    inquiry = ask(editor, connected, permission(modify(path)))
    editor.keys("gagq")
    editor.wait("#_G.notices > 0")

    assert "later" in editor.notices()[-1]
    assert "rectangle" not in screen.draw().text()
    assert editor.lua("return require('placet').status()") == "Placet: 1 to review"
    assert not inquiry.done()

    editor.command("Placet review")
    assert editor.lua("return vim.api.nvim_win_get_cursor(0)[1]") == 6
    editor.keys("ga")
    assert answer(inquiry) == {"outcome": "once"}


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
        answer(inquiry)
    assert caught.value.code == -32800
    editor.wait("require('placet').status() == ''")
    assert screen.draw().text() == before
    assert editor.lua("return vim.fn.maparg('ga', 'n')") == ""


def test_the_users_own_keys_and_winbar_come_back(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.command("setlocal winbar=mine | nnoremap <buffer> ]c :let g:mine = 1<CR>")
    inquiry = ask(editor, connected, permission(modify(path)))
    assert editor.lua("return vim.wo.winbar") != "mine"

    editor.keys("gR")
    answer(inquiry)

    assert editor.lua("return vim.wo.winbar") == "mine"
    editor.keys("]c")
    editor.wait("vim.g.mine == 1")


def test_a_file_that_is_not_open_is_shown_as_a_diff_in_a_tab(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path, screen: Screen
) -> None:
    other = project / "other.py"
    other.write_text(OLD)
    inquiry = connected.ask("editor/requestPermission", permission(modify(other)))
    editor.wait("#_G.notices == 1")

    editor.command("Placet review")
    text = screen.draw().text()
    assert "--- other.py" in text
    assert "-    return 'box'" in text
    assert "+    return 'rectangle'" in text
    assert editor.lua("return { vim.bo.buftype, vim.bo.filetype, vim.bo.modifiable }") == ["nofile", "diff", False]
    editor.keys("gr")
    editor.wait("require('placet.review').is_open()")
    editor.keys("ga")

    assert answer(inquiry) == {"outcome": "once", "hunks": {other.as_uri(): [2]}}
    assert editor.lua("return #vim.api.nvim_list_tabpages()") == 1
    assert editor.lua("return vim.fn.expand('%:t')") == "shapes.py"


def test_closing_the_diff_is_later(editor: Editor, connected: ScriptedServer, path: Path, project: Path) -> None:
    other = project / "other.py"
    other.write_text(OLD)
    inquiry = connected.ask("editor/requestPermission", permission(modify(other)))
    editor.wait("#_G.notices == 1")
    editor.command("Placet review")

    editor.command("quit")
    editor.wait("#_G.notices == 2")

    assert "later" in editor.notices()[-1]
    assert not inquiry.done()
    editor.command("Placet review")
    editor.keys("gA")
    assert answer(inquiry) == {"outcome": "once"}


def test_several_files_are_one_review_and_one_quickfix_list(
    editor: Editor, connected: ScriptedServer, path: Path, project: Path
) -> None:
    created = project / "new.py"
    lines = ["import shapes\n"]
    create = {
        "uri": created.as_uri(),
        "kind": "create",
        "oldText": "",
        "newText": "import shapes\n",
        "hunks": [hunk(1, 0, [], 0, lines)],
    }
    gone = {
        "uri": (project / "gone.py").as_uri(),
        "kind": "delete",
        "oldText": "a\nb\n",
        "newText": "",
        "hunks": [hunk(1, 0, ["a\n", "b\n"], 0, [])],
    }
    inquiry = ask(editor, connected, permission(modify(path), create, gone))

    items = editor.lua("return vim.tbl_map(function(item) return item.text end, vim.fn.getqflist())")
    assert items == ["hunk 1: +2 -2", "hunk 2: +1 -1", "hunk 3: +1 -0", "delete the file"]
    editor.keys("grga")
    editor.wait("vim.bo.filetype == 'diff'")
    editor.keys("gr")
    editor.wait("vim.api.nvim_buf_get_name(0):match('gone.py')")
    editor.keys("ga")

    gone_uri = (project / "gone.py").as_uri()
    assert answer(inquiry) == {"outcome": "once", "hunks": {path.as_uri(): [2], gone_uri: [1]}}
    assert editor.lua("return #vim.fn.getqflist()") == 0


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


def test_a_command_is_asked_through_the_users_own_select(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.lua("vim.ui.select = function(items, options, use) _G.asked_for = { items, options.prompt, use } end")
    params = permission(title="run the tests", command="pytest -q")
    del params["change"]
    inquiry = connected.ask("editor/requestPermission", params)
    editor.wait("_G.asked_for")

    labels = editor.lua("return vim.tbl_map(function(item) return item.label end, _G.asked_for[1])")
    assert labels == ["Allow once", "Always in this session: *", "Reject", "Reject with a reason"]
    assert editor.lua("return _G.asked_for[2]") == "run the tests\n  pytest -q\n  asked by: edit asks (built in)"
    editor.lua("_G.asked_for[3](_G.asked_for[1][2])")
    assert answer(inquiry) == {"outcome": "always", "scope": "session"}


def test_the_parts_of_a_command_line_are_shown_each_with_what_becomes_of_it(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    editor.lua("vim.ui.select = function(_, options, use) _G.prompt = options.prompt end")
    params = permission(title="clean up", command="git status && rm -rf build", rule="`bash: rm *` -> ask (a.json:4)")
    params["parts"] = [
        {"pattern": "git status", "action": "allow", "by": "`bash: git *` -> allow (a.json:3)"},
        {"pattern": "rm -rf build", "action": "ask", "by": "`bash: rm *` -> ask (a.json:4)"},
    ]
    del params["change"]
    connected.ask("editor/requestPermission", params)
    editor.wait("_G.prompt")
    assert editor.lua("return _G.prompt").splitlines() == [
        "clean up",
        "  git status && rm -rf build",
        "  allowed: git status",
        "  asked: rm -rf build",
        "  asked by: `bash: rm *` -> ask (a.json:4)",
    ]


def test_a_dismissed_question_stays_open(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    editor.lua("vim.ui.select = function(items, _, use) _G.asked = (_G.asked or 0) + 1; use(nil) end")
    params = permission(title="run the tests", command="pytest -q")
    del params["change"]
    inquiry = connected.ask("editor/requestPermission", params)
    editor.wait("#_G.notices == 1")
    assert "not answered yet" in editor.notices()[0]

    editor.lua("vim.ui.select = function(items, _, use) use(items[1]) end")
    editor.command("Placet review")
    assert answer(inquiry) == {"outcome": "once"}


def test_the_built_in_select_is_closed_when_the_request_is_cancelled(
    editor: Editor, connected: ScriptedServer, path: Path
) -> None:
    params = permission(title="run the tests", command="pytest -q")
    del params["change"]
    inquiry = connected.ask("editor/requestPermission", params)
    deadline = time.monotonic() + 20
    while editor.nvim.request("nvim_get_mode")["mode"] != "c":  # it is not told when a prompt opens
        assert time.monotonic() < deadline

    connected.cancel(inquiry)

    with pytest.raises(AnsweredWithError):
        answer(inquiry)
    editor.wait("vim.api.nvim_get_mode().mode == 'n'")


def test_questions_come_one_after_the_other(editor: Editor, connected: ScriptedServer, path: Path) -> None:
    first = ask(editor, connected, permission(modify(path)))
    second = connected.ask("editor/requestPermission", permission(modify(path), title="second edit"))
    editor.wait("require('placet').status() == 'Placet: 2 to review'")

    editor.keys("gA")
    assert answer(first) == {"outcome": "once"}
    editor.wait("require('placet.review').is_open()")
    editor.keys("gR")
    assert answer(second) == {"outcome": "reject"}


def test_the_end_of_the_daemon_clears_the_screen(
    editor: Editor, connected: ScriptedServer, path: Path, screen: Screen
) -> None:
    ask(editor, connected, permission(modify(path)))
    connected.close()
    editor.wait("require('placet').status() == '' and not require('placet.review').is_open()")
    assert "rectangle" not in screen.draw().text()
