---Proposed texts and their hunks, as the user may edit them. All lines end in \n. Pure.
local M = {}

---@param text string
---@return string[] lines with line endings; the last line may have none
function M.lines_of(text)
  local lines = {}
  for line in text:gmatch('[^\n]*\n?') do
    if line ~= '' then
      lines[#lines + 1] = line
    end
  end
  return lines
end

---@param file placet.wire.FileOfChange
---@param units placet.ReviewUnit[] units to apply, in order
---@return string
function M.text(file, units)
  local old, pieces, position = M.lines_of(file.oldText or ''), {}, 0
  for _, unit in ipairs(units) do
    local hunk = unit.hunk
    if hunk then
      vim.list_extend(pieces, old, position + 1, hunk.oldStart)
      vim.list_extend(pieces, hunk.newLines)
      position = hunk.oldStart + #hunk.oldLines
    end
  end
  vim.list_extend(pieces, old, position + 1)
  return table.concat(pieces)
end

---Return a hunk with new lines from a buffer. The last line ends as in the original hunk.
---@param hunk placet.wire.Hunk
---@param lines string[]
---@return placet.wire.Hunk
function M.with_lines(hunk, lines)
  local last = hunk.newLines[#hunk.newLines] or hunk.oldLines[#hunk.oldLines] or '\n'
  local new = vim.tbl_map(function(line)
    return line .. '\n'
  end, lines)
  if #new > 0 and last:sub(-1) ~= '\n' then
    new[#new] = new[#new]:sub(1, -2)
  end
  return vim.tbl_extend('force', hunk, { newLines = new })
end

---@param lines string[]
local function joined(lines)
  local text = table.concat(lines)
  return (text == '' or text:sub(-1) == '\n') and text or text .. '\n'
end

---Return a hunk that changes only the selected lines. Several old lines that become a different number of new
---lines stay together.
---@param hunk placet.wire.Hunk
---@param is_old_selected fun(index: integer): boolean 1-based
---@param is_new_selected fun(index: integer): boolean
---@return placet.wire.Hunk hunk
function M.partial(hunk, is_old_selected, is_new_selected)
  local differ = vim.text.diff or vim.diff
  local options = { result_type = 'indices', linematch = 200 }
  local blocks = differ(joined(hunk.oldLines), joined(hunk.newLines), options) --[[@as integer[][] ]]
  local new, position = {}, 0
  local function any(first, count, is_selected)
    for index = first, first + count - 1 do
      if is_selected(index) then
        return true
      end
    end
    return false
  end
  for _, block in ipairs(blocks) do
    local old_first, old_count, new_first, new_count = unpack(block)
    local before = old_count == 0 and old_first or old_first - 1
    vim.list_extend(new, hunk.oldLines, position + 1, before)
    position = before + old_count
    if old_count == 0 then
      local beside = is_old_selected(math.max(before, 1))
      for index = new_first, new_first + new_count - 1 do
        if beside or is_new_selected(index) then
          new[#new + 1] = hunk.newLines[index]
        end
      end
    elseif new_count == 0 or old_count == new_count then
      for offset = 0, old_count - 1 do
        local index = new_first + offset
        local chosen = is_old_selected(old_first + offset) or (new_count > 0 and is_new_selected(index))
        new[#new + 1] = not chosen and hunk.oldLines[old_first + offset]
          or (new_count > 0 and hunk.newLines[index] or nil)
      end
    else
      local chosen = any(old_first, old_count, is_old_selected) or any(new_first, new_count, is_new_selected)
      vim.list_extend(
        new,
        chosen and hunk.newLines or hunk.oldLines,
        chosen and new_first or old_first,
        chosen and new_first + new_count - 1 or old_first + old_count - 1
      )
    end
  end
  vim.list_extend(new, hunk.oldLines, position + 1)
  return vim.tbl_extend('force', hunk, { newLines = new })
end

return M
