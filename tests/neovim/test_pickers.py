"""Each picker is spoken to as its own documentation has it; the plugins themselves are played by a few lines of Lua."""

from typing import Any

import pytest

from neovim_support.editor import Editor

CHOICE = """
  local function pick(picker)
    require('placet').setup({ picker = picker })
    require('placet.picker').pick({
      items = { { name = 'one' }, { name = 'two' } },
      prompt = 'Number',
      kind = 'placet_number',
      format = function(item) return 'the ' .. item.name end,
      preview = function(item) return '# ' .. item.name .. '\\nmore' end,
    }, function(item) _G.chosen = item.name end)
  end
"""

# https://github.com/folke/snacks.nvim/blob/main/docs/picker.md
SNACKS = """
  package.loaded['snacks'] = { picker = { pick = function(options)
    _G.seen = { options.title, options.items[2].text, options.items[2].preview.text, options.items[2].preview.ft }
    options.confirm({ close = function() _G.closed = true end }, options.items[2])
  end } }
"""
# https://github.com/nvim-telescope/telescope.nvim/blob/master/developers.md
TELESCOPE = """
  local entries, replaced
  package.loaded['telescope.actions'] = {
    select_default = { replace = function(_, action) replaced = action end },
    close = function() _G.closed = true end,
  }
  package.loaded['telescope.actions.state'] = { get_selected_entry = function() return entries[2] end }
  package.loaded['telescope.config'] = { values = { generic_sorter = function() return 'sorter' end } }
  package.loaded['telescope.finders'] = { new_table = function(options)
    entries = vim.tbl_map(options.entry_maker, options.results)
    return 'finder'
  end }
  package.loaded['telescope.previewers'] = { new_buffer_previewer = function(options) return options end }
  package.loaded['telescope.pickers'] = { new = function(_, options)
    return { find = function()
      local bufnr = vim.api.nvim_create_buf(false, true)
      options.previewer.define_preview({ state = { bufnr = bufnr } }, entries[2])
      local preview = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n')
      _G.seen = { options.prompt_title, entries[2].ordinal, preview, vim.bo[bufnr].filetype }
      options.attach_mappings(7)
      replaced()
    end }
  end }
"""
# https://github.com/ibhagwan/fzf-lua/blob/main/doc/fzf-lua.txt, fzf_exec
FZF_LUA = """
  package.loaded['fzf-lua'] = { fzf_exec = function(lines, options)
    local shown = lines[2]:match(options.fzf_opts['--delimiter'] .. '(.*)')
    _G.seen = { options.prompt:gsub('> $', ''), shown, '# two\\nmore', 'markdown' }
    _G.closed = true
    options.actions['default']({ lines[2] })
  end }
"""
# https://github.com/echasnovski/mini.nvim/blob/main/doc/mini-pick.txt, MiniPick-source
MINI_PICK = """
  package.loaded['mini.pick'] = { start = function(options)
    local source = options.source
    local bufnr = vim.api.nvim_create_buf(false, true)
    source.preview(bufnr, source.items[2])
    local preview = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n')
    _G.seen = { source.name, source.items[2].text, preview, vim.bo[bufnr].filetype }
    _G.closed = true
    source.choose(source.items[2])
  end }
"""
PLUGINS = {"snacks": SNACKS, "telescope": TELESCOPE, "fzf_lua": FZF_LUA, "mini_pick": MINI_PICK}


def pick(editor: Editor, picker: str) -> Any:
    editor.lua(CHOICE + "pick(...)", picker)
    editor.wait("_G.chosen ~= nil")
    return editor.lua("return _G.chosen")


@pytest.mark.parametrize("picker", PLUGINS)
def test_the_item_that_is_chosen_comes_back(editor: Editor, picker: str) -> None:
    editor.lua(PLUGINS[picker])

    assert pick(editor, picker) == "two"
    assert editor.lua("return _G.closed") is True
    assert editor.lua("return _G.seen")[:4] == ["Number", "the two", "# two\nmore", "markdown"]


@pytest.mark.parametrize("picker", PLUGINS)
def test_a_picker_that_is_installed_is_taken_by_itself(editor: Editor, picker: str) -> None:
    assert editor.lua("return require('placet.picker').current()") == "select"
    editor.lua(PLUGINS[picker])

    assert editor.lua("return require('placet.picker').current()") == picker
    assert editor.lua("return require('placet.picker').installed()") == [picker]


def test_a_replacement_of_the_users_own_comes_before_pickers(editor: Editor) -> None:
    editor.lua(SNACKS)
    editor.lua("""
      vim.ui.select = function(items, options, choose)
        _G.seen = { options.prompt, options.kind, options.format_item(items[1]) }
        choose(items[1], 1)
      end
    """)

    assert pick(editor, "auto") == "one"
    assert editor.lua("return _G.seen") == ["Number", "placet_number", "the one"]


def test_a_picker_that_was_named_and_is_not_there_is_said_and_done_without(editor: Editor) -> None:
    editor.lua("vim.notify_once = vim.notify")
    editor.lua("vim.ui.select = function(items, _, choose) choose(items[1]) end")

    assert pick(editor, "telescope") == "one"
    assert editor.notices() == [
        'Placet: the option `picker` is "telescope", which is not installed; vim.ui.select is used'
    ]


def test_nothing_to_choose_from_is_said(editor: Editor) -> None:
    editor.lua("require('placet.picker').pick({ items = {} }, function() end)")

    assert editor.notices() == ["Placet: the list is empty"]
