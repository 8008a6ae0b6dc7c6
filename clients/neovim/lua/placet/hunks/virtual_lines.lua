---Proposed lines as virtual lines with the syntax colors of the target buffer.
local wrapping = require('placet.hunks.wrapping')

local api = vim.api
local M = {}

---Return the tree-sitter highlight groups of some rows by byte column.
---@param text string
---@param language string
---@param first integer
---@param last integer
---@return table<integer, table<integer, string>>
local function by_treesitter(text, language, first, last)
  local groups = {}
  local query = vim.treesitter.query.get(language, 'highlights')
  local tree = vim.treesitter.get_string_parser(text, language):parse()[1]
  if not query then
    return groups
  end
  for id, node in query:iter_captures(tree:root(), text, first, last + 1) do
    local name = query.captures[id]
    local start_row, start_column, end_row, end_column = node:range()
    if start_row == end_row and name:sub(1, 1) ~= '_' and name ~= 'spell' then
      groups[start_row] = groups[start_row] or {}
      for column = start_column, end_column - 1 do
        groups[start_row][column] = ('@%s.%s'):format(name, language)
      end
    end
  end
  return groups
end

---Return the highlight groups of syntax files, computed in a temporary buffer.
---@param lines string[]
---@param syntax string
---@param first integer
---@param last integer
---@return table<integer, table<integer, string>>
local function by_syntax(lines, syntax, first, last)
  local groups = {}
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].syntax = syntax
  api.nvim_buf_call(bufnr, function()
    for row = first, math.min(last, #lines - 1) do
      groups[row] = {}
      for column = 0, math.min(#lines[row + 1], 400) - 1 do
        local name = vim.fn.synIDattr(vim.fn.synID(row + 1, column + 1, 1), 'name')
        groups[row][column] = name ~= '' and name or nil
      end
    end
  end)
  api.nvim_buf_delete(bufnr, { force = true })
  return groups
end

---Cache of highlight groups by text and rows: a review is redrawn often, and syntax files are slow.
---@type table<string, table<string, table>>
local cache = {}

---Clear the cache at the end of a review.
function M.forget()
  cache = {}
end

---@param bufnr integer the buffer the lines are proposed for
---@param text string the whole proposed text, with \n line endings
---@param first integer 0-based first row
---@param last integer
---@return table<integer, table<integer, string>>
local function groups_of(bufnr, text, first, last)
  local highlighter = vim.treesitter.highlighter.active[bufnr]
  local place = table.concat({ highlighter and 'tree' or vim.bo[bufnr].syntax, first, last }, ' ')
  cache[text] = cache[text] or {}
  if cache[text][place] then
    return cache[text][place]
  end
  local is_parsed, groups = true, {}
  if highlighter then
    is_parsed, groups = pcall(by_treesitter, text, highlighter.tree:lang(), first, last)
  elseif vim.bo[bufnr].syntax ~= '' and vim.g.syntax_on then
    local lines = vim.split(text, '\n', { plain = true })
    is_parsed, groups = pcall(by_syntax, lines, vim.bo[bufnr].syntax, first, last)
  end
  cache[text][place] = is_parsed and groups or {}
  return cache[text][place]
end

---@param line string
---@param colours table<integer, string>
---@param base string the line's own group
---@param strong? {first: integer, last: integer, group: string} byte columns of the difference
---@return placet.Chunk[]
local function chunks_of(line, colours, base, strong)
  local chunks, current, start = {}, { base }, 1
  local function close(stop)
    if stop >= start then
      chunks[#chunks + 1] = { line:sub(start, stop), current }
    end
    start = stop + 1
  end
  local last_key = ''
  for column = 0, #line - 1 do
    local is_strong = strong and column >= strong.first and column < strong.last
    local colour = colours[column]
    local key = (is_strong and '!' or '') .. (colour or '')
    if key ~= last_key then
      close(column)
      last_key = key
      current = { base, colour }
      if is_strong then
        current = { base, strong.group, colour }
      end
    end
  end
  close(#line)
  return chunks
end

---Return a line as virtual lines that fit the windows, each filled to the right edge of the screen.
---@param line placet.Chunk[]
---@param shape placet.LineShape
---@param fill string|string[] highlight group of the rest of each row
---@param sign? string sign before the line
---@return placet.Chunk[][]
function M.wrapped(line, shape, fill, sign)
  sign = sign or ''
  local width = math.max(shape.width - #sign, 1)
  local rows, widths = wrapping.rows(line, vim.tbl_extend('force', shape, { width = width }))
  for index, row in ipairs(rows) do
    if sign ~= '' then
      table.insert(row, 1, { index == 1 and sign or (' '):rep(#sign), fill })
    end
    row[#row + 1] = { (' '):rep(math.max(1, vim.o.columns - #sign - widths[index])), fill }
  end
  return rows
end

---Return virtual lines for the rows [first, first + #lines) of a proposed text.
---@param canvas placet.Canvas of the buffer that the lines are proposed for
---@param text string
---@param first integer
---@param lines string[]
---@param base string highlight group of the whole line
---@param strong table<integer, {first: integer, last: integer, group: string}> by index of the line
---@param sign? string sign before each line
---@return placet.Chunk[][]
function M.virtual_lines(canvas, text, first, lines, base, strong, sign)
  local groups = groups_of(canvas.bufnr, text, first, first + #lines - 1)
  local virtual = {}
  for index, line in ipairs(lines) do
    local chunks = chunks_of(line, groups[first + index - 1] or {}, base, strong[index])
    vim.list_extend(virtual, M.wrapped(chunks, canvas.shape, base, sign))
  end
  return virtual
end

return M
