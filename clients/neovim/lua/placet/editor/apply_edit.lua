---`workspace/applyEdit`: all files are checked before the first change. If a change fails, all changes are
---rolled back.
local buffer = require('placet.editor.buffer')
local edit_plan = require('placet.editor.edit_plan')
local document_sync = require('placet.editor.document_sync')
local text_utils = require('placet.editor.text')
local undo_block = require('placet.editor.undo_block')

local api = vim.api
local refuse = edit_plan.refuse
local M = {}

---Results by editId, so that a repeated edit is applied only once.
---@type table<string, table>
local answers = {}
---@type string[]
local edit_ids = {}

---@param bufnr integer
---@param client vim.lsp.Client
---@param text string
---@param turn? string
local function replace(bufnr, client, text, turn)
  local function change()
    local reason = buffer.replace(bufnr, text, turn)
    if reason then
      refuse(api.nvim_buf_get_name(bufnr) .. ': ' .. reason)
    end
  end
  if document_sync.is_faithful(bufnr, text) then
    change()
  else
    document_sync.reopen_around(bufnr, client, change)
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
  vim.bo[record.bufnr].fileformat = text_utils.fileformat_of(record.text)
  vim.bo[record.bufnr].fileencoding = 'utf-8'
  replace(record.bufnr, client, record.text)
  vim.bo[record.bufnr].modified = true
end

---@param bufnr integer
---@param client vim.lsp.Client
---@param from string
---@param to string
local function move(bufnr, client, from, to)
  document_sync.reopen_around(bufnr, client, function()
    vim.fn.mkdir(vim.fs.dirname(to), 'p')
    local done, reason = vim.uv.fs_rename(from, to)
    if not done then
      refuse(('%s: %s'):format(from, reason))
    end
    api.nvim_buf_set_name(bufnr, to)
    local alternate = buffer.find(vim.uri_from_fname(from))
    if alternate and alternate ~= bufnr then
      api.nvim_buf_delete(alternate, { force = true }) -- alternate buffer that nvim_buf_set_name creates
    end
  end)
end

---@param record placet.FileRecord
---@param client vim.lsp.Client
---@param turn? string
local function apply(record, client, turn)
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
    local rollback = record.undo
    record.undo = function()
      rollback()
      move(bufnr, client, to, from)
    end
  end
  if record.text ~= record.base then
    replace(bufnr, client, record.text, turn)
  end
end

---@param record placet.FileRecord
---@param client vim.lsp.Client
---@param save string
---@param turn? string
local function save_if_clean(record, client, save, turn)
  local bufnr = record.bufnr
  if record.kind == 'delete' or save == 'never' or (save == 'ifWasClean' and record.was_dirty) then
    return
  end
  local rollback = record.undo
  local is_changed = record.text ~= record.base
  if is_changed then
    undo_block.join(bufnr) -- changes of a formatter belong to the same undo block
  end
  local reason = buffer.save(assert(bufnr), record.kind == 'rename')
  if is_changed then
    undo_block.finish(bufnr, turn)
  end
  if reason then
    refuse(('%s: not saved: %s'):format(api.nvim_buf_get_name(bufnr), reason))
  end
  record.undo = function()
    rollback()
    if record.kind ~= 'create' then
      buffer.save(bufnr, record.kind == 'rename')
    end
  end
  local text = buffer.text(bufnr)
  record.changed_by_save = text ~= record.text
  if record.changed_by_save and not document_sync.is_faithful(bufnr, text) then
    document_sync.send_again(bufnr, client)
  end
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

---Delete the buffer of a deleted file. Windows with the buffer stay open with an empty buffer.
---@param bufnr integer
local function delete_buffer(bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    api.nvim_win_set_buf(window, api.nvim_create_buf(true, false))
  end
  api.nvim_buf_delete(bufnr, { force = true })
end

---@param params table
---@param client vim.lsp.Client
---@param records placet.FileRecord[] filled here, so that the caller can release loaded buffers
---@return table
local function attempt(params, client, records)
  local agent = params.agent or {}
  local save = agent.save or 'ifWasClean'
  vim.list_extend(records, edit_plan.collect(params.edit, agent.expect or {}))
  for _, record in ipairs(records) do
    edit_plan.check(record, client, save)
  end
  for _, record in ipairs(records) do
    apply(record, client, agent.turnId)
  end
  for _, record in ipairs(records) do
    save_if_clean(record, client, save, agent.turnId)
  end
  local files = {}
  for _, record in ipairs(records) do
    if record.kind == 'delete' then
      delete_buffer(assert(record.bufnr))
    else
      files[#files + 1] = report(record, client)
    end
  end
  return { applied = true, agent = { files = files } }
end

---Apply an edit completely, or roll back and return the reason.
---@param params placet.wire.ApplyEdit
---@param client vim.lsp.Client
---@return placet.wire.ApplyEditResult
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
    edit_ids[#edit_ids + 1] = id
    if #edit_ids > 100 then
      answers[table.remove(edit_ids, 1)] = nil
    end
  end
  return result
end

---Milliseconds that the user has to type the motion of a pending operator.
M.pending_ms = 3000

---@return boolean
local function is_operator_pending()
  return api.nvim_get_mode().mode:sub(1, 2) == 'no'
end

---Apply an edit, but not in Operator-pending mode: Vim remembers the start line of the operator by number, so
---lines inserted above would change the operator's range. If the user types no motion, the operator is
---cancelled and the edit is applied.
---@type placet.RequestHandler
function M.serve(params, client, answer)
  local autocommand
  local function resume()
    if autocommand then
      api.nvim_del_autocmd(autocommand)
      autocommand = nil
      answer(M.apply(params, client))
    end
  end
  if not is_operator_pending() then
    answer(M.apply(params, client))
    return
  end
  autocommand = api.nvim_create_autocmd('ModeChanged', {
    pattern = 'no*:*',
    callback = vim.schedule_wrap(resume),
  })
  vim.defer_fn(function()
    if autocommand and is_operator_pending() then
      api.nvim_input('<Esc>')
    end
  end, M.pending_ms)
end

return M
