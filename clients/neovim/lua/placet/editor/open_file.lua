---Open a line of a file in a window for files, never in a window of Placet.
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

---@param window integer
local function shows_a_file(window)
  return api.nvim_win_get_config(window).relative == ''
    and vim.bo[api.nvim_win_get_buf(window)].buftype == ''
    and not vim.wo[window].winfixbuf
end

---Return the last window with a file, else any window with a file, else a new window.
---@return integer
local function window_for_files()
  local last = vim.fn.win_getid(vim.fn.winnr('#'))
  for _, window in ipairs({ last, unpack(api.nvim_tabpage_list_wins(0)) }) do
    if window ~= 0 and shows_a_file(window) then
      return window
    end
  end
  return api.nvim_open_win(api.nvim_create_buf(true, false), false, { split = 'left', win = -1 })
end

---Return the current window if the window shows a file, else another window for files.
---@return integer
function M.window()
  local window = api.nvim_get_current_win()
  return shows_a_file(window) and window or window_for_files()
end

---@param target placet.LinkTarget
---@return boolean
function M.open(target)
  if vim.fn.filereadable(target.path) == 0 and vim.fn.bufexists(target.path) == 0 then
    local path = visible_text.plain(vim.fn.fnamemodify(target.path, ':~:.'))
    vim.notify(('Placet: %s no longer exists'):format(path))
    return false
  end
  api.nvim_set_current_win(window_for_files())
  vim.cmd("normal! m'")
  local bufnr = vim.fn.bufadd(target.path)
  if api.nvim_get_current_buf() ~= bufnr then
    vim.bo[bufnr].buflisted = true
    api.nvim_win_set_buf(0, bufnr)
  end
  if target.line then
    api.nvim_win_set_cursor(0, { math.min(target.line, api.nvim_buf_line_count(0)), 0 })
    vim.cmd('normal! zv')
  end
  return true
end

return M
