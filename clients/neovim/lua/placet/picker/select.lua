---Adapter for `vim.ui.select`, built in or replaced.
---@type placet.Picker
local M = {}

function M.is_installed()
  return true
end

function M.pick(choice, use)
  vim.ui.select(choice.items, {
    prompt = choice.prompt,
    kind = choice.kind,
    format_item = choice.format,
  }, function(item)
    if item ~= nil then
      use(item)
    end
  end)
end

return M
