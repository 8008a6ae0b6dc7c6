---`vim.ui.select`, whoever provides it, so that it can be taken off the screen again.
local api = vim.api
local M = {}

---Close what a replacement of vim.ui.select opened; the built-in one is left by <Esc>.
---@param before table<integer, boolean> the windows that were there before
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

---Let the user choose. Scheduled, as the built-in vim.ui.select waits for its answer.
---@generic T
---@param items T[]
---@param options {prompt: string, kind: string, format_item: fun(item: T): string}
---@param use fun(item: T?) nil when it was dismissed; never called once it was closed
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
