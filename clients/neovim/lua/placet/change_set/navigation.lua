---Ways to a unit of a change set: the window of its file, and the unit under the cursor.
local buffers = require('placet.change_set.buffers')
local buffer_views = require('placet.change_set.buffer_views')
local FileView = require('placet.hunks.file_view')
local open_file = require('placet.editor.open_file')
local units_of = require('placet.change_set.units')

local api = vim.api
local M = {}

---Key of the unit that the user went to last.
---@type string?
local last_key

---Return the unit under the cursor of the current window.
---@return placet.BufferView? view of the current buffer
---@return placet.ReviewUnit?
---@return integer number of the unit, else of the last unit above the cursor, or before the first unit
function M.here()
  local view = buffer_views.of(api.nvim_get_current_buf())
  if not view then
    return nil, nil, 0
  end
  local preferred = vim.iter(view.surface.units):find(function(unit)
    return units_of.key(unit) == last_key
  end)
  return view, FileView.at(view.surface, api.nvim_win_get_cursor(0)[1] - 1, preferred)
end

---Move the cursor to a unit. The file is opened if necessary.
---@param set placet.ChangeSet
---@param unit placet.ReviewUnit
function M.go_to(set, unit)
  local file = unit.file --[[@as placet.ChangeFile]]
  local bufnr = vim.fn.bufadd(buffers.name_of(file))
  if api.nvim_get_current_buf() ~= bufnr then
    local window = vim.fn.bufwinid(bufnr)
    if window ~= -1 then
      api.nvim_set_current_win(window)
    elseif not buffer_views.of(api.nvim_get_current_buf()) then
      api.nvim_set_current_win(open_file.window())
    end
  end
  vim.cmd("normal! m'")
  if api.nvim_get_current_buf() ~= bufnr then
    vim.bo[bufnr].buflisted = not file.is_preview
    api.nvim_win_set_buf(0, bufnr)
  end
  buffer_views.renew(set)
  last_key = units_of.key(unit)
  local view = buffer_views.of(bufnr)
  if view and vim.list_contains(view.surface.units, unit) then
    FileView.reveal(view.surface, unit, 0)
  elseif unit.hunk then
    api.nvim_win_set_cursor(0, { math.min(unit.hunk.oldStart + 1, api.nvim_buf_line_count(0)), 0 })
  end
  vim.cmd('normal! zv')
end

---Move the cursor to the next unit below the cursor in the current buffer, after a decision. Without such a
---unit the cursor moves to the next unit for which the same call of the agent waits, or stays.
---@param set placet.ChangeSet
---@param change_id? string change of the call
function M.go_on(set, change_id)
  local view, unit, above = M.here()
  local next_unit = view
    and (
      unit
      or vim.iter(view.surface.units):find(function(candidate)
        return candidate.number > above
      end)
    )
  if next_unit then
    last_key = units_of.key(next_unit)
    FileView.reveal(view.surface, next_unit, 0)
  elseif change_id then
    local of_call = units_of.of_call(set.units, change_id)
    if of_call[1] then
      M.go_to(set, of_call[1])
    end
  end
end

return M
