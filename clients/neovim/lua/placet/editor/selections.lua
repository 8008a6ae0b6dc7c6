---Visual selections as LSP ranges.
local api = vim.api
local M = {}

---@param bufnr integer
---@param lnum integer 1-based
---@param bytes integer in front of the position
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return lsp.Position
local function position(bufnr, lnum, bytes, encoding)
  local line = api.nvim_buf_get_lines(bufnr, lnum - 1, lnum, true)[1]
  return { line = lnum - 1, character = vim.str_utfindex(line, encoding, math.min(bytes, #line), false) }
end

---@param bufnr integer
---@param lnum integer 1-based
---@param column integer 1-based byte of a character
---@return integer bytes up to the end of the character
local function end_of_character(bufnr, lnum, column)
  local line = api.nvim_buf_get_lines(bufnr, lnum - 1, lnum, true)[1]
  return column <= #line and column + vim.str_utf_end(line, column) or #line
end

---Return the selection of the current window: one range, or one range for each line of a blockwise selection.
---Outside Visual mode the list is empty.
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return lsp.Range[]
function M.ranges(encoding)
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  if not vim.list_contains({ 'v', 'V', '\22' }, mode) then
    return {}
  end
  local bufnr = api.nvim_get_current_buf()
  local rows = vim.fn.getregionpos(vim.fn.getpos('v'), vim.fn.getpos('.'), { type = mode })
  local ranges = vim.tbl_map(function(row)
    local from, to = row[1], row[2]
    return {
      start = position(bufnr, from[2], math.max(from[3] - 1, 0), encoding),
      ['end'] = position(bufnr, to[2], end_of_character(bufnr, to[2], to[3]), encoding),
    }
  end, rows)
  if mode ~= '\22' and #ranges > 1 then
    return { { start = ranges[1].start, ['end'] = ranges[#ranges]['end'] } }
  end
  return ranges
end

return M
