"""`:Placet` answers at once, also while the daemon starts: the prompt is there, is written, and is sent later."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neovim_support.conversation import page as page_of
from neovim_support.daemon import kill_daemon, prompt, use_daemon
from neovim_support.editor import Editor
from neovim_support.language_servers import enable_scripted
from neovim_support.scripted_server import ScriptedServer
from time_support import wait_seconds

PROMPT = "vim.api.nvim_buf_get_name(0) == 'placet://prompt/ses_1'"


class SlowStart:
    """A server that answers `initialize` when the test says so."""

    def __init__(self, server: ScriptedServer) -> None:
        self._go = threading.Event()
        answer = server.answers["initialize"]
        server.answers["initialize"] = lambda params: self._go.wait(wait_seconds()) and answer(params)

    def go_on(self) -> None:
        self._go.set()


@pytest.fixture
def slow(editor: Editor, server: ScriptedServer, project: Path) -> Iterator[SlowStart]:
    slow = SlowStart(server)
    server.answers.pop("agent/prompt", None)
    editor.lua("vim.g.placet = { cmd = ... }", server.command)
    (project / "a.py").write_text("one\ntwo\n")
    editor.open(project / "a.py")
    yield slow
    slow.go_on()


def name(editor: Editor) -> str:
    return editor.lua("return vim.api.nvim_buf_get_name(0)")


BARS = "return vim.tbl_map(function(window) return vim.wo[window].winbar end, vim.api.nvim_tabpage_list_wins(0))"


def bars(editor: Editor) -> list[str]:
    return editor.lua(BARS)


def names(editor: Editor) -> list[str]:
    listed: list[str] = editor.lua("""
      return vim.tbl_map(function(window)
        return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
      end, vim.api.nvim_tabpage_list_wins(0))
    """)
    return listed


def test_the_prompt_opens_before_the_daemon_has_answered(
    editor: Editor, server: ScriptedServer, slow: SlowStart, project: Path
) -> None:
    editor.command("Placet")
    assert name(editor) == "placet://prompt/starting-1"
    assert ["starting…" in bar for bar in bars(editor)] == [False, True, True]
    editor.keys("ifirst<CR>second")
    editor.wait("vim.api.nvim_get_current_line() == 'second'")

    slow.go_on()
    editor.wait(PROMPT)
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "i"
    assert editor.text() == "first\nsecond\n"
    editor.keys(" line")
    assert server.wait_for_document("placet://prompt/ses_1", "first\nsecond line\n")
    assert not any("starting" in shown for shown in [*names(editor), *bars(editor)])
    assert (project / "a.py").read_text() == "one\ntwo\n"
    assert editor.lua("return vim.fn.bufexists('placet://prompt/starting-1')") == 0


def test_a_prompt_that_is_sent_during_the_start_is_sent_after_it(
    editor: Editor, server: ScriptedServer, slow: SlowStart, project: Path
) -> None:
    editor.command("Placet")
    editor.keys("imake it louder<Esc><CR>")
    editor.wait("vim.api.nvim_buf_get_name(0) == ...", str(project / "a.py"))
    assert "make it louder" in page_of(editor)

    slow.go_on()
    assert server.wait_for("agent/prompt") == {
        "sessionId": "ses_1",
        "parts": [{"type": "text", "text": "make it louder"}],
    }


def test_a_text_answers_at_once_and_the_cursor_stays(
    editor: Editor, server: ScriptedServer, slow: SlowStart, project: Path
) -> None:
    editor.command("Placet make it louder")
    assert "make it louder" in page_of(editor)
    assert "starting…" in bars(editor)[1]
    assert name(editor) == str(project / "a.py")

    slow.go_on()
    assert server.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "make it louder"}]
    editor.wait("vim.fn.bufwinid('^placet://chat/ses_1$') ~= -1")
    assert len(names(editor)) == 2


def test_the_prompt_takes_no_focus_in_insert_mode(editor: Editor, slow: SlowStart, project: Path) -> None:
    editor.keys("itext ")
    editor.wait("vim.api.nvim_get_current_line() == 'text one'")
    editor.command("Placet")
    assert name(editor) == str(project / "a.py")
    slow.go_on()
    editor.wait("vim.fn.bufwinid('^placet://prompt/ses_1$') ~= -1")
    editor.keys("of mine ")
    editor.wait("vim.api.nvim_get_current_line() == 'text of mine one'")


def test_a_daemon_that_does_not_start_gives_the_prompt_back(
    editor: Editor, server: ScriptedServer, project: Path
) -> None:
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    editor.lua("vim.g.placet = { cmd = { ..., '-ISc', 'input()' } }", sys.executable)
    editor.command("Placet")
    editor.keys("imake it louder<Esc><CR>")
    editor.wait("vim.iter(_G.notices):any(function(text) return text:find('exited during the start', 1, true) end)")
    editor.command("Placet")
    editor.wait("vim.api.nvim_get_current_line() == 'make it louder'")
    editor.wait("vim.wo.winbar:find('not started, see :messages', 1, true)")


def test_a_session_that_does_not_start_is_started_by_the_next_prompt(
    editor: Editor, server: ScriptedServer, slow: SlowStart
) -> None:
    server.failures["agent/session/new"] = "no model is set"
    slow.go_on()
    editor.command("Placet make it louder")
    editor.wait("table.concat(_G.notices):find('no model is set', 1, true)")
    assert "not started, see :messages" in bars(editor)[1]

    del server.failures["agent/session/new"]
    editor.command("Placet make it softer")
    assert server.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "make it softer"}]


def test_the_prompt_of_a_known_session_opens_at_once_after_the_daemon_has_died(
    editor: Editor, project: Path, tmp_path: Path
) -> None:
    use_daemon(editor, tmp_path, [{"text": "One."}])
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    prompt(editor, "begin")
    kill_daemon(editor)

    # One step of the editor: a quick daemon is back before a second request.
    shown = editor.lua(f"vim.cmd('Placet') {BARS}")
    assert "starting…" in shown[1]
    assert name(editor).startswith("placet://prompt/ses_")
    editor.keys("igo on<Esc><CR>")
    editor.wait("#_G.ended == 2")
    assert "starting…" not in "".join(bars(editor))
    assert page_of(editor).index("begin") < page_of(editor).index("go on")


def test_a_change_that_waits_for_another_server_is_not_sent_before_the_text(
    editor: Editor, server: ScriptedServer, slow: SlowStart, project: Path
) -> None:
    editor.lua("vim.lsp.config('delayed', { flags = { debounce_text_changes = 3600000 } })")
    delayed = ScriptedServer()
    try:
        enable_scripted(editor, delayed, "delayed", "delayed")
        editor.command("Placet")
        editor.lua("vim.filetype.add({ extension = { delayed = 'delayed' } })")
        path = project / "b.delayed"
        path.write_text("one\n")
        editor.command("wincmd t")
        editor.open(path)
        delayed.wait_for_document(path.as_uri())
        editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'zero' })")
        assert delayed.documents[path.as_uri()] == "one\n"

        slow.go_on()
        assert server.wait_for_document(path.as_uri(), "zero\none\n")
        assert delayed.wait_for_document(path.as_uri(), "zero\none\n")
        editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, true, { 'two' })")
        assert server.wait_for_document(path.as_uri(), "zero\none\ntwo\n")
    finally:
        delayed.close()


def heights(editor: Editor) -> dict[str, int]:
    return editor.lua("""
      local heights = {}
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
        heights[name:match('placet://(%a+)') or 'file'] = vim.api.nvim_win_get_height(window)
      end
      return heights
    """)


@pytest.fixture
def small(editor: Editor, connected: ScriptedServer, project: Path) -> Any:
    """A screen of 80 by 24 with an open prompt."""
    connected.answers.pop("agent/prompt", None)
    editor.command("set columns=80 lines=24")
    (project / "a.py").write_text("one\n")
    editor.open(project / "a.py")
    editor.command("Placet chat")
    editor.wait("vim.fn.bufwinid('^placet://chat/ses_1$') ~= -1")
    before = heights(editor)
    editor.command("Placet")
    editor.wait(PROMPT)
    return before


def test_at_80_by_24_the_prompt_grows_and_the_chat_keeps_half(editor: Editor, small: dict[str, int]) -> None:
    whole = small["chat"]
    assert heights(editor) == {"file": small["file"], "chat": whole - 3, "prompt": 2}

    editor.keys("i1<CR>2<CR>3<CR>4<CR>5<CR>6<CR>7<CR>8")
    editor.wait("vim.fn.line('$') == 8")
    now = heights(editor)
    assert now["file"] == small["file"]
    assert now["chat"] >= whole // 2
    assert now["prompt"] >= 4
    editor.keys("<Esc>gg2dd4dd")
    editor.wait("vim.fn.line('$') == 2")
    editor.wait("vim.api.nvim_win_get_height(0) == 3")


def test_the_prompt_closes_after_sending_and_the_cursor_goes_back(
    editor: Editor, connected: ScriptedServer, small: dict[str, int], project: Path
) -> None:
    editor.keys("i1<CR>2<CR>3<Esc><CR>")
    assert connected.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "1\n2\n3"}]
    editor.wait("vim.api.nvim_buf_get_name(0) == ...", str(project / "a.py"))
    assert heights(editor) == small


def test_in_insert_mode_or_by_an_option_the_prompt_stays_open(
    editor: Editor, connected: ScriptedServer, small: dict[str, int]
) -> None:
    editor.keys("ione<C-s>")
    assert connected.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "one"}]
    editor.keys("two<Esc>")
    editor.wait(f"{PROMPT} and vim.api.nvim_get_current_line() == 'two'")
    editor.lua("require('placet').setup({ compose = { keep_open = true } })")
    editor.keys("<CR>")
    assert connected.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "two"}]
    editor.wait(f"{PROMPT} and vim.api.nvim_get_current_line() == ''")
