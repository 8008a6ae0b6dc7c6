---Files and units of a change set, from the list of the daemon, and the decisions on the units. Pure.
local conflicts = require('placet.change_set.conflicts')
local order = require('placet.hunks.order')

local M = {}

---@class placet.ReviewUnit part to decide on: a hunk, or a deleted, renamed or empty file
---@field number integer counts over the whole change set
---@field position placet.Position
---@field file placet.ChangeFile
---@field state 'staged'|'unreviewed'
---@field ids integer[] ids of the hunks in this unit
---@field hunk? placet.wire.Hunk nil for a whole file
---@field comment? string
---@field mark? integer extmark in the file view
---@field in_conflict? boolean whether the user has changed the lines that the hunk replaces
---@field is_above? boolean whether the new lines come before the first line of the file

---@class placet.ChangeFile: placet.wire.FileOfChange file of a change set
---@field place string URI that names the file in a decision: the destination of a rename
---@field document string URI of the present file, whose buffer shows the hunks
---@field state 'staged'|'unreviewed'
---@field waits? string id of the change, if a call of the agent waits for the decision about the file
---@field version string
---@field conflict? string
---@field permissions? string permissions that a command has given to the file
---@field description? string words about the content of a file that is no text
---@field additions integer
---@field deletions integer
---@field name? string name of the buffer that shows the file
---@field is_preview boolean whether the changed text is in no file: a proposed new file, a deleted file, or a
---file that is no text
---@field units placet.ReviewUnit[]

---Return the hunk with its sides swapped, so that the old side is the present text.
---@param hunk placet.wire.Hunk
---@return placet.wire.Hunk
local function inverted(hunk)
  return {
    id = hunk.id,
    oldStart = hunk.newStart,
    oldLines = hunk.newLines,
    newStart = hunk.oldStart,
    newLines = hunk.oldLines,
  }
end

---@param file placet.ChangeFile
---@param hunk placet.wire.Hunk
---@return placet.ReviewUnit
local function unit_of(file, hunk)
  local shown = file.state == 'unreviewed' and inverted(hunk) or hunk
  return { file = file, state = file.state, ids = { hunk.id }, hunk = shown, number = 0 }
end

---Return the unit of a file that is no text. The preview of the file shows the words about the content.
---@param file placet.ChangeFile
---@return placet.ReviewUnit
local function described_unit(file)
  local lines = { file.description .. '\n' }
  local hunk = { id = 1, oldStart = 0, oldLines = {}, newStart = 0, newLines = lines }
  return { file = file, state = file.state, ids = {}, hunk = hunk, number = 0 }
end

---@param listed placet.wire.StagedFile
---@return placet.ChangeFile
local function file_of(listed)
  local state = listed.state or 'staged'
  local is_renamed = listed.kind == 'rename'
  local old_uri = is_renamed and listed.oldUri or listed.uri
  ---@type placet.ChangeFile
  local file = {
    uri = old_uri,
    newUri = is_renamed and listed.uri or nil,
    place = listed.uri,
    document = state == 'unreviewed' and listed.uri or old_uri,
    kind = listed.kind,
    state = state,
    waits = listed.waits,
    version = listed.version,
    conflict = listed.conflict,
    permissions = listed.permissions,
    description = listed.description,
    additions = listed.additions or 0,
    deletions = listed.deletions or 0,
    is_preview = listed.description ~= nil or listed.kind == (state == 'staged' and 'create' or 'delete'),
    hunks = listed.hunks or {},
    oldText = listed.oldText,
    newText = listed.bothTexts or listed.newText,
    units = {},
  }
  if file.description then
    file.units[1] = described_unit(file)
    return file
  end
  local is_whole = #file.hunks == 0 or is_renamed or (listed.kind == 'delete' and state == 'staged')
  if is_whole then
    file.units[1] = { file = file, state = state, ids = {}, number = 0 }
  end
  if listed.kind ~= 'delete' or state == 'unreviewed' then
    for _, hunk in ipairs(file.hunks) do
      table.insert(file.units, unit_of(file, hunk))
    end
  end
  return file
end

---Return the files of a change set by path, with numbered units.
---@param listed placet.wire.StagedFile[]
---@return placet.ChangeFile[] files
---@return placet.ReviewUnit[] units of all files
function M.of(listed)
  local files, units = {}, {}
  for index, entry in ipairs(order.sorted(listed)) do
    files[index] = file_of(entry)
    vim.list_extend(units, files[index].units)
  end
  order.number(units)
  return files, units
end

---Return a key that stays the same while the daemon lists the same change again.
---@param unit placet.ReviewUnit
---@return string
function M.key(unit)
  local hunk = unit.hunk
  local lines = hunk and { table.concat(hunk.oldLines), '\0', table.concat(hunk.newLines) } or {}
  return table.concat({ unit.file.place, '\0', table.concat(lines) })
end

---Return the group of a file or a unit: files for which a call of the agent waits are a group of their own.
---@param file placet.ChangeFile
---@return 'waiting'|'staged'|'unreviewed'
function M.group(file)
  return file.waits and 'waiting' or file.state
end

---@param units placet.ReviewUnit[]
---@return placet.HunkCounts
function M.count(units)
  local counts = { waiting = 0, staged = 0, unreviewed = 0 }
  for _, unit in ipairs(units) do
    local group = M.group(unit.file)
    counts[group] = counts[group] + 1
  end
  return counts
end

---Return the units of the files for which a call waits.
---@param units placet.ReviewUnit[]
---@param change_id string
---@return placet.ReviewUnit[]
function M.of_call(units, change_id)
  return vim.tbl_filter(function(unit)
    return unit.file.waits == change_id
  end, units)
end

---Return the comments on several units as one text.
---@param units placet.ReviewUnit[]
---@return string?
function M.joined_comment(units)
  local comments = {}
  for _, unit in ipairs(units) do
    comments[#comments + 1] = unit.comment
  end
  return #comments > 0 and table.concat(comments, '\n') or nil
end

---@param file placet.ChangeFile
---@param units placet.ReviewUnit[] units of the file to decide on
---@param outcome 'accept'|'reject'
---@param texts table<placet.ReviewUnit, string>
---@return placet.wire.StagedDecision[]
local function of_file(file, units, outcome, texts)
  local function decision(hunks, comment, text)
    return {
      uri = file.place,
      version = file.version,
      outcome = outcome,
      hunks = hunks,
      text = text,
      comment = comment,
    }
  end
  -- The hunks of a renamed file depend on the rename.
  local is_rename_rejected = outcome == 'reject'
    and vim.iter(units):any(function(unit)
      return not unit.hunk
    end)
  local is_by_hunk = outcome == 'accept'
    and vim.iter(units):any(function(unit)
      return texts[unit] ~= nil or conflicts.is_listed(unit)
    end)
  if (#units == #file.units and not is_by_hunk) or is_rename_rejected then
    return { decision(nil, M.joined_comment(units)) }
  end
  return vim.tbl_map(function(unit)
    return decision(unit.ids, unit.comment, texts[unit])
  end, units)
end

---Return the comment on a unit, or on the file of all units, in the form of the protocol.
---@param units placet.ReviewUnit[] of the same file
---@param text string
---@return placet.wire.StagedDecision
function M.comment(units, text)
  local file = units[1].file
  return {
    uri = file.place,
    version = file.version,
    outcome = 'comment',
    hunks = #units == 1 and units[1].hunk and units[1].ids or nil,
    comment = text,
  }
end

---Return the decisions about some units, in the form of the protocol.
---@param units placet.ReviewUnit[] in the order of the change set
---@param outcome 'accept'|'reject'
---@param texts? table<placet.ReviewUnit, string> lines of the user's own in place of a hunk's new lines
---@return placet.wire.StagedDecision[]
function M.decisions(units, outcome, texts)
  local decisions, index = {}, 1
  while index <= #units do
    local file, own = units[index].file, {}
    while units[index] and units[index].file == file do
      own[#own + 1] = units[index]
      index = index + 1
    end
    vim.list_extend(decisions, of_file(file, own, outcome, texts or {}))
  end
  return decisions
end

return M
