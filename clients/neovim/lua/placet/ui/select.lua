---`vim.ui.select` with a function that closes the list again.
local api = vim.api
local M = {}

---Close the floating windows of a replaced vim.ui.select, or leave the built-in prompt by <Esc>.
---@param before table<integer, boolean> windows before the list was opened
local function close(before)
  local closed = false
  for _, window in ipairs(api.nvim_list_wins()) do
    if not before[window] and api.nvim_win_get_config(window).relative ~= '' then
      closed = pcall(api.nvim_win_close, window, true) or closed
    end
  end
  local mode = api.nvim_get_mode().mode
  if not closed and (mode:sub(1, 1) == 'c' or mode:sub(1, 1) == 'r') then
    api.nvim_input('<Esc>')
  end
end

---Let the user choose. Scheduled, because the built-in vim.ui.select blocks.
---@generic T
---@param items T[]
---@param options {prompt: string, kind: string, format_item: fun(item: T): string}
---@param use fun(item: T?) nil if the user cancelled; never called after `close`
---@return fun() close
function M.open(items, options, use)
  local is_open, windows = true, nil
  vim.schedule(function()
    if not is_open then
      return
    end
    windows = {}
    for _, window in ipairs(api.nvim_list_wins()) do
      windows[window] = true
    end
    vim.ui.select(items, options, function(item)
      if is_open then
        is_open = false
        use(item)
      end
    end)
  end)
  return function()
    if is_open then
      is_open = false
      if windows then
        close(windows)
      end
    end
  end
end

return M
