---Unified diff of a file as text in a scratch buffer.
local text_utils = require('placet.editor.text')

local api = vim.api
local M = {}

local CONTEXT = 3

---@class placet.DiffLines
---@field lines string[]
---@field rows table<table, integer> hunk -> 0-based row of the hunk's header line

---@param line string
local function bare(line)
  return (line:gsub('[\r\n]+$', ''))
end

---Return the diff of one proposed file, with a header line for each hunk.
---@param file placet.wire.FileOfChange
---@param hunks placet.wire.Hunk[] hunks of the file, possibly edited by the user
---@return placet.DiffLines
function M.of(file, hunks)
  local name = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.')
  local to = file.newUri and vim.fn.fnamemodify(vim.uri_to_fname(file.newUri), ':~:.') or name
  local lines = {
    '--- ' .. (file.kind == 'create' and '/dev/null' or name),
    '+++ ' .. (file.kind == 'delete' and '/dev/null' or to),
  }
  local rows = {}
  local old = vim.split(text_utils.to_lf(file.oldText or ''), '\n', { plain = true })
  for _, hunk in ipairs(hunks) do
    local first = math.max(0, hunk.oldStart - CONTEXT)
    local last = hunk.oldStart + #hunk.oldLines
    local after = math.min(#old, last + CONTEXT)
    rows[hunk] = #lines
    lines[#lines + 1] = ('@@ -%d,%d +%d,%d @@'):format(
      hunk.oldStart + 1,
      #hunk.oldLines,
      hunk.newStart + 1,
      #hunk.newLines
    )
    for row = first + 1, hunk.oldStart do
      lines[#lines + 1] = ' ' .. (old[row] or '')
    end
    for _, line in ipairs(hunk.oldLines) do
      lines[#lines + 1] = '-' .. bare(line)
    end
    for _, line in ipairs(hunk.newLines) do
      lines[#lines + 1] = '+' .. bare(line)
    end
    for row = last + 1, after do
      if not (row == #old and old[row] == '') then
        lines[#lines + 1] = ' ' .. old[row]
      end
    end
  end
  return { lines = lines, rows = rows }
end

---Create a scratch buffer. Language servers do not attach to a scratch buffer.
---@param name string
---@param filetype string
---@param lines? string[]
---@return integer bufnr
function M.scratch(name, filetype, lines)
  local bufnr = api.nvim_create_buf(false, true)
  pcall(api.nvim_buf_set_name, bufnr, name)
  if lines then
    api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  end
  vim.bo[bufnr].filetype = filetype
  vim.bo[bufnr].modifiable = false
  return bufnr
end

return M
