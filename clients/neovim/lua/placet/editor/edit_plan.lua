---Plan of a WorkspaceEdit: the files with their edits and operations, collected and checked. No text is
---changed.
local buffer = require('placet.editor.buffer')
local text_utils = require('placet.editor.text')

local api = vim.api
local M = {}

---@class placet.FileRecord one file of an edit
---@field uri string
---@field kind 'modify'|'create'|'delete'|'rename'
---@field new_uri? string where a rename goes
---@field edits lsp.TextEdit[]
---@field edit_version? integer
---@field expect? placet.wire.Expected
---@field bufnr? integer
---@field before? 'loaded'|'unloaded'|'none' state of the buffer before the edit
---@field base string the text before
---@field text string the text wanted
---@field was_dirty boolean
---@field undo? fun() rolls back the changes to this file
---@field changed_by_save? boolean

---Abort the edit with a reason.
---@param reason string
function M.refuse(reason)
  error({ refusal = reason }, 0)
end

---Return the files of a WorkspaceEdit in order, each with its edits and operation.
---@param edit lsp.WorkspaceEdit
---@param expects placet.wire.Expected[]
---@return placet.FileRecord[]
function M.collect(edit, expects)
  local records, by_uri = {}, {}
  local function record_of(uri, kind)
    local record = by_uri[uri]
    if not record then
      record = { uri = uri, kind = kind, edits = {}, base = '', text = '', was_dirty = false }
      by_uri[uri] = record
      records[#records + 1] = record
    elseif kind ~= 'modify' then
      M.refuse(('%s: more than one file operation on one file'):format(uri))
    end
    return record
  end

  for uri, edits in pairs(edit.changes or {}) do
    vim.list_extend(record_of(uri, 'modify').edits, edits)
  end
  for _, operation in ipairs(edit.documentChanges or {}) do
    if operation.kind == 'rename' then
      local record = by_uri[operation.oldUri] or record_of(operation.oldUri, 'rename')
      record.kind, record.new_uri = 'rename', operation.newUri
      by_uri[operation.newUri] = record
    elseif operation.kind then
      record_of(operation.uri, operation.kind)
    else
      local record = record_of(operation.textDocument.uri, 'modify')
      record.edit_version = operation.textDocument.version
      vim.list_extend(record.edits, operation.edits)
    end
  end
  for _, expect in ipairs(expects) do
    if by_uri[expect.uri] then
      by_uri[expect.uri].expect = expect
    end
  end
  return records
end

---@param record placet.FileRecord
local function check_create(record)
  local path = buffer.path(record.uri)
  if vim.uv.fs_lstat(path) then
    M.refuse(path .. ': there is a file already; it was not created again')
  elseif buffer.find_loaded(record.uri) then
    M.refuse(path .. ': a buffer of that name is open; save or close it first')
  end
end

---Check the text that the daemon worked from. An empty file is "\n" for an attached server and "" on disk.
---@param record placet.FileRecord
local function check_text(record)
  local path, bufnr = buffer.path(record.uri), assert(record.bufnr)
  record.base = buffer.text(bufnr)
  local expected = record.expect and record.expect.sha256
  if not expected or expected == buffer.sha256(record.base) then
    return
  end
  local lines = api.nvim_buf_get_lines(bufnr, 0, 2, false)
  if #lines == 1 and lines[1] == '' and expected == buffer.sha256('') then
    record.base = ''
  else
    M.refuse(path .. ': the text has changed since it was read')
  end
end

---@param record placet.FileRecord
---@param client vim.lsp.Client
---@param will_save boolean
local function check_existing(record, client, will_save)
  local path = buffer.path(record.uri)
  local loaded = buffer.find_loaded(record.uri)
  if not loaded then
    local stat = vim.uv.fs_stat(path)
    if not stat or stat.type ~= 'file' then
      M.refuse(path .. (stat and ': not a regular file' or ': there is no such file'))
    end
  elseif not vim.bo[loaded].modified and buffer.reload(loaded) == 'conflict' then
    M.refuse(path .. ': its text on disk is another, and the command-line window is open; try again')
  end
  record.bufnr, record.before = buffer.load(record.uri)
  local bufnr = record.bufnr
  record.was_dirty = vim.bo[bufnr].modified
  local version = buffer.version(bufnr, client)
  for _, expected in pairs({ record.edit_version, record.expect and record.expect.version }) do
    if record.before == 'loaded' and expected ~= version then
      M.refuse(('%s: the buffer is at version %d, the edit is for %d'):format(path, version, expected))
    end
  end
  check_text(record)
  if record.kind == 'rename' and vim.uv.fs_lstat(buffer.path(record.new_uri)) then
    M.refuse(buffer.path(record.new_uri) .. ': there is a file already; nothing was renamed over it')
  elseif not vim.bo[bufnr].modifiable then
    M.refuse(path .. ': the buffer is not modifiable')
  elseif
    will_save
    and not record.was_dirty
    and (vim.bo[bufnr].readonly or vim.fn.filewritable(path) ~= 1)
  then
    M.refuse(path .. ': the file is read-only; make it writable and ask again')
  end
end

---Check whether the edit of a file can be applied, and compute the new text. Raises by `refuse`.
---@param record placet.FileRecord
---@param client vim.lsp.Client
---@param save string
function M.check(record, client, save)
  if record.kind == 'create' then
    check_create(record)
  else
    check_existing(record, client, save ~= 'never')
  end
  local text, reason = text_utils.apply_edits(record.base, record.edits, client.offset_encoding)
  if not text then
    M.refuse(buffer.path(record.uri) .. ': ' .. reason)
  end
  record.text = text
end

return M
