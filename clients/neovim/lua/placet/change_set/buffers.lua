---Buffers of the files of a change set: their names, and the changes of their texts.
local buffer = require('placet.editor.buffer')

local api = vim.api
local M = {}

---Scheme of the buffers that show a text that is in no file.
M.PREVIEW = 'placet-change://'

---Return the name of the buffer that shows a file.
---@param file placet.ChangeFile
---@return string
function M.name_of(file)
  file.name = file.name or (file.is_preview and M.PREVIEW or '') .. buffer.path(file.document)
  return file.name
end

---@class placet.LoadedBuffers
---@field by_name table<string, integer>
---@field by_target table<string, integer> file behind symbolic links -> buffer

---Return the loaded buffers that can show a file of a change set.
---@return placet.LoadedBuffers
function M.loaded()
  local loaded = { by_name = {}, by_target = {} }
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_get_name(bufnr) or ''
    if vim.startswith(name, M.PREVIEW) then
      loaded.by_name[name] = bufnr
    elseif name ~= '' and vim.bo[bufnr].buftype == '' then
      loaded.by_name[vim.fs.normalize(name)] = bufnr
      loaded.by_target[vim.uv.fs_realpath(name) or name] = bufnr
    end
  end
  return loaded
end

---Return the buffer that shows a file.
---@param loaded placet.LoadedBuffers
---@param file placet.ChangeFile
---@return integer?
function M.find(loaded, file)
  local name = M.name_of(file)
  return loaded.by_name[name] or loaded.by_target[vim.uv.fs_realpath(name) or name]
end

---Return whether the user is typing in a buffer. The screen stays as it is until the user leaves Insert mode.
---@param bufnr integer
function M.is_typed_in(bufnr)
  return bufnr == api.nvim_get_current_buf() and api.nvim_get_mode().mode:match('^[iR]') ~= nil
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
  local loaded = M.loaded()
  return vim.iter(set.files):any(function(file)
    local bufnr = M.find(loaded, file)
    return bufnr ~= nil
      and not file.is_preview
      and ticks[bufnr] ~= nil
      and ticks[bufnr] ~= vim.b[bufnr].changedtick
      and not M.is_typed_in(bufnr)
  end)
end

return M
