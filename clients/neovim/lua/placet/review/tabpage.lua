---Tab page of a review. A file without window is shown in this tab page. At the end the user returns to the
---previous window.
local api = vim.api
local M = {}

---@class placet.ReviewTab
---@field came_from integer window
---@field window? integer window of the tab page

---@return placet.ReviewTab
function M.begin()
  return { came_from = api.nvim_get_current_win() }
end

---@param visit placet.ReviewTab
---@param bufnr integer
---@return integer window the new current window
function M.go_to(visit, bufnr)
  local window = api.nvim_get_current_win()
  if api.nvim_win_get_buf(window) == bufnr then
    return window
  end
  window = vim.fn.bufwinid(bufnr)
  if window == -1 then
    if not visit.window or not api.nvim_win_is_valid(visit.window) then
      visit.came_from = api.nvim_get_current_win()
      -- `:tab split` needs no new buffer and lists no buffer.
      vim.cmd('tab split')
      visit.window = api.nvim_get_current_win()
    end
    window = visit.window
    api.nvim_win_set_buf(window, bufnr)
  end
  api.nvim_set_current_win(window)
  return window
end

---Return whether the user is typing in the window or has unsaved text there.
---@param window integer
local function is_in_use(window)
  return window == api.nvim_get_current_win()
    and (api.nvim_get_mode().mode:sub(1, 1) ~= 'n' or vim.bo[api.nvim_win_get_buf(window)].modified)
end

---Close the tab page. If the cursor was in the tab page, go back to the previous window.
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
