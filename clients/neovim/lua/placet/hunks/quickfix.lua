---Quickfix lists of hunks: one list for all reviews, one list for the change set. The user's list stays
---current unless the user opened ours.
local M = {}

---@alias placet.QuickfixOwner 'review'|'change_set'

---@type table<placet.QuickfixOwner, integer> ids of our lists; the stack holds ten and drops the oldest
local ids = {}

---@class placet.QuickfixState
---@field users integer number of the user's list in the stack, 0 for no list
---@field views table<integer, table> the user's views of quickfix windows

---@param number integer
local function make_current(number)
  if number > 0 and vim.fn.getqflist({ nr = 0 }).nr ~= number then
    vim.cmd(('silent %dchistory'):format(number))
  end
end

---@param owner placet.QuickfixOwner
---@return integer number of our list in the stack, 0 if the list is gone
local function number_of(owner)
  return ids[owner] and vim.fn.getqflist({ id = ids[owner], nr = 0 }).nr or 0
end

---@return table<integer, table>
local function views()
  local views_by_window = {}
  for _, window in ipairs(vim.fn.getwininfo()) do
    if window.quickfix == 1 and window.loclist == 0 then
      views_by_window[window.winid] = vim.api.nvim_win_call(window.winid, vim.fn.winsaveview)
    end
  end
  return views_by_window
end

---@param before table<integer, table>
local function restore_views(before)
  for window, view in pairs(before) do
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_call(window, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

---@param owner placet.QuickfixOwner
---@param title string
---@param items vim.quickfix.entry[]
---@param by_user boolean
---@return placet.QuickfixState
function M.open(owner, title, items, by_user)
  local before = views()
  local users = vim.fn.getqflist({ nr = 0 }).nr
  local list = { title = 'Placet: ' .. title, items = items }
  local number = number_of(owner)
  if number > 0 then
    list.id = ids[owner]
    vim.fn.setqflist({}, 'r', list)
  else
    list.nr = '$'
    vim.fn.setqflist({}, ' ', list)
    local last = vim.fn.getqflist({ nr = '$', id = 0 })
    ids[owner], number = last.id, last.nr
  end
  users = users ~= number and users or 0
  if by_user or users == 0 then
    make_current(number)
  else
    make_current(users)
    restore_views(before)
  end
  return { users = users, views = before }
end

---Update the entries. The current list stays current.
---@param owner placet.QuickfixOwner
---@param items vim.quickfix.entry[]
function M.renew(owner, items)
  if number_of(owner) > 0 then
    vim.fn.setqflist({}, 'r', { id = ids[owner], items = items })
  end
end

---@param list placet.QuickfixState
function M.close(list)
  local number = number_of('review')
  if number == 0 then
    return
  end
  local is_current = vim.fn.getqflist({ nr = 0 }).nr == number
  vim.fn.setqflist({}, 'r', { id = ids.review, items = {}, title = 'Placet: no review open' })
  if is_current and list.users > 0 then
    make_current(list.users)
    restore_views(list.views)
  end
end

return M
