---File buffers: find, load, read, replace by the smallest edits, save and release.
local cursor_positions = require('placet.editor.cursor_positions')
local text_utils = require('placet.editor.text')
local undo_block = require('placet.editor.undo_block')

local api = vim.api
local M = {}

---@param uri string
---@return string
function M.path(uri)
  return vim.fs.normalize(vim.uri_to_fname(uri))
end

---Return a function that finds the loaded or unloaded buffer of a file, among the present buffers: by name or
---else by the target of a symbolic link. Links are read only for a file that no buffer has by name.
---@return fun(uri: string): integer?
function M.finder()
  local by_name, by_target = {}, nil
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(bufnr)
    if name ~= '' and vim.bo[bufnr].buftype == '' then
      local normal = vim.fs.normalize(name)
      by_name[name] = by_name[name] or bufnr
      by_name[normal] = by_name[normal] or bufnr
    end
  end
  local function linked(path)
    local target = vim.uv.fs_realpath(path)
    if target and not by_target then
      by_target = {}
      for name, bufnr in pairs(by_name) do
        local of_name = vim.uv.fs_realpath(name)
        if of_name then
          by_target[of_name] = math.max(by_target[of_name] or 0, bufnr)
        end
      end
    end
    return target and by_target[target]
  end
  return function(uri)
    local path = M.path(uri)
    return by_name[path] or linked(path)
  end
end

---Return the loaded or unloaded buffer of a file.
---@param uri string
---@return integer?
function M.find(uri)
  return M.finder()(uri)
end

---@param uri string
---@return integer?
function M.find_loaded(uri)
  local bufnr = M.find(uri)
  return bufnr and api.nvim_buf_is_loaded(bufnr) and bufnr or nil
end

---Load a file into a hidden buffer. Without a swap file Neovim shows no ATTENTION prompt.
---@param uri string
---@return integer bufnr
---@return 'loaded'|'unloaded'|'none' before state of the buffer before the call
function M.load(uri)
  local bufnr = M.find(uri)
  if bufnr and api.nvim_buf_is_loaded(bufnr) then
    return bufnr, 'loaded'
  end
  local before = bufnr and 'unloaded' or 'none'
  bufnr = bufnr or vim.fn.bufadd(M.path(uri))
  vim.cmd(('noswapfile call bufload(%d)'):format(bufnr))
  return bufnr, before
end

---Unload or delete a buffer that `load` has loaded. A buffer with unsaved text or with a window stays.
---@param bufnr integer
---@param before 'loaded'|'unloaded'|'none' state of the buffer before `load`
function M.release(bufnr, before)
  if before == 'loaded' or not api.nvim_buf_is_valid(bufnr) then
    return
  elseif vim.fn.getcmdwintype() ~= '' then -- no buffer can be deleted while the command-line window is open
    api.nvim_create_autocmd('CmdwinLeave', {
      once = true,
      callback = vim.schedule_wrap(function()
        M.release(bufnr, before)
      end),
    })
    return
  end
  if vim.bo[bufnr].modified or #vim.fn.win_findbuf(bufnr) > 0 then
    vim.bo[bufnr].buflisted = true
    return
  elseif before == 'none' and vim.bo[bufnr].buflisted then
    return -- the user has opened the file in the meantime
  end
  api.nvim_buf_delete(bufnr, { unload = before == 'unloaded' })
end

---Return the whole text in the form of the protocol: with the file's line endings, without byte order mark.
---@param bufnr integer
---@return string
function M.text(bufnr)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  return text_utils.from_lines(lines, vim.bo[bufnr].fileformat, vim.bo[bufnr].eol)
end

---@param text string
---@return string
function M.sha256(text)
  return vim.fn.sha256(text)
end

---Return the document version that the daemon knows, or the change tick of a buffer without the daemon.
---@param bufnr integer
---@param client vim.lsp.Client
---@return integer
function M.version(bufnr, client)
  if vim.lsp.buf_is_attached(bufnr, client.id) then
    return vim.lsp.util.buf_versions[bufnr]
  end
  return vim.b[bufnr].changedtick
end

---Replace the rows [first, last), changing only the characters that differ.
---@param bufnr integer
---@param first integer
---@param last integer
---@param lines string[]
local function replace_rows(bufnr, first, last, lines)
  if first == last or #lines == 0 then
    api.nvim_buf_set_lines(bufnr, first, last, true, lines)
    return
  end
  local old = api.nvim_buf_get_lines(bufnr, first, last, true)
  local prefix, suffix = text_utils.shared_ends(old[1], lines[1])
  if #old > 1 and #lines > 1 then
    suffix = select(2, text_utils.shared_ends(old[#old], lines[#lines]))
  elseif #old > 1 or #lines > 1 then
    suffix = 0
  end
  local new = vim.list_extend({}, lines)
  new[#new] = new[#new]:sub(1, #new[#new] - suffix)
  new[1] = new[1]:sub(prefix + 1)
  api.nvim_buf_set_text(bufnr, first, prefix, last - 1, #old[#old] - suffix, new)
end

---Restore the user's lower-case marks that were deleted with their lines.
---@param bufnr integer
---@param before table[] result of getmarklist() before the change
---@param first integer
---@param last integer last allowed row
local function restore_marks(bufnr, before, first, last)
  local kept = {}
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    kept[mark.mark] = true
  end
  for _, mark in ipairs(before) do
    if mark.mark:match("^'%l$") and not kept[mark.mark] then
      local row = math.max(first, math.min(mark.pos[2] - 1, last))
      local length = #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
      api.nvim_buf_set_mark(bufnr, mark.mark:sub(2), row + 1, math.min(mark.pos[3] - 1, length), {})
    end
  end
end

---Keep the start of the user's Visual selection on its text through a change. Vim itself keeps the line
---number.
---@param bufnr integer
---@return fun()? restore
local function follow_selection(bufnr)
  local mode = api.nvim_get_mode().mode
  if bufnr ~= api.nvim_get_current_buf() or not mode:match('^[vV\22]') then
    return nil
  end
  local namespace = api.nvim_create_namespace('placet.selection')
  local row, column = vim.fn.line('v') - 1, vim.fn.col('v') - 1
  local mark = api.nvim_buf_set_extmark(bufnr, namespace, row, column, { strict = false })
  return function()
    local now = api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})
    api.nvim_buf_del_extmark(bufnr, namespace, mark)
    if now[1] and now[1] ~= vim.fn.line('v') - 1 then
      local cursor = api.nvim_win_get_cursor(0)
      vim.cmd.normal({ 'o', bang = true })
      api.nvim_win_set_cursor(0, { now[1] + 1, now[2] })
      vim.cmd.normal({ 'o', bang = true })
      api.nvim_win_set_cursor(0, cursor)
    end
  end
end

---Set the text of a buffer in one undo block. Cursor, folds and marks stay with their lines.
---@param bufnr integer
---@param text string
---@param turn? string edits of the same turn share one undo block
---@return string? reason why the text does not fit into the buffer
function M.replace(bufnr, text, turn)
  local lines, final = text_utils.to_lines(text, vim.bo[bufnr].fileformat)
  if not lines then
    return final --[[@as string]]
  end
  local old = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local hunks = vim.diff(
    table.concat(old, '\n') .. '\n',
    table.concat(lines, '\n') .. '\n',
    { result_type = 'indices', algorithm = 'histogram' }
  ) --[[@as integer[][] ]]
  local restore_selection = follow_selection(bufnr)
  undo_block.begin(bufnr, turn)
  for index = #hunks, 1, -1 do
    local old_start, old_count, new_start, new_count = unpack(hunks[index])
    local first = old_count == 0 and old_start or old_start - 1
    local new = new_count == 0 and {} or vim.list_slice(lines, new_start, new_start + new_count - 1)
    local marks = vim.fn.getmarklist(bufnr)
    replace_rows(bufnr, first, first + old_count, new)
    if new_count > 0 then
      restore_marks(bufnr, marks, first, first + new_count - 1)
    end
  end
  vim.bo[bufnr].eol = final --[[@as boolean]]
  undo_block.finish(bufnr, turn)
  if restore_selection then
    restore_selection()
  end
end

---Write the buffer without prompts, with the user's autocommands (format on save). A missing final line
---ending is preserved.
---@param bufnr integer
---@param forced? boolean overwrite the file: necessary after a rename
---@return string? reason of the failure
function M.save(bufnr, forced)
  local fixeol = vim.bo[bufnr].fixeol
  vim.v.errmsg = ''
  cursor_positions.preserve(bufnr, function()
    api.nvim_buf_call(bufnr, function()
      vim.bo.fixeol = fixeol and vim.bo.eol
      vim.cmd('silent! lockmarks keepalt write' .. (forced and '!' or ''))
      vim.bo.fixeol = fixeol
    end)
  end)
  if vim.bo[bufnr].modified then
    return vim.v.errmsg ~= '' and vim.v.errmsg or 'the file could not be written'
  end
end

---Return whether the file holds the same text as the buffer. The buffer is not changed.
---@param bufnr integer
---@return boolean
local function is_as_on_disk(bufnr)
  local file = io.open(api.nvim_buf_get_name(bufnr), 'rb')
  local content = file and file:read('*a')
  if file then
    file:close()
  end
  return content == M.text(bufnr) or (content == '\239\187\191' .. M.text(bufnr) and vim.bo[bufnr].bomb)
end

---Reload one buffer if its file has changed. The function shows no prompt and never discards unsaved text.
---@param bufnr integer
---@return 'reloaded'|'unchanged'|'conflict'
function M.reload(bufnr)
  if vim.fn.getcmdwintype() ~= '' then
    return is_as_on_disk(bufnr) and 'unchanged' or 'conflict' -- no :checktime in the command-line window
  end
  local outcome = 'unchanged'
  local tick = vim.b[bufnr].changedtick
  local watch = api.nvim_create_autocmd('FileChangedShell', {
    buffer = bufnr,
    desc = 'Placet: reload without a question unless text would be lost',
    callback = function()
      if vim.bo[bufnr].modified then
        outcome, vim.v.fcs_choice = 'conflict', ''
      elseif vim.v.fcs_reason ~= 'deleted' then
        outcome, vim.v.fcs_choice = 'reloaded', 'reload'
      else
        vim.v.fcs_choice = ''
      end
    end,
  })
  vim.cmd.checktime(bufnr)
  api.nvim_del_autocmd(watch)
  if outcome == 'unchanged' and vim.b[bufnr].changedtick ~= tick then
    return 'reloaded' -- by 'autoread', which does not fire the event
  end
  return outcome
end

return M
