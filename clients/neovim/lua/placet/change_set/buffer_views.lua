---Hunks of change sets in buffers: marks, keys, and autocommands that keep the marks in step with the text.
---The hunks of a file wait until a window shows the file.
local buffer = require('placet.editor.buffer')
local config = require('placet.config')
local FileView = require('placet.hunks.file_view')
local highlights = require('placet.hunks.highlights')
local keys = require('placet.hunks.keys')
local proposal = require('placet.hunks.proposal')
local text_utils = require('placet.editor.text')
local virtual_lines = require('placet.hunks.virtual_lines')

local api = vim.api
local M = {}

---Scheme of the buffers that show a text that is in no file.
local PREVIEW = 'placet-change://'

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
---@field set placet.ChangeSet

---@type table<integer, placet.BufferView> by buffer
local views = {}
---@type integer? group of the autocommands, while a file is in a change set
local group

---Return the name of the buffer that shows a file.
---@param file placet.ChangeFile
---@return string
function M.name_of(file)
  file.name = file.name or (file.is_preview and PREVIEW or '') .. buffer.path(file.document)
  return file.name
end

---@param bufnr integer
---@return placet.BufferView?
function M.of(bufnr)
  local view = views[bufnr]
  return view and api.nvim_buf_is_loaded(bufnr) and view or nil
end

---@class placet.LoadedBuffers
---@field by_name table<string, integer>
---@field by_target table<string, integer> file behind symbolic links -> buffer

---@return placet.LoadedBuffers
local function loaded_buffers()
  local loaded = { by_name = {}, by_target = {} }
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_get_name(bufnr) or ''
    if vim.startswith(name, PREVIEW) then
      loaded.by_name[name] = bufnr
    elseif name ~= '' and vim.bo[bufnr].buftype == '' then
      loaded.by_name[vim.fs.normalize(name)] = bufnr
      loaded.by_target[vim.uv.fs_realpath(name) or name] = bufnr
    end
  end
  return loaded
end

---@param loaded placet.LoadedBuffers
---@param file placet.ChangeFile
---@return integer?
local function buffer_of(loaded, file)
  local name = M.name_of(file)
  return loaded.by_name[name] or loaded.by_target[vim.uv.fs_realpath(name) or name]
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

---Return whether the user is typing in a buffer. The screen stays as it is until the user leaves Insert mode.
---@param bufnr integer
local function is_typed_in(bufnr)
  return bufnr == api.nvim_get_current_buf() and api.nvim_get_mode().mode:match('^[iR]') ~= nil
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
    file.base = text_utils.to_lf(buffer.text(bufnr))
    file.newText = proposal.text({ oldText = file.base }, file.units)
    surface = FileView.attach(bufnr, layer(), file, file.units, rows)
  end
  local backup = views[bufnr] and views[bufnr].backup or keys.map_in_file(bufnr)
  views[bufnr] = { surface = surface, backup = backup, set = set }
  FileView.draw(surface)
  FileView.show_top(surface)
  return true
end

---Show the new file in the windows of a preview, if the user has accepted the file.
---@param bufnr integer
local function leave_preview(bufnr)
  local path = api.nvim_buf_get_name(bufnr):sub(#PREVIEW + 1)
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

---Return the change set with a file, and the file, that a buffer shows.
---@param bufnr integer
---@return placet.ChangeSet?
---@return placet.ChangeFile?
local function listed_in(bufnr)
  local path = vim.fs.normalize(api.nvim_buf_get_name(bufnr))
  local target = path ~= '' and vim.uv.fs_realpath(path)
  for _, set in ipairs(require('placet.change_set').all()) do
    for _, file in ipairs(set.files) do
      local name = M.name_of(file)
      if name == path or name == target then
        return set, file
      end
    end
  end
end

---Show the hunks of a file when a window shows the file.
---@param bufnr integer
local function show(bufnr)
  local is_shown = api.nvim_buf_is_valid(bufnr)
    and api.nvim_buf_is_loaded(bufnr)
    and #vim.fn.win_findbuf(bufnr) > 0
  if not is_shown or is_typed_in(bufnr) then
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
  for _, set in pairs(require('placet.change_set').all()) do
    local file = vim.iter(set.files):find(function(candidate)
      return M.name_of(candidate) == name
    end)
    if file then
      attach(set, file, bufnr)
      local contents = api.nvim_buf_get_lines(bufnr, 0, -1, true)
      local filename = name:sub(#PREVIEW + 1)
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
  group = api.nvim_create_augroup('placet.change_set', { clear = true })
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'FileChangedShellPost' }, {
    group = group,
    desc = 'Placet: list the hunks again after a change of the text',
    callback = function(event)
      local set = listed_in(event.buf)
      if set then
        require('placet.change_set').refresh_set(set)
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
    pattern = PREVIEW .. '*',
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
  local loaded, current = loaded_buffers(), {}
  for _, file in ipairs(set.files) do
    local bufnr = buffer_of(loaded, file)
    if bufnr then
      local is_hidden = #vim.fn.win_findbuf(bufnr) == 0
      local stays = not file.is_preview and (is_hidden or is_typed_in(bufnr))
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
  elseif group and not next(views) and not require('placet.change_set').has_files() then
    api.nvim_del_augroup_by_id(group)
    group = nil
  end
end

---Return the change ticks of all loaded buffers, for `is_outdated`.
---@return table<integer, integer>
function M.ticks()
  local ticks = {}
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    ticks[bufnr] = api.nvim_buf_is_loaded(bufnr) and vim.b[bufnr].changedtick or nil
  end
  return ticks
end

---Return whether the text of a listed file has changed since the list was requested.
---@param set placet.ChangeSet
---@param ticks table<integer, integer> of the time of the request
---@return boolean
function M.is_outdated(set, ticks)
  if vim.deep_equal(ticks, M.ticks()) then
    return false
  end
  local loaded = loaded_buffers()
  return vim.iter(set.files):any(function(file)
    local bufnr = buffer_of(loaded, file)
    return bufnr ~= nil
      and not file.is_preview
      and ticks[bufnr] ~= nil
      and ticks[bufnr] ~= vim.b[bufnr].changedtick
      and not is_typed_in(bufnr)
  end)
end

return M
