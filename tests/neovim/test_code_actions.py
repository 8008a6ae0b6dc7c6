"""What is diagnosed, mended or explained by a prompt: Neovim's own code actions, and `:Placet fix` and `explain`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from neovim_support.daemon import use_daemon
from neovim_support.editor import Editor, open_editor

DIAGNOSE = """
  local function diagnostic(row, column, severity, message, source, code)
    return {
      lnum = row, col = column, end_lnum = row, end_col = column + 1,
      severity = severity, message = message, source = source, code = code,
    }
  end
  vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, {
    diagnostic(0, 6, 1, 'no such name', 'lint', 'E1'),
    diagnostic(0, 0, 2, 'bad name', 'lint'),
    diagnostic(2, 0, 4, 'unused'),
  })
"""
PAGE = """
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr):match('^placet://') then
      return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n')
    end
  end
"""


@pytest.fixture
def editor(project: Path, tmp_path: Path) -> Iterator[Editor]:
    """Neovim with the real daemon, whose model says one word, and a file with three diagnostics."""
    (project / "a.py").write_text("x = 'ä' + nn\n\ny = 1\n", "utf-8")
    with open_editor(project) as editor:
        use_daemon(editor, tmp_path, [{"text": "Mended."}])
        editor.lua("vim.lsp.enable('placet')")
        editor.open(project / "a.py")
        editor.wait("#vim.lsp.get_clients({ name = 'placet', bufnr = 0 }) == 1")
        editor.lua(DIAGNOSE)
        yield editor


def prompted(editor: Editor) -> str:
    """What the chat shows as the user's prompt, once it is answered, without the places; the focus is where it was."""
    editor.wait(f"((function() {PAGE} end)() or ''):find('Mended', 1, true)")
    assert editor.lua("return vim.fn.expand('%:t')") == "a.py"
    shown = editor.lua(PAGE).split("## Placet")[0].removeprefix("## You")
    return "\n".join(line for line in shown.strip().splitlines() if not line.startswith("`a.py:"))


def test_a_code_action_of_neovim_runs_its_prompt_in_the_chat(editor: Editor) -> None:
    editor.lua("""
      vim.ui.select = function(items, options, choose)
        _G.titles = vim.tbl_map(options.format_item, items)
        choose(items[1])
      end
      vim.lsp.buf.code_action()
    """)
    shown = prompted(editor)
    assert shown == "Fix this problem in @a.py#L1: no such name (lint E1)"
    assert editor.lua("return _G.titles") == [
        "Fix with Placet: no such name",
        "Explain with Placet: no such name",
        "Fix with Placet: bad name",
        "Explain with Placet: bad name",
    ]


def test_fix_is_for_what_is_under_the_cursor(editor: Editor) -> None:
    editor.command("Placet fix")
    assert prompted(editor) == "Fix this problem in @a.py#L1: bad name (lint)"


def test_explain_of_a_range_is_for_all_that_is_diagnosed_there(editor: Editor) -> None:
    editor.command("1,3Placet explain")
    assert prompted(editor) == (
        "Explain this problem in @a.py#L1: no such name (lint E1)\n"
        "Explain this problem in @a.py#L1: bad name (lint)\n"
        "Explain this problem in @a.py#L3: unused"
    )


def test_explain_without_a_diagnostic_is_for_the_line(editor: Editor) -> None:
    editor.command("normal! 2G")
    editor.command("Placet explain")
    assert prompted(editor) == "Explain @a.py#L2."


def test_fix_without_a_diagnostic_asks_nothing(editor: Editor) -> None:
    editor.command("normal! 2G")
    editor.command("Placet fix")
    [notice] = editor.notices()
    assert "no diagnostics at the cursor" in notice
    assert editor.lua(PAGE) is None
