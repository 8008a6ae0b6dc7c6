---Layout of a float in the middle of the screen.
local M = {}

---@param title string
---@param width integer
---@param height integer
---@return vim.api.keyset.win_config
function M.layout(title, width, height)
  return {
    relative = 'editor',
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = 'minimal',
    border = 'single',
    title = (' %s '):format(title),
  }
end

return M
