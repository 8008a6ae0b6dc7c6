---Words for the user: ways of reviewing, states of changes, and acts. Pure.
local M = {}

---@alias placet.ReviewMode 'ask'|'stage'|'apply'

---Ways of reviewing changes, in the order of the picker.
---@type placet.ReviewMode[]
M.MODES = { 'ask', 'stage', 'apply' }

---@type table<placet.ReviewMode, string>
local MODE_WORDS = {
  ask = 'Ask before each change',
  stage = 'Collect changes for review',
  apply = 'Apply changes, review afterwards',
}

---@param mode? string
---@return string? words nil for an unknown way of reviewing
function M.mode(mode)
  return MODE_WORDS[mode]
end

---@param group 'waiting'|'staged'|'unreviewed'
---@return string
function M.state(group)
  local known = { waiting = 'Proposed, the agent waits', unreviewed = 'Unreviewed' }
  return known[group] or 'Proposed'
end

---@param permissions string
---@return string
function M.permissions(permissions)
  return permissions == 'executable' and 'made executable' or 'permissions ' .. permissions
end

---@param count integer
---@param noun string
---@return string
function M.counted(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

---@class placet.HunkCounts
---@field waiting? integer proposed hunks for which a call of the agent waits
---@field staged integer proposed hunks for which nobody waits
---@field unreviewed integer

---Return counts of hunks, as in `2 proposed, 1 unreviewed`.
---@param counts placet.HunkCounts
---@return string '' without hunks
function M.counts(counts)
  local parts, proposed = {}, counts.staged + (counts.waiting or 0)
  if proposed > 0 then
    parts[1] = ('%d proposed'):format(proposed)
  end
  if counts.unreviewed > 0 then
    parts[#parts + 1] = ('%d unreviewed'):format(counts.unreviewed)
  end
  return table.concat(parts, ', ')
end

return M
