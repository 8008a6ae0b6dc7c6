---Going to what is under review: in a window that shows it, else in one tab page of ours; and back.
local api = vim.api
local M = {}

---@class placet.ReviewTab
---@field came_from integer window
---@field window? integer in the tab page that we opened

---@return placet.ReviewTab
function M.begin()
  return { came_from = api.nvim_get_current_win() }
end

---@param visit placet.ReviewTab
---@param bufnr integer
---@return integer window which is the current one now
function M.go_to(visit, bufnr)
  local window = api.nvim_get_current_win()
  if api.nvim_win_get_buf(window) == bufnr then
    return window
  end
  window = vim.fn.bufwinid(bufnr)
  if window == -1 then
    if not visit.window or not api.nvim_win_is_valid(visit.window) then
      visit.came_from = api.nvim_get_current_win()
      -- Of all commands that make a tab page this one asks nothing of the buffers and lists none.
      vim.cmd('tab split')
      visit.window = api.nvim_get_current_win()
    end
    window = visit.window
    api.nvim_win_set_buf(window, bufnr)
  end
  api.nvim_set_current_win(window)
  return window
end

---Whether the user is at work in the window, so that it must not go away under them.
---@param window integer
local function is_in_use(window)
  return window == api.nvim_get_current_win()
    and (api.nvim_get_mode().mode:sub(1, 1) ~= 'n' or vim.bo[api.nvim_win_get_buf(window)].modified)
end

---Close what was opened, and go back to where the user came from, if they are still in it.
---@param visit placet.ReviewTab
function M.finish(visit)
  local window = visit.window
  if not window or not api.nvim_win_is_valid(window) or is_in_use(window) then
    return
  end
  local was_here = window == api.nvim_get_current_win()
  visit.window = nil
  if pcall(api.nvim_win_close, window, false) and was_here and api.nvim_win_is_valid(visit.came_from) then
    api.nvim_set_current_win(visit.came_from)
  end
end

return M
