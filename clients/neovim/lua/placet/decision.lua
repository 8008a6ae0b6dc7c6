---What the user decides in a review, and the answer it makes. Pure.
local M = {}

---@class placet.Unit what is decided at once: a hunk, or a whole file that is deleted or renamed
---@field number integer counts over the whole review
---@field file table
---@field ids integer[] ids of its hunks
---@field hunk? table
---@field decision? 'accepted'|'rejected'
---@field mark? integer where it is in its surface

---What is decided at once: each hunk of a changed or new file, a deleted or renamed file as a whole.
---@param file table
---@param units placet.Unit[]
---@param decisions table<integer, 'accepted'|'rejected'>
---@return placet.Unit[]
function M.units_of(file, units, decisions)
  local own = {}
  local function add(ids, hunk)
    local number = #units + 1
    local unit = { number = number, file = file, ids = ids, hunk = hunk, decision = decisions[number] }
    units[number], own[#own + 1] = unit, unit
  end
  local hunks = file.hunks or {}
  if file.kind == 'delete' or file.kind == 'rename' or #hunks == 0 then
    add(
      vim.tbl_map(function(hunk)
        return hunk.id
      end, hunks),
      nil
    )
  else
    for _, hunk in ipairs(hunks) do
      add({ hunk.id }, hunk)
    end
  end
  return own
end

---@param units placet.Unit[]
---@return integer
function M.count(units)
  return #vim.tbl_filter(function(unit)
    return unit.decision ~= nil
  end, units)
end

---The next undecided unit behind one, around the end.
---@param units placet.Unit[]
---@param number integer 0 to begin at the first
---@return placet.Unit?
function M.next_open(units, number)
  for offset = 0, #units - 1 do
    local unit = units[(number + offset) % #units + 1]
    if not unit.decision then
      return unit
    end
  end
end

---The answer to what was decided. All allowed is said without naming hunks; a file not named is refused.
---@param units placet.Unit[]
---@return table
function M.answer_of(units)
  local hunks, accepted = {}, 0
  for _, unit in ipairs(units) do
    if unit.decision == 'accepted' then
      accepted = accepted + 1
      hunks[unit.file.uri] = vim.list_extend(hunks[unit.file.uri] or {}, unit.ids)
    end
  end
  if accepted == 0 then
    return { outcome = 'reject' }
  elseif accepted == #units then
    return { outcome = 'once' }
  end
  return { outcome = 'once', hunks = hunks }
end

return M
