---Order of files and hunks in a review: by path. Pure.
local M = {}

---@class placet.Position
---@field file integer number of the file
---@field files integer
---@field hunk integer number of the hunk in its file
---@field hunks integer hunks of the file

---Return the files in the order of a review.
---@generic T: {uri: string}
---@param files T[]
---@return T[]
function M.sorted(files)
  local keys, order = {}, {}
  for index, file in ipairs(files) do
    keys[file] = ('%s\0%08d'):format(vim.uri_decode(file.uri), index)
    order[index] = file
  end
  table.sort(order, function(a, b)
    return keys[a] < keys[b]
  end)
  return order
end

---Number the units of a review, and note the position of each unit.
---@param units placet.ReviewUnit[] in the order of the review, the units of a file side by side
function M.number(units)
  local files, last, of_file = 0, nil, {}
  for index, unit in ipairs(units) do
    unit.number = index
    if unit.file ~= last then
      files, last, of_file = files + 1, unit.file, {}
    end
    of_file.hunks = (of_file.hunks or 0) + (unit.hunk and 1 or 0)
    unit.position = { file = files, hunk = of_file.hunks, totals = of_file }
  end
  for _, unit in ipairs(units) do
    unit.position.files, unit.position.hunks = files, unit.position.totals.hunks
    unit.position.totals = nil
  end
end

---Return the position of a unit in words: `hunk 1/12` counts in the file.
---@param unit placet.ReviewUnit
---@return string
function M.words(unit)
  local position = unit.position
  local hunk = ('%d/%d'):format(position.hunk, position.hunks)
  local file = ('%d/%d'):format(position.file, position.files)
  if position.files == 1 then
    return unit.hunk and hunk or file
  end
  local has_hunks = unit.hunk and unit.file.kind ~= 'create' and unit.file.kind ~= 'delete'
  return has_hunks and ('file %s, hunk %s'):format(file, hunk) or 'file ' .. file
end

return M
