"""`@` and `/` in a prompt, completed by the real daemon through Neovim's own completion."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fork_support import placet_command
from neovim_support.editor import Editor, open_editor


@pytest.fixture
def editor(project: Path) -> Iterator[Editor]:
    """Neovim with the daemon, and the cursor in a prompt."""
    (project / "shapes.py").write_text("def area(w, h):\n    return w * h\n")
    (project / "my notes.md").write_text("# Notes\n")
    with open_editor(project) as editor:
        editor.lua("vim.g.placet = { cmd = ... }", placet_command("--stdio"))
        editor.open(project / "shapes.py")
        editor.command("Placet")
        editor.wait("vim.api.nvim_buf_get_name(0):match('^placet://prompt/ses_')")
        editor.wait("#vim.lsp.get_clients({ bufnr = 0 }) == 1")
        yield editor


def offered(editor: Editor, label: str) -> None:
    """Wait until the menu shows the label."""
    editor.wait(
        """(function(label)
          for index, item in ipairs(vim.fn.complete_info({ 'items' }).items) do
            if item.abbr == label then return index end
          end
        end)(...)""",
        label,
    )


def choose(editor: Editor, label: str) -> None:
    """Move to the item by its key, and take it."""
    offered(editor, label)
    # Typed in the same moment: another answer of the daemon may make the menu anew.
    editor.lua(
        """
        local info = vim.fn.complete_info({ 'items', 'selected' })
        for index, item in ipairs(info.items) do
          if item.abbr == ... then
            local steps = index - 1 - info.selected
            local keys = ('<C-n>'):rep(steps) .. ('<C-p>'):rep(-steps) .. '<C-y>'
            return vim.api.nvim_feedkeys(vim.keycode(keys), 't', false)
          end
        end
        error('the menu has changed')
        """,
        label,
    )


def line(editor: Editor, text: str) -> None:
    editor.wait("vim.api.nvim_get_current_line() == ...", text)


def test_a_file_is_completed_and_one_with_a_blank_is_written_as_a_whole(editor: Editor) -> None:
    editor.keys("isee @sha")
    choose(editor, "shapes.py")
    line(editor, "see @shapes.py")
    editor.keys(" and @my")
    choose(editor, "my notes.md")
    line(editor, 'see @shapes.py and @"my notes.md"')


def test_what_stands_behind_the_cursor_of_a_mention_is_replaced(editor: Editor) -> None:
    editor.keys("isee @shXX.py now<Esc>0fX")
    editor.wait("vim.api.nvim_win_get_cursor(0)[2] == 7")
    editor.keys("ia<C-x><C-o>")
    choose(editor, "shapes.py")
    line(editor, "see @shapes.py now")


def test_commands_and_their_arguments_are_completed(editor: Editor) -> None:
    editor.keys("i/")
    offered(editor, "/undo")
    editor.keys("ag")
    choose(editor, "/agent")
    line(editor, "/agent ")
    editor.keys("pl<C-x><C-o>")
    choose(editor, "plan")
    line(editor, "/agent plan")


def test_another_completion_plugin_is_left_alone(editor: Editor) -> None:
    editor.keys("<Esc>gq")
    editor.lua("package.loaded['blink.cmp'] = {}")
    editor.lua("""
      require('placet.compose').forget(require('placet.sessions.known').current(vim.lsp.get_clients()[1]))
    """)
    editor.command("Placet")
    editor.wait("vim.bo.filetype == 'placet-prompt' and #vim.lsp.get_clients({ bufnr = 0 }) == 1")
    assert editor.lua("return vim.bo.completeopt") == ""
    result = editor.lua("""
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { '@sha' })
      local params = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 0, character = 4 } }
      local client = vim.lsp.get_clients({ bufnr = 0 })[1]
      return client:request_sync('textDocument/completion', params, 20000, 0).result.items[1].label
    """)
    assert result == "shapes.py"
