---Decisions of the user in a review, and the answer to the permission request. Pure.
local order = require('placet.hunks.order')
local proposal = require('placet.hunks.proposal')

local M = {}

---@class placet.ReviewUnit part to decide on: a hunk, or a deleted, renamed or empty file
---@field number integer counts over the whole review
---@field position placet.Position
---@field file placet.wire.FileOfChange
---@field ids integer[] ids of the agent's hunks in this unit
---@field hunk? placet.wire.Hunk current hunk; nil for a whole file
---@field proposed? placet.wire.Hunk the agent's hunk, if the user has edited the hunk
---@field is_edited? boolean
---@field decision? 'accepted'|'rejected'
---@field comment? string
---@field mark? integer extmark in the file view
---@field state? 'staged'|'unreviewed' of a unit of a change set; nil in the review of a permission request
---@field in_conflict? boolean whether the user has changed the lines that the hunk replaces
---@field is_above? boolean whether the new lines come before the first line of the file

---@param hunks placet.wire.Hunk[]
---@return integer[]
local function ids_of(hunks)
  return vim.tbl_map(function(hunk)
    return hunk.id
  end, hunks)
end

---@param file placet.wire.FileOfChange
---@return placet.ReviewUnit[]
local function units_of_file(file)
  local units, hunks = {}, file.hunks or {}
  if file.kind == 'delete' then
    return { { file = file, ids = ids_of(hunks), number = 0 } }
  elseif file.kind == 'rename' or #hunks == 0 then
    units[1] = { file = file, ids = {}, number = 0 }
  end
  for _, hunk in ipairs(hunks) do
    units[#units + 1] = { file = file, ids = { hunk.id }, hunk = hunk, number = 0 }
  end
  return units
end

---Return the units of a change: each hunk, each deletion and each rename.
---@param change placet.wire.Change
---@return placet.ReviewUnit[]
function M.units_of(change)
  local units = {}
  for _, file in ipairs(change.files) do
    vim.list_extend(units, units_of_file(file))
  end
  order.number(units)
  return units
end

---@param units placet.ReviewUnit[]
---@param file placet.wire.FileOfChange
---@return placet.ReviewUnit[]
function M.of_file(units, file)
  return vim.tbl_filter(function(unit)
    return unit.file == file
  end, units)
end

---Replace the proposed text of a file. The file gets new units. Comments stay with the agent's hunks.
---@param units placet.ReviewUnit[]
---@param file placet.wire.FileOfChange
---@param text string
function M.retext(units, file, text)
  local comments, at = {}, 1
  for index = #units, 1, -1 do
    if units[index].file == file then
      local gone = table.remove(units, index)
      comments[gone.ids[1] or 0] = gone.comment
      at = index
    end
  end
  local own = units_of_file(file)
  if text ~= file.newText then
    own = file.kind == 'rename' and { own[1] } or {}
    for _, hunk in ipairs(proposal.hunks_between(file.oldText or '', text)) do
      local same = proposal.same_hunk(file.hunks or {}, hunk)
      local ids = same and { same.id } or ids_of(proposal.overlapping(file.hunks or {}, hunk))
      own[#own + 1] = { file = file, ids = ids, hunk = hunk, is_edited = not same, number = 0 }
    end
  end
  for index, unit in ipairs(own) do
    unit.comment = comments[unit.ids[1] or 0]
    table.insert(units, at + index - 1, unit)
  end
  order.number(units)
end

---Decide on a unit. The hunks of a renamed file depend on the rename: rejecting the rename rejects all hunks,
---accepting a hunk accepts the rename.
---@param units placet.ReviewUnit[]
---@param unit placet.ReviewUnit
---@param choice 'accepted'|'rejected'
function M.decide(units, unit, choice)
  unit.decision = choice
  if unit.file.kind ~= 'rename' then
    return
  end
  for _, other in ipairs(M.of_file(units, unit.file)) do
    if (not unit.hunk and choice == 'rejected') or (not other.hunk and choice == 'accepted') then
      other.decision = choice
    end
  end
end

---Reject accepted hunks that are in conflict with the text of the user. The model learns the user's lines.
---@param units placet.ReviewUnit[]
---@return placet.ReviewUnit[] conflicting
function M.leave_out_conflicts(units)
  local conflicting = vim.tbl_filter(function(unit)
    return unit.in_conflict == true and unit.decision == 'accepted'
  end, units)
  for _, unit in ipairs(conflicting) do
    unit.decision = 'rejected'
  end
  return conflicting
end

---@param units placet.ReviewUnit[]
---@return integer
function M.count(units)
  return #vim.tbl_filter(function(unit)
    return unit.decision ~= nil
  end, units)
end

---Return the next undecided unit after a unit, wrapping around the end. A unit with a comment counts as
---decided, because a comment alone rejects the unit.
---@param units placet.ReviewUnit[]
---@param from integer number of a unit, 0 to begin at the first
---@return placet.ReviewUnit?
function M.next_open(units, from)
  for offset = 0, #units - 1 do
    local unit = units[(from + offset) % #units + 1]
    if not unit.decision and not unit.comment then
      return unit
    end
  end
end

---Return the accepted part of one file: nothing, all hunks, some hunks, or the user's own text.
---@param file placet.wire.FileOfChange
---@param units placet.ReviewUnit[] of the file
---@return 'none'|'all'|'hunks'|'text' share
---@return integer[]|string content hunk ids, or the text
local function share_of(file, units)
  local accepted, ids, is_edited = {}, {}, false
  for _, unit in ipairs(units) do
    if unit.decision == 'accepted' then
      accepted[#accepted + 1] = unit
      vim.list_extend(ids, unit.is_edited and {} or unit.ids)
      is_edited = is_edited or unit.is_edited == true
    end
  end
  table.sort(ids)
  if #accepted == 0 then
    return 'none', ids
  elseif not is_edited and #ids == #(file.hunks or {}) then
    return 'all', ids
  elseif is_edited or #ids == 0 then
    return 'text', proposal.text(file, accepted)
  end
  return 'hunks', ids
end

---@param units placet.ReviewUnit[]
---@return placet.wire.CommentOnChange[]?
local function comments_of(units)
  local comments = {}
  for _, unit in ipairs(units) do
    if unit.comment then
      comments[#comments + 1] = { uri = unit.file.uri, hunk = unit.ids[1], text = unit.comment }
    end
  end
  return #comments > 0 and comments or nil
end

---Return the answer for the decisions. If all hunks are accepted, the answer names no hunks. A file without
---entry is rejected.
---@param change placet.wire.Change
---@param units placet.ReviewUnit[]
---@return table
function M.answer_of(change, units)
  local hunks, edited, shares = vim.empty_dict(), {}, {}
  for _, file in ipairs(change.files) do
    local share, content = share_of(file, M.of_file(units, file))
    shares[share] = true
    if share == 'text' then
      edited[#edited + 1] = { uri = file.uri, text = content }
    elseif share ~= 'none' then
      hunks[file.uri] = content
    end
  end
  local answer = { outcome = 'once', comments = comments_of(units) }
  if not (shares.all or shares.hunks or shares.text) then
    answer.outcome = 'reject'
    return answer
  end
  answer.edited = #edited > 0 and edited or nil
  answer.hunks = (shares.none or shares.hunks) and hunks or nil
  return answer
end

return M
