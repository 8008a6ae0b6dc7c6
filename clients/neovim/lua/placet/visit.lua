---Going to what is under review: in a window that shows it, else in one tab page of ours; and back.
local api = vim.api
local M = {}

---@class placet.Visit
---@field came_from integer window
---@field tab? integer the tab page we opened

---@return placet.Visit
function M.begin()
  return { came_from = api.nvim_get_current_win() }
end

---@param visit placet.Visit
---@param bufnr integer
---@return integer window which is the current one now
function M.go_to(visit, bufnr)
  local window = api.nvim_get_current_win()
  if api.nvim_win_get_buf(window) == bufnr then
    return window
  end
  window = vim.fn.bufwinid(bufnr)
  if window == -1 and visit.tab and api.nvim_tabpage_is_valid(visit.tab) then
    window = api.nvim_tabpage_get_win(visit.tab)
    api.nvim_win_set_buf(window, bufnr)
  elseif window == -1 then
    vim.cmd(('tab sbuffer %d'):format(bufnr))
    window = api.nvim_get_current_win()
    visit.tab = api.nvim_get_current_tabpage()
  end
  api.nvim_set_current_win(window)
  return window
end

---Close what was opened and go back to where the user was.
---@param visit placet.Visit
function M.finish(visit)
  if visit.tab and api.nvim_tabpage_is_valid(visit.tab) and #api.nvim_list_tabpages() > 1 then
    vim.cmd.tabclose(api.nvim_tabpage_get_number(visit.tab))
    if api.nvim_win_is_valid(visit.came_from) then
      api.nvim_set_current_win(visit.came_from)
    end
  end
end

return M
