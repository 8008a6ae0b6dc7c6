---Hunks in conflict: the user has changed the lines of the hunk in another way. The other hunks of the file
---still fit. Pure.
local M = {}

---Return whether the daemon lists the unit's hunk as a conflict.
---@param unit placet.ReviewUnit
---@return boolean
function M.is_listed(unit)
  return unit.hunk ~= nil and unit.hunk.baseLines ~= nil
end

---Return the units that an acceptance of several units accepts: a conflict is settled by itself.
---@param units placet.ReviewUnit[]
---@return placet.ReviewUnit[]
function M.fitting(units)
  return vim.tbl_filter(function(unit)
    return not M.is_listed(unit)
  end, units)
end

---Return the conflicts of the new list that the old list did not have.
---@param before placet.ReviewUnit[]
---@param now placet.ReviewUnit[]
---@param key fun(unit: placet.ReviewUnit): string
---@return placet.ReviewUnit[]
function M.new(before, now, key)
  local known = {}
  for _, unit in ipairs(before) do
    known[key(unit)] = M.is_listed(unit)
  end
  return vim.tbl_filter(function(unit)
    return M.is_listed(unit) and not known[key(unit)]
  end, now)
end

---Return the hunk with the lines of both sides between conflict markers, as git writes the markers.
---@param hunk placet.wire.Hunk with lines before both changes
---@return placet.wire.Hunk
function M.marked(hunk)
  local lines = {}
  local function add(mark, own)
    lines[#lines + 1] = mark .. '\n'
    for _, line in ipairs(own) do
      lines[#lines + 1] = (line:gsub('\n$', '')) .. '\n'
    end
  end
  add('<<<<<<< the file now', hunk.oldLines)
  add('||||||| before both changes', hunk.baseLines)
  add('=======', hunk.newLines)
  lines[#lines + 1] = '>>>>>>> the proposed change\n'
  return vim.tbl_extend('force', hunk, { newLines = lines })
end

return M
