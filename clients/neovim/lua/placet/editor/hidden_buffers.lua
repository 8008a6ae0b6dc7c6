---Hidden buffers: closed files that are loaded for language servers and unloaded after a while.
local buffer = require('placet.editor.buffer')

local api = vim.api
local M = {}

---Milliseconds until a file is unloaded after the last request.
M.keep_ms = 60000
---Milliseconds to wait for servers that start for a loaded file. Some servers search their root first.
M.arrival_ms = 300
local MOST_BYTES = 2 * 1024 * 1024

---@type table<integer, {before: 'unloaded'|'none', loaded_at: integer, timer: uv.uv_timer_t, root?: string}>
local hidden = {}
---@type string? the project for which a file is being loaded
local loading_for

---@param bufnr integer
local function unload(bufnr)
  local file = hidden[bufnr]
  hidden[bufnr] = nil
  file.timer:close()
  if api.nvim_buf_is_valid(bufnr) and not vim.bo[bufnr].buflisted then
    buffer.release(bufnr, file.before)
  end
end

---@param bufnr integer
local function restart_timer(bufnr)
  hidden[bufnr].timer:start(
    M.keep_ms,
    0,
    vim.schedule_wrap(function()
      unload(bufnr)
    end)
  )
end

---Return whether the file was loaded by a request and not opened by the user.
---@param bufnr integer
function M.is_hidden(bufnr)
  return hidden[bufnr] ~= nil and api.nvim_buf_is_valid(bufnr) and not vim.bo[bufnr].buflisted
end

---Return the project of the daemon that requested the file. The file belongs to this project and starts no
---other daemon.
---@param bufnr integer
---@return string?
function M.root_of(bufnr)
  return loading_for or (hidden[bufnr] or {}).root
end

---@param uri string
local function is_loadable(uri)
  local stat = vim.startswith(uri, 'file:') and vim.uv.fs_stat(buffer.path(uri))
  return stat and stat.type == 'file' and stat.size <= MOST_BYTES
end

---Load a file, or reload a hidden buffer from disk.
---@param uri string
---@param client vim.lsp.Client daemon that asks
---@return integer? bufnr nil if the file cannot be loaded
function M.load(uri, client)
  local bufnr = buffer.find_loaded(uri)
  if bufnr then
    if hidden[bufnr] then
      buffer.reload(bufnr)
      restart_timer(bufnr)
    end
    return bufnr
  elseif not is_loadable(uri) then
    return nil
  end
  loading_for = client.root_dir
  local loaded, number, before = pcall(buffer.load, uri)
  if loaded and vim.bo[number].filetype == '' then
    vim.bo[number].filetype = vim.filetype.match({ buf = number }) or ''
  end
  loading_for = nil
  if not loaded then
    return nil
  end
  hidden[number] = {
    before = before,
    loaded_at = vim.uv.now(),
    timer = assert(vim.uv.new_timer()),
    root = client.root_dir,
  }
  restart_timer(number)
  return number
end

---Unload all hidden buffers.
function M.stop()
  for _, bufnr in ipairs(vim.tbl_keys(hidden)) do
    unload(bufnr)
  end
end

---Return the milliseconds in which servers may still attach to a loaded file.
---@param bufnr integer
---@return integer
function M.arrival_left_ms(bufnr)
  local file = hidden[bufnr]
  return file and math.max(0, file.loaded_at + M.arrival_ms - vim.uv.now()) or 0
end

return M
