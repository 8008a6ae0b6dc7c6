---Adapter for mini.pick of https://github.com/echasnovski/mini.nvim
---@type placet.Picker
local M = {}

function M.is_installed()
  return (pcall(require, 'mini.pick'))
end

function M.pick(choice, use)
  local items = vim.tbl_map(function(item)
    return { text = choice.format(item), value = item }
  end, choice.items)
  local source = {
    name = choice.prompt,
    items = items,
    choose = function(item)
      -- Scheduled, because the picker closes after this function.
      vim.schedule(function()
        use(item.value)
      end)
    end,
  }
  if choice.preview then
    source.preview = function(bufnr, item)
      local lines = vim.split(choice.preview(item.value), '\n', { plain = true })
      vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
      vim.bo[bufnr].filetype = 'markdown'
    end
  end
  require('mini.pick').start({ source = source })
end

return M
