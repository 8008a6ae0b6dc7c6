---`workspace/applyEdit`, strictly: every file is checked before any is touched, then all or nothing.
local buffer = require('placet.buffer')
local text_of = require('placet.text')

local api = vim.api
local M = {}

---@class placet.FileRecord one file's share of an edit
---@field uri string
---@field kind 'modify'|'create'|'delete'|'rename'
---@field new_uri? string where a rename goes
---@field edits lsp.TextEdit[]
---@field edit_version? integer
---@field expect? {version?: integer, sha256?: string}
---@field bufnr? integer
---@field before? 'loaded'|'unloaded'|'none'
---@field base string the text before
---@field text string the text wanted
---@field was_dirty boolean
---@field undo? fun() takes back what was done to this file so far
---@field changed_by_save? boolean

---Answers by editId: the same edit is applied once, however often it is sent.
---@type table<string, table>
local answers = {}
---@type string[]
local answered = {}

---@param reason string
local function refuse(reason)
  error({ refusal = reason }, 0)
end

---The files of a WorkspaceEdit, in order, each with all that is to happen to it.
---@param edit lsp.WorkspaceEdit
---@param expects table[]
---@return placet.FileRecord[]
local function collect(edit, expects)
  local records, by_uri = {}, {}
  local function record_of(uri, kind)
    local record = by_uri[uri]
    if not record then
      record = { uri = uri, kind = kind, edits = {}, base = '', text = '', was_dirty = false }
      by_uri[uri] = record
      records[#records + 1] = record
    elseif kind ~= 'modify' then
      refuse(('%s: more than one file operation on one file'):format(uri))
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
    refuse(path .. ': there is a file already; it was not created again')
  elseif buffer.find_loaded(record.uri) then
    refuse(path .. ': a buffer of that name is open; save or close it first')
  end
end

---The text that the server worked from. An empty file is "\n" to an attached server and "" on disk.
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
    refuse(path .. ': the text has changed since it was read')
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
      refuse(path .. (stat and ': not a regular file' or ': there is no such file'))
    end
  elseif not vim.bo[loaded].modified then
    buffer.reload(loaded)
  end
  record.bufnr, record.before = buffer.load(record.uri)
  local bufnr = record.bufnr
  record.was_dirty = vim.bo[bufnr].modified
  local version = buffer.version(bufnr, client)
  for _, wanted in pairs({ record.edit_version, record.expect and record.expect.version }) do
    if record.before == 'loaded' and wanted ~= version then
      refuse(('%s: the buffer is at version %d, the edit is for %d'):format(path, version, wanted))
    end
  end
  check_text(record)
  if record.kind == 'rename' and vim.uv.fs_lstat(buffer.path(record.new_uri)) then
    refuse(buffer.path(record.new_uri) .. ': there is a file already; nothing was renamed over it')
  elseif not vim.bo[bufnr].modifiable then
    refuse(path .. ': the buffer is not modifiable')
  elseif
    will_save
    and not record.was_dirty
    and (vim.bo[bufnr].readonly or vim.fn.filewritable(path) ~= 1)
  then
    refuse(path .. ': the file is read-only; make it writable and ask again')
  end
end

---@param record placet.FileRecord
---@param client vim.lsp.Client
---@param save string
local function check(record, client, save)
  if record.kind == 'create' then
    check_create(record)
  else
    check_existing(record, client, save ~= 'never')
  end
  local text, reason = text_of.apply_edits(record.base, record.edits, client.offset_encoding)
  if not text then
    refuse(buffer.path(record.uri) .. ': ' .. reason)
  end
  record.text = text
end

---Keep our server's copy right where the buffer's own notices cannot: another name, another final line ending.
---@param bufnr integer
---@param client vim.lsp.Client
---@param change fun()
local function reattached(bufnr, client, change)
  local attached = vim.lsp.buf_is_attached(bufnr, client.id)
  if attached then
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
  change()
  if attached then
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

---@param bufnr integer
---@param client vim.lsp.Client
---@param text string
local function replace(bufnr, client, text)
  local function change()
    local reason = buffer.replace(bufnr, text)
    if reason then
      refuse(api.nvim_buf_get_name(bufnr) .. ': ' .. reason)
    end
  end
  local _, final = text_of.to_lines(text, vim.bo[bufnr].fileformat)
  if final == vim.bo[bufnr].eol then
    change()
  else
    reattached(bufnr, client, change)
  end
end

---@param record placet.FileRecord
---@param client vim.lsp.Client
local function create(record, client)
  local path = buffer.path(record.uri)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  record.bufnr, record.before = buffer.load(record.uri)
  record.undo = function()
    vim.uv.fs_unlink(path)
    vim.bo[record.bufnr].modified = false
    buffer.release(record.bufnr, record.before)
  end
  vim.bo[record.bufnr].fileformat = text_of.fileformat_of(record.text)
  vim.bo[record.bufnr].fileencoding = 'utf-8'
  replace(record.bufnr, client, record.text)
  vim.bo[record.bufnr].modified = true
end

---@param bufnr integer
---@param client vim.lsp.Client
---@param from string
---@param to string
local function move(bufnr, client, from, to)
  reattached(bufnr, client, function()
    vim.fn.mkdir(vim.fs.dirname(to), 'p')
    local done, reason = vim.uv.fs_rename(from, to)
    if not done then
      refuse(('%s: %s'):format(from, reason))
    end
    api.nvim_buf_set_name(bufnr, to)
    local left = buffer.find(vim.uri_from_fname(from))
    if left and left ~= bufnr then
      api.nvim_buf_delete(left, { force = true }) -- the alternate buffer that :file leaves behind
    end
  end)
end

---@param record placet.FileRecord
---@param client vim.lsp.Client
local function apply(record, client)
  if record.kind == 'create' then
    return create(record, client)
  elseif record.kind == 'delete' then
    local path = buffer.path(record.uri)
    local content = vim.fn.readblob(path)
    local done, reason = vim.uv.fs_unlink(path)
    if not done then
      refuse(('%s: %s'):format(path, reason))
    end
    record.undo = function()
      vim.fn.writefile(content, path, 'b')
    end
    return
  end
  local bufnr = assert(record.bufnr)
  record.undo = function()
    if buffer.text(bufnr) ~= record.base then
      replace(bufnr, client, record.base)
    end
  end
  if record.kind == 'rename' then
    local from, to = buffer.path(record.uri), buffer.path(record.new_uri)
    move(bufnr, client, from, to)
    local put_back = record.undo
    record.undo = function()
      put_back()
      move(bufnr, client, to, from)
    end
  end
  if record.text ~= record.base then
    replace(bufnr, client, record.text)
  end
end

---@param record placet.FileRecord
---@param save string
local function save_if_wanted(record, save)
  local bufnr = record.bufnr
  if record.kind == 'delete' or save == 'never' or (save == 'ifWasClean' and record.was_dirty) then
    return
  end
  local put_back = record.undo
  local reason = buffer.save(assert(bufnr), record.kind == 'rename')
  if reason then
    refuse(('%s: not saved: %s'):format(api.nvim_buf_get_name(bufnr), reason))
  end
  record.undo = function()
    put_back()
    if record.kind ~= 'create' then
      buffer.save(bufnr, record.kind == 'rename')
    end
  end
  record.changed_by_save = buffer.text(bufnr) ~= record.text
end

---@param record placet.FileRecord
---@param client vim.lsp.Client
---@return table
local function report(record, client)
  local bufnr = assert(record.bufnr)
  local text = buffer.text(bufnr)
  local attached = vim.lsp.buf_is_attached(bufnr, client.id)
  return {
    uri = record.new_uri or record.uri,
    version = attached and buffer.version(bufnr, client) or vim.NIL,
    sha256 = buffer.sha256(text),
    dirty = vim.bo[bufnr].modified,
    changedBySave = record.changed_by_save or false,
    text = record.changed_by_save and text or nil,
  }
end

---Take a deleted file's buffer away without closing a window over it.
---@param bufnr integer
local function drop(bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    api.nvim_win_set_buf(window, api.nvim_create_buf(true, false))
  end
  api.nvim_buf_delete(bufnr, { force = true })
end

---@param params table
---@param client vim.lsp.Client
---@param records placet.FileRecord[] filled here, so that the caller can let go of what was loaded
---@return table
local function attempt(params, client, records)
  local agent = params.agent or {}
  local save = agent.save or 'ifWasClean'
  vim.list_extend(records, collect(params.edit, agent.expect or {}))
  for _, record in ipairs(records) do
    check(record, client, save)
  end
  for _, record in ipairs(records) do
    apply(record, client)
  end
  for _, record in ipairs(records) do
    save_if_wanted(record, save)
  end
  local files = {}
  for _, record in ipairs(records) do
    if record.kind == 'delete' then
      drop(assert(record.bufnr))
    else
      files[#files + 1] = report(record, client)
    end
  end
  return { applied = true, agent = { files = files } }
end

---Apply the edit, or nothing of it and say why.
---@param params table `workspace/applyEdit` params with `agent: {editId, expect, save}`
---@param client vim.lsp.Client
---@return table result
function M.apply(params, client)
  local id = params.agent and params.agent.editId
  if id and answers[id] then
    return answers[id]
  end
  local records = {}
  local done, result = pcall(attempt, params, client, records)
  if not done then
    local reason = type(result) == 'table' and result.refusal or ('internal error: ' .. tostring(result))
    for index = #records, 1, -1 do
      if records[index].undo then
        local undone, problem = pcall(records[index].undo)
        reason = undone and reason
          or ('%s; and it could not be taken back: %s'):format(reason, tostring(problem))
      end
    end
    result = { applied = false, failureReason = reason }
  end
  for _, record in ipairs(records) do
    if record.bufnr then
      buffer.release(record.bufnr, record.before)
    end
  end
  if id then
    answers[id] = result
    answered[#answered + 1] = id
    if #answered > 100 then
      answers[table.remove(answered, 1)] = nil
    end
  end
  return result
end

return M
