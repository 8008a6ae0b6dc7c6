"""Placet loaded by a plugin manager, and its prompt completed by completion plugins.

The plugins themselves are not in the registries of these tests: a few lines of Lua do what their documentation says.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fork_support import placet_command
from neovim_support.editor import PLUGIN, Editor, open_bare_editor
from neovim_support.scripted_server import ScriptedServer

# https://lazy.folke.io/spec/lazy_loading: `cmd` and `keys` load a plugin at their first use, and then run again;
# `opts` are passed to `setup` after the plugin's own files have been read.
LAZY = """
  local directory, options = ...
  _G.loads = 0
  local function load(name)
    _G.loads = _G.loads + 1
    pcall(vim.api.nvim_del_user_command, name)
    vim.opt.runtimepath:prepend(directory)
    for _, file in ipairs(vim.fn.glob(directory .. '/plugin/*.lua', true, true)) do
      vim.cmd.source(file)
    end
    require('placet').setup(options)
  end
  vim.api.nvim_create_user_command('Placet', function(event)
    load('Placet')
    local again = { cmd = 'Placet', bang = event.bang or nil, mods = event.smods, args = event.fargs }
    if event.range == 1 then
      again.range = { event.line1 }
    elseif event.range == 2 then
      again.range = { event.line1, event.line2 }
    end
    vim.cmd(again)
  end, {
    bang = true, range = true, nargs = '*',
    complete = function(_, line)
      load('Placet')
      return vim.fn.getcompletion(line, 'cmdline')
    end,
  })
  vim.keymap.set('n', '<Leader>a', function()
    vim.keymap.del('n', '<Leader>a')
    load('Placet')
    vim.keymap.set('n', '<Leader>a', '<Plug>(placet-ask)')
    vim.api.nvim_feedkeys(vim.keycode('<Ignore><Leader>a'), 'm', false)
  end)
"""


@pytest.fixture
def lazily(project: Path, server: ScriptedServer) -> Iterator[Editor]:
    """A Neovim whose plugin manager knows Placet and has not loaded it."""
    server.answers.pop("agent/prompt", None)
    with open_bare_editor(project) as editor:
        editor.lua(LAZY, str(PLUGIN), {"cmd": server.process_command})
        (project / "a.py").write_text("one\ntwo\nthree\n")
        editor.open(project / "a.py")
        assert editor.lua("return package.loaded['placet'] == nil")
        yield editor


def test_the_first_command_of_a_lazy_plugin_manager_is_run_with_its_range_and_its_words(
    lazily: Editor, server: ScriptedServer, project: Path
) -> None:
    lazily.command("2,3Placet why is this quadratic?")
    parts = server.wait_for("agent/prompt")["parts"]
    assert parts[0] == {"type": "text", "text": "why is this quadratic?"}
    assert parts[1]["range"] == {"start": 2, "end": 3}
    lazily.command("Placet! rather not")
    assert server.wait_for("agent/prompt")["queue"] == "steer"
    assert lazily.lua("return _G.loads") == 1


def test_the_first_completion_of_a_lazy_plugin_manager_lists_the_subcommands(lazily: Editor) -> None:
    assert "effort" in lazily.lua("return vim.fn.getcompletion('Placet e', 'cmdline')")
    assert lazily.lua("return vim.fn.getcompletion('Placet caution l', 'cmdline')") == ["less"]


def test_the_first_key_of_a_lazy_plugin_manager_opens_the_prompt(lazily: Editor) -> None:
    lazily.keys("\\a")
    lazily.wait("vim.bo.filetype == 'placet-prompt'")
    lazily.wait("vim.api.nvim_buf_get_name(0) == 'placet://prompt/ses_1'")


# https://cmp.saghen.dev/configuration/general: `enabled` is false where 'buftype' is "prompt" or b:completion is false.
BLINK = """
  local client = vim.lsp.get_clients({ bufnr = 0, method = 'textDocument/completion' })[1]
  local is_enabled = vim.bo.buftype ~= 'prompt' and vim.b.completion ~= false
  local kind = { triggerKind = 2, triggerCharacter = '@' }
"""
# https://github.com/hrsh7th/nvim-cmp, `enabled` and `completion.keyword_length`: off in a prompt buffer, and asked
# for as invoked or by one of the server's trigger characters.
CMP = """
  local client = vim.iter(vim.lsp.get_clients({ bufnr = 0 })):find(function(client)
    return client.server_capabilities.completionProvider ~= nil
  end)
  local is_enabled = vim.bo.buftype ~= 'prompt'
  assert(vim.list_contains(client.server_capabilities.completionProvider.triggerCharacters, '@'))
  local kind = { triggerKind = 1 }
"""
ACCEPT = """
  assert(is_enabled, 'the plugin leaves the prompt alone')
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = kind
  local result = client:request_sync('textDocument/completion', params, 20000, 0).result
  local items = result.items or result
  for _, item in ipairs(items) do
    if item.label == 'my notes.md' then
      local edit = vim.deepcopy(item.textEdit)
      edit.range = edit.range or edit.replace
      local line = vim.api.nvim_get_current_line()
      local typed = line:sub(edit.range.start.character + 1, column)
      local filter = item.filterText or item.label
      local matches = #vim.fn.matchfuzzy({ filter }, typed) == 1
      vim.lsp.util.apply_text_edits({ edit }, vim.api.nvim_get_current_buf(), client.offset_encoding)
      return { vim.api.nvim_get_current_line(), matches }
    end
  end
  return { 'no such item' }
"""


@pytest.mark.parametrize(("plugin", "code"), [("blink.cmp", BLINK), ("cmp", CMP)])
def test_a_completion_plugin_completes_a_file_in_the_prompt(
    editor: Editor, project: Path, plugin: str, code: str
) -> None:
    (project / "my notes.md").write_text("# Notes\n")
    (project / "a.py").write_text("one\n")
    editor.lua("package.loaded[...] = {}", plugin)
    editor.lua("vim.g.placet = { cmd = ... }", placet_command("--stdio"))
    editor.open(project / "a.py")
    editor.command("Placet")
    editor.keys("isee @my")
    editor.wait("#vim.lsp.get_clients({ bufnr = 0 }) == 1")
    editor.wait("vim.api.nvim_get_current_line() == 'see @my'")
    assert editor.lua("return vim.bo.completeopt") == "", "Neovim's own completion stays off"
    assert editor.lua(code + ACCEPT) == ['see @"my notes.md"', True]
