---Hunks of change sets in buffers: marks, keys, and autocommands that keep the marks in step with the text.
---The hunks of a file wait until a window shows the file.
local buffer = require('placet.editor.buffer')
local buffers = require('placet.change_set.buffers')
local change_set = require('placet.change_set')
local config = require('placet.config')
local FileView = require('placet.hunks.file_view')
local highlights = require('placet.hunks.highlights')
local keys = require('placet.hunks.keys')
local pending_requests = require('placet.permission.pending_requests')
local proposal = require('placet.hunks.proposal')
local text_utils = require('placet.editor.text')
local virtual_lines = require('placet.hunks.virtual_lines')

local api = vim.api
local M = {}

---@return placet.ViewLayer
local function layer()
  return {
    tracked = api.nvim_create_namespace('placet.change_set.tracked'),
    drawn = api.nvim_create_namespace('placet.change_set.drawn'),
    has_signs = config.get().change_set.signs,
  }
end

---@class placet.BufferView
---@field surface placet.FileView
---@field backup placet.KeymapBackup
---@field is_asked boolean whether the buffer has the keys of a file for which a call of the agent waits
---@field set placet.ChangeSet

---@type table<integer, placet.BufferView> by buffer
local views = {}
---@type integer? group of the autocommands, while a file is in a change set
local group

---@param bufnr integer
---@return placet.BufferView?
function M.of(bufnr)
  local view = views[bufnr]
  return view and api.nvim_buf_is_loaded(bufnr) and view or nil
end

---Return the first row of each unit, or nil if the buffer no longer holds the listed lines.
---@param bufnr integer
---@param file placet.ChangeFile
---@return table<placet.ReviewUnit, integer>?
local function rows_of(bufnr, file)
  local lines, rows = api.nvim_buf_get_lines(bufnr, 0, -1, true), {}
  for _, unit in ipairs(file.units) do
    local first = unit.hunk and unit.hunk.oldStart or 0
    for index, line in ipairs(unit.hunk and unit.hunk.oldLines or {}) do
      local present = lines[first + index]
      if not present or present:gsub('\r+$', '') ~= line:gsub('[\r\n]+$', '') then
        return nil
      end
    end
    rows[unit] = first
  end
  return rows
end

---@param set placet.ChangeSet
---@param file placet.ChangeFile
---@param bufnr integer
---@return boolean whether the buffer shows the file's hunks
local function attach(set, file, bufnr)
  local surface
  if file.is_preview then
    surface = FileView.preview(bufnr, layer(), file, file.units)
  else
    local rows = rows_of(bufnr, file)
    if not rows then
      return false
    end
    local present = text_utils.to_lf(buffer.text(bufnr))
    file.newText = proposal.text({ oldText = present }, file.units)
    surface = FileView.attach(bufnr, layer(), file, file.units, rows)
  end
  local before, is_asked = views[bufnr], pending_requests.of_change(file.waits) ~= nil
  if before and before.is_asked ~= is_asked then
    keys.restore(before.backup)
    before = nil
  end
  local backup = before and before.backup or keys.map(bufnr, is_asked)
  views[bufnr] = { surface = surface, backup = backup, is_asked = is_asked, set = set }
  FileView.draw(surface)
  FileView.show_top(surface)
  return true
end

---Show the new file in the windows of a preview, if the user has accepted the file.
---@param bufnr integer
local function leave_preview(bufnr)
  local path = api.nvim_buf_get_name(bufnr):sub(#buffers.PREVIEW + 1)
  if vim.uv.fs_stat(path) then
    for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
      local file = vim.fn.bufadd(path)
      vim.bo[file].buflisted = true
      api.nvim_win_set_buf(window, file)
    end
  end
  api.nvim_buf_delete(bufnr, { force = true })
end

---@param bufnr integer
local function detach(bufnr)
  local view = views[bufnr]
  views[bufnr] = nil
  keys.restore(view.backup)
  if view.surface.kind == 'new' and api.nvim_buf_is_valid(bufnr) then
    leave_preview(bufnr)
  else
    FileView.close(view.surface)
  end
end

---Return the change set with a file, and the file, that a buffer shows. A path may be listed twice; as in
---`M.renew` the last file counts, which is the file for which a call of the agent waits.
---@param bufnr integer
---@return placet.ChangeSet?
---@return placet.ChangeFile?
local function listed_in(bufnr)
  local path = vim.fs.normalize(api.nvim_buf_get_name(bufnr))
  local target = path ~= '' and vim.uv.fs_realpath(path)
  local in_set, listed
  for _, set in ipairs(change_set.all()) do
    for _, file in ipairs(set.files) do
      local name = buffers.name_of(file)
      if name == path or name == target then
        in_set, listed = set, file
      end
    end
  end
  return in_set, listed
end

---Show the hunks of a file when a window shows the file.
---@param bufnr integer
local function show(bufnr)
  local is_shown = api.nvim_buf_is_valid(bufnr)
    and api.nvim_buf_is_loaded(bufnr)
    and #vim.fn.win_findbuf(bufnr) > 0
  if not is_shown or buffers.is_typed_in(bufnr) then
    return
  end
  local set, file = listed_in(bufnr)
  if set and file and not file.is_preview then
    attach(set, file, bufnr)
  end
end

---Fill a preview buffer when the user opens the buffer.
---@param bufnr integer
local function read_preview(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  vim.bo[bufnr].buftype = 'nofile'
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].modifiable = false
  for _, set in pairs(change_set.all()) do
    local file = vim.iter(set.files):find(function(candidate)
      return buffers.name_of(candidate) == name
    end)
    if file then
      attach(set, file, bufnr)
      local contents = api.nvim_buf_get_lines(bufnr, 0, -1, true)
      local filename = name:sub(#buffers.PREVIEW + 1)
      vim.bo[bufnr].filetype = vim.filetype.match({ filename = filename, contents = contents }) or ''
      return FileView.draw(views[bufnr].surface)
    end
  end
end

---Watch the buffers. Repeated calls have no effect.
local function watch()
  if group then
    return
  end
  group = api.nvim_create_augroup('placet.change_set.views', { clear = true })
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'FileChangedShellPost' }, {
    group = group,
    desc = 'Placet: list the hunks again after a change of the text',
    callback = function(event)
      local set = listed_in(event.buf)
      if set then
        change_set.refresh_set(set)
      end
    end,
  })
  api.nvim_create_autocmd({ 'TextChangedI', 'TextChangedP' }, {
    group = group,
    desc = 'Placet: mark the hunks whose lines the user changes',
    callback = function(event)
      local view = M.of(event.buf)
      if view and FileView.note_conflicts(view.surface) then
        FileView.draw(view.surface)
      end
    end,
  })
  api.nvim_create_autocmd('WinScrolled', {
    group = group,
    desc = 'Placet: say how many lines of a hunk are below the window',
    callback = function()
      local view = M.of(api.nvim_get_current_buf())
      if view then
        FileView.hint(view.surface, api.nvim_get_current_win())
      end
    end,
  })
  api.nvim_create_autocmd({ 'BufReadPost', 'BufWinEnter', 'BufFilePost' }, {
    group = group,
    desc = 'Placet: show the hunks of an opened file',
    callback = vim.schedule_wrap(function(event)
      show(event.buf)
    end),
  })
  api.nvim_create_autocmd('BufReadCmd', {
    group = group,
    pattern = buffers.PREVIEW .. '*',
    desc = 'Placet: show a text that is in no file',
    callback = function(event)
      read_preview(event.buf)
    end,
  })
  api.nvim_create_autocmd('ColorScheme', {
    group = group,
    desc = 'Placet: define the highlight groups again',
    callback = highlights.define,
  })
end

---Show the current list of a change set in the buffers of all windows. A hidden buffer keeps its marks until
---a window shows the buffer.
---@param set placet.ChangeSet
function M.renew(set)
  virtual_lines.forget()
  local loaded, current = buffers.loaded(), {}
  for _, file in ipairs(set.files) do
    local bufnr = buffers.find(loaded, file)
    if bufnr then
      local is_hidden = #vim.fn.win_findbuf(bufnr) == 0
      local stays = not file.is_preview and (is_hidden or buffers.is_typed_in(bufnr))
      current[bufnr] = stays or attach(set, file, bufnr) or views[bufnr] ~= nil
    end
  end
  for bufnr, view in pairs(views) do
    if view.set.root == set.root and not current[bufnr] then
      detach(bufnr)
    end
  end
  if #set.files > 0 then
    watch()
  elseif group and not next(views) and not change_set.has_files() then
    api.nvim_del_augroup_by_id(group)
    group = nil
  end
end

return M
