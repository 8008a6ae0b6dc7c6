"""Where prompts are written: an ordinary buffer below the page, whose text stays until it is sent."""

from pathlib import Path

import pytest

from neovim_support.conversation import ended, show, started, user_message
from neovim_support.editor import Editor
from neovim_support.scripted_server import ScriptedServer


@pytest.fixture
def composing(editor: Editor, connected: ScriptedServer, project: Path) -> ScriptedServer:
    """The server of a session whose prompt is open, with the cursor in it."""
    connected.answers.pop("agent/prompt", None)
    editor.lua("require('placet').setup({ compose = { keep_open = true } })")
    (project / "a.py").write_text("one\ntwo\nthree\n")
    editor.open(project / "a.py")
    editor.command("Placet")
    editor.wait("vim.api.nvim_buf_get_name(0) == 'placet://prompt/ses_1'")
    connected.wait_for_document("placet://prompt/ses_1")
    return connected


def lines(editor: Editor) -> list[str]:
    return editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")


def test_the_command_alone_opens_the_page_and_its_prompt_below(editor: Editor, composing: ScriptedServer) -> None:
    names = editor.lua("""
      return vim.tbl_map(function(window)
        return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)), ':t')
      end, vim.api.nvim_tabpage_list_wins(0))
    """)
    assert names == ["a.py", "ses_1", "ses_1"]
    assert editor.lua("return vim.bo.filetype") == "placet-prompt"
    assert editor.lua("return vim.fn.winnr()") == 3


def test_what_is_written_is_sent_by_enter_and_by_control_s(editor: Editor, composing: ScriptedServer) -> None:
    editor.keys("ifirst line<CR>second<Esc><CR>")
    assert composing.wait_for("agent/didType") == {"sessionId": "ses_1"}
    assert composing.wait_for("agent/prompt") == {
        "sessionId": "ses_1",
        "parts": [{"type": "text", "text": "first line\nsecond"}],
    }
    editor.wait("vim.api.nvim_buf_get_lines(0, 0, -1, true)[1] == ''")

    editor.keys("ianother<C-s>")
    assert composing.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "another"}]
    editor.wait("vim.api.nvim_get_mode().mode == 'i'")


def test_while_a_turn_runs_a_prompt_waits_or_steers_it(editor: Editor, composing: ScriptedServer) -> None:
    composing.update(user_message("go"))
    composing.update(started())
    editor.wait("vim.wo.winbar == ...", " build · local/small · waiting for the model%<%=g? keys ")

    editor.keys("ithen this<Esc><CR>")
    assert "queue" not in composing.wait_for("agent/prompt")
    editor.wait("vim.wo.winbar:find('1 queued', 1, true)")
    editor.keys("inot that<Esc>g<CR>")
    assert composing.wait_for("agent/prompt")["queue"] == "steer"

    composing.update(ended())
    composing.update(user_message("then this", "u2"))
    editor.wait("not vim.wo.winbar:find('the model', 1, true)")
    editor.keys("<C-c>")
    assert composing.wait_for("agent/cancel") == {"sessionId": "ses_1"}


def test_a_draft_is_kept_when_its_window_or_its_buffer_is_closed(editor: Editor, composing: ScriptedServer) -> None:
    editor.keys("inot yet<Esc>gq")
    editor.wait("vim.api.nvim_buf_get_name(0) ~= 'placet://prompt/ses_1'")
    editor.command("Placet")
    editor.wait("vim.api.nvim_get_current_line() == 'not yet'")

    editor.command("bdelete!")
    editor.wait("vim.api.nvim_buf_get_name(0) ~= 'placet://prompt/ses_1'")
    editor.command("Placet")
    editor.wait("vim.api.nvim_get_current_line() == 'not yet'")


def test_older_prompts_of_all_sessions_are_gone_back_to(editor: Editor, composing: ScriptedServer) -> None:
    show(editor, [user_message("of another session", created=500)], "ses_7")
    composing.update(user_message("of this one", created=900))
    editor.keys("idraft<Esc>")
    editor.wait("require('placet.compose.history').count() == 2 and vim.api.nvim_get_current_line() == 'draft'")

    for key, text in (
        ("<C-p>", "of this one"),
        ("<C-p>", "of another session"),
        ("<C-p>", "of another session"),
        ("<C-n>", "of this one"),
        ("<C-n>", "draft"),
    ):
        editor.keys(key)
        editor.wait("vim.api.nvim_get_current_line() == ...", text)


def test_a_slash_at_the_start_does_what_the_command_does(editor: Editor, composing: ScriptedServer) -> None:
    composing.answers["agent/undo"] = lambda _: {"files": []}
    editor.keys("i/undo<Esc><CR>")
    assert composing.wait_for("agent/undo") == {"sessionId": "ses_1"}
    editor.wait("vim.api.nvim_get_current_line() == ''")

    editor.keys("i/undo the last thing<Esc><CR>")
    assert composing.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "/undo the last thing"}]
    editor.keys("i/etc/hosts is what?<Esc><CR>")
    assert composing.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "/etc/hosts is what?"}]
    editor.keys("i/review-pr 7<Esc><CR>")
    assert composing.wait_for("agent/prompt")["parts"] == [{"type": "text", "text": "/review-pr 7"}]


def test_the_prompt_goes_with_the_page_to_another_session(editor: Editor, composing: ScriptedServer) -> None:
    editor.keys("ifor the first<Esc>")
    editor.wait("vim.api.nvim_get_current_line() == 'for the first'")
    editor.lua("require('placet.chat').show('ses_2')")
    editor.wait("vim.api.nvim_buf_get_name(0) == 'placet://prompt/ses_2'")
    assert lines(editor) == [""]
    editor.lua("require('placet.chat').show('ses_1')")
    assert lines(editor) == ["for the first"]


def test_nothing_is_not_sent(editor: Editor, composing: ScriptedServer) -> None:
    editor.keys("<CR>")
    editor.wait("#_G.notices > 0")
    assert editor.notices() == ["Placet: the prompt is empty"]


def test_the_keys_of_the_page_lead_to_the_prompt(editor: Editor, composing: ScriptedServer) -> None:
    for key in ("i", "a", "<CR>"):
        editor.lua("vim.api.nvim_set_current_win(require('placet.chat').show('ses_1'))")
        editor.keys(key)
        editor.wait("vim.api.nvim_buf_get_name(0) == 'placet://prompt/ses_1'")
        assert editor.lua("return vim.api.nvim_get_mode().mode") == "n"


def test_the_keys_are_listed(editor: Editor, composing: ScriptedServer) -> None:
    editor.keys("g?")
    editor.wait("vim.api.nvim_win_get_config(0).relative == 'editor'")
    assert " <C-p>    show an older prompt " in lines(editor)
