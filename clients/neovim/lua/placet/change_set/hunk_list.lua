---Quickfix list with all hunks of a change set.
local buffers = require('placet.change_set.buffers')
local conflicts = require('placet.change_set.conflicts')
local quickfix = require('placet.hunks.quickfix')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')

local M = {}

---Session whose hunks are in the list.
---@type string?
local session_id

---@param unit placet.ReviewUnit
---@return string
local function text_of(unit)
  local file, hunk =
    unit.file, --[[@as placet.ChangeFile]]
    unit.hunk
  local state = words.state(file.waits and 'waiting' or file.state)
  if file.conflict then
    return ('%s, conflict: %s'):format(state, visible_text.plain(file.conflict))
  elseif file.description then
    return ('%s: %s'):format(state, visible_text.plain(file.description))
  elseif not hunk then
    return ('%s: %s file'):format(state, file.kind)
  end
  local added, removed = #hunk.newLines, #hunk.oldLines
  if file.state == 'unreviewed' then
    added, removed = removed, added
  end
  local comment = unit.comment and ', with a comment' or ''
  local conflict = conflicts.is_listed(unit) and ', in conflict with your text' or ''
  return ('%s hunk %d: +%d -%d%s%s'):format(state, unit.number, added, removed, conflict, comment)
end

---@param set placet.ChangeSet
---@return vim.quickfix.entry[]
local function items_of(set)
  return vim.tbl_map(function(unit)
    return {
      filename = buffers.name_of(unit.file),
      lnum = unit.hunk and math.max(1, unit.hunk.oldStart + (#unit.hunk.oldLines > 0 and 1 or 0)) or 1,
      text = text_of(unit),
    }
  end, set.units)
end

---Open the list below all windows. The cursor stays in its window.
---@param set placet.ChangeSet
function M.open(set)
  session_id = set.session_id
  quickfix.open('changes to review', items_of(set))
  local window = vim.api.nvim_get_current_win()
  vim.cmd('botright copen')
  vim.api.nvim_set_current_win(window)
end

---Update the list.
---@param set placet.ChangeSet
function M.renew(set)
  if set.session_id == session_id then
    quickfix.renew(items_of(set))
  end
end

return M
