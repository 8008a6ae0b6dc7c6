---Adapter for the picker of https://github.com/folke/snacks.nvim
---@type placet.Picker
local M = {}

function M.is_installed()
  local is_installed, snacks = pcall(require, 'snacks')
  return is_installed and snacks.picker ~= nil
end

function M.pick(choice, use)
  local items = {}
  for index, item in ipairs(choice.items) do
    items[index] = {
      idx = index,
      text = choice.format(item),
      value = item,
      preview = choice.preview and { text = choice.preview(item), ft = 'markdown' } or nil,
    }
  end
  require('snacks').picker.pick({
    source = choice.kind,
    title = choice.prompt,
    items = items,
    format = 'text',
    preview = choice.preview and 'preview' or 'none',
    layout = { preset = choice.preview and 'default' or 'select' },
    confirm = function(picker, item)
      picker:close()
      if item then
        vim.schedule(function()
          use(item.value)
        end)
      end
    end,
  })
end

return M
