---Buffer of a file under review: the user's buffer, or a buffer that is loaded during the review.
local buffer = require('placet.editor.buffer')
local proposal = require('placet.hunks.proposal')
local text_utils = require('placet.editor.text')

local M = {}

local MOST_BYTES = 2 * 1024 * 1024

---Return the row of each unit in a buffer, or nil if the user has changed the same lines.
---@param bufnr integer
---@param file placet.wire.FileOfChange
---@param units placet.ReviewUnit[]
---@return table<placet.ReviewUnit, integer>?
function M.places(bufnr, file, units)
  local now = text_utils.to_lf(buffer.text(bufnr))
  if file.kind == 'delete' and now ~= file.oldText then
    return nil
  end
  local row_of, rows = proposal.placing(file.oldText, now), {}
  for _, unit in ipairs(units) do
    local row = unit.hunk and row_of(unit.hunk) or (not unit.hunk and 0 or nil)
    if not row then
      return nil
    end
    rows[unit] = row
  end
  return rows
end

---Return the file's buffer, loaded for the review if necessary.
---@param file placet.wire.FileOfChange
---@param units placet.ReviewUnit[]
---@return integer? bufnr
---@return 'loaded'|'unloaded'|'none'|nil before
---@return table<placet.ReviewUnit, integer>? rows
function M.take(file, units)
  local bufnr, before = buffer.find_loaded(file.uri), 'loaded'
  if not bufnr then
    local stat = vim.uv.fs_stat(buffer.path(file.uri))
    if not stat or stat.type ~= 'file' or stat.size > MOST_BYTES then
      return nil
    end
    local loaded
    loaded, bufnr, before = pcall(buffer.load, file.uri)
    if not loaded then
      return nil
    end
  end
  local rows = M.places(bufnr, file, units)
  if rows then
    return bufnr, before, rows
  end
  buffer.release(bufnr, before)
end

---Return whether a URI is a name of the file. Symbolic links are resolved.
---@param file placet.wire.FileOfChange
---@param uri string|false
---@return boolean
function M.is_of(file, uri)
  if not uri or uri == file.uri then
    return uri == file.uri
  end
  local real = vim.uv.fs_realpath(buffer.path(uri))
  return real ~= nil and real == vim.uv.fs_realpath(buffer.path(file.uri))
end

return M
