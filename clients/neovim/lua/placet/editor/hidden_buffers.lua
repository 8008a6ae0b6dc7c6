---Files that nobody has open, loaded so that language servers see them, and let go after a while.
local buffer = require('placet.editor.buffer')

local api = vim.api
local M = {}

---Milliseconds that a file stays loaded after it was last asked about.
M.keep_ms = 60000
---Milliseconds in which servers come that are started for a file; some look for its root first.
M.arrival_ms = 300
local MOST_BYTES = 2 * 1024 * 1024

---@type table<integer, {before: 'unloaded'|'none', loaded_at: integer, timer: uv.uv_timer_t, root?: string}>
local held = {}
---@type string? the project for which a file is being loaded
local loading_for

---@param bufnr integer
local function let_go(bufnr)
  local file = held[bufnr]
  held[bufnr] = nil
  file.timer:close()
  if api.nvim_buf_is_valid(bufnr) and not vim.bo[bufnr].buflisted then
    buffer.release(bufnr, file.before)
  end
end

---@param bufnr integer
local function keep(bufnr)
  held[bufnr].timer:start(
    M.keep_ms,
    0,
    vim.schedule_wrap(function()
      let_go(bufnr)
    end)
  )
end

---Whether the file is loaded only because it was asked about.
---@param bufnr integer
function M.is_held(bufnr)
  return held[bufnr] ~= nil and api.nvim_buf_is_valid(bufnr) and not vim.bo[bufnr].buflisted
end

---The project of the server that asked for the file: a file is loaded for it, not for a server of its own.
---@param bufnr integer
---@return string?
function M.root_of(bufnr)
  return loading_for or (held[bufnr] or {}).root
end

---@param uri string
local function is_loadable(uri)
  local stat = vim.startswith(uri, 'file:') and vim.uv.fs_stat(buffer.path(uri))
  return stat and stat.type == 'file' and stat.size <= MOST_BYTES
end

---The loaded buffer of a file, as the disk has it unless it holds unsaved text.
---@param uri string
---@param client vim.lsp.Client who asks
---@return integer? bufnr nil for what cannot be loaded
function M.load(uri, client)
  local bufnr = buffer.find_loaded(uri)
  if bufnr then
    if held[bufnr] then
      buffer.reload(bufnr)
      keep(bufnr)
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
  held[number] = {
    before = before,
    loaded_at = vim.uv.now(),
    timer = assert(vim.uv.new_timer()),
    root = client.root_dir,
  }
  keep(number)
  return number
end

---Let all of them go now.
function M.stop()
  for _, bufnr in ipairs(vim.tbl_keys(held)) do
    let_go(bufnr)
  end
end

---How long servers may still come for a file that was loaded just now.
---@param bufnr integer
---@return integer
function M.arrival_left_ms(bufnr)
  local file = held[bufnr]
  return file and math.max(0, file.loaded_at + M.arrival_ms - vim.uv.now()) or 0
end

return M
