---Quickfix list with all hunks of a change. All reviews share one list. The user's list stays current unless
---the user opened the review.
local FileView = require('placet.review.file_view')

local M = {}

---@type integer? id of our list; the stack holds ten and drops the oldest
local ours

---@class placet.QuickfixState
---@field users integer number of the user's list in the stack, 0 for no list
---@field views table<integer, table> the user's views of quickfix windows

---@param surfaces placet.FileView[]
---@return table[]
local function items_of(surfaces)
  local items = {}
  for _, surface in ipairs(surfaces) do
    for _, unit in ipairs(surface.units) do
      local hunk = unit.hunk
      items[#items + 1] = {
        bufnr = surface.bufnr,
        lnum = FileView.rows(surface, unit) + 1,
        text = hunk and ('hunk %d: +%d -%d'):format(unit.number, #hunk.newLines, #hunk.oldLines)
          or ('%s file'):format(unit.file.kind),
      }
    end
  end
  return items
end

---@param number integer
local function make_current(number)
  if number > 0 and vim.fn.getqflist({ nr = 0 }).nr ~= number then
    vim.cmd(('silent %dchistory'):format(number))
  end
end

---@return integer number of our list in the stack, 0 if the list is gone
local function number_of_ours()
  return ours and vim.fn.getqflist({ id = ours, nr = 0 }).nr or 0
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

---@param title string
---@param surfaces placet.FileView[]
---@param by_user boolean
---@return placet.QuickfixState
function M.open(title, surfaces, by_user)
  local before = views()
  local users = vim.fn.getqflist({ nr = 0 }).nr
  local list = { title = 'Placet: ' .. title, items = items_of(surfaces) }
  local number = number_of_ours()
  if number > 0 then
    list.id = ours
    vim.fn.setqflist({}, 'r', list)
  else
    list.nr = '$'
    vim.fn.setqflist({}, ' ', list)
    local last = vim.fn.getqflist({ nr = '$', id = 0 })
    ours, number = last.id, last.nr
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
---@param surfaces placet.FileView[]
function M.renew(surfaces)
  if number_of_ours() > 0 then
    vim.fn.setqflist({}, 'r', { id = ours, items = items_of(surfaces) })
  end
end

---@param list placet.QuickfixState
function M.close(list)
  local number = number_of_ours()
  if number == 0 then
    return
  end
  local is_current = vim.fn.getqflist({ nr = 0 }).nr == number
  vim.fn.setqflist({}, 'r', { id = ours, items = {}, title = 'Placet: no review open' })
  if is_current and list.users > 0 then
    make_current(list.users)
    restore_views(list.views)
  end
end

return M
