---Open documents: `editor/readDocuments`, `editor/save`, `editor/reload` and `editor/state`.
local buffer = require('placet.editor.buffer')
local selections = require('placet.editor.selections')

local api = vim.api
local M = {}

---@param uri string
---@param bufnr? integer buffer of the file
---@param client vim.lsp.Client
local function read(uri, bufnr, client)
  if not bufnr or not api.nvim_buf_is_loaded(bufnr) then
    return { uri = uri, open = false, dirty = false }
  end
  local options = vim.bo[bufnr]
  return {
    uri = uri,
    open = true,
    dirty = options.modified,
    version = buffer.version(bufnr, client),
    text = buffer.text(bufnr),
    eol = ({ unix = '\n', dos = '\r\n', mac = '\r' })[options.fileformat],
    encoding = options.fileencoding ~= '' and options.fileencoding or vim.o.encoding,
    bom = options.bomb,
    languageId = options.filetype,
  }
end

---@param params {uris: string[]}
---@param client vim.lsp.Client
function M.read(params, client)
  local items, find = {}, buffer.finder()
  for index, uri in ipairs(params.uris) do
    items[index] = read(uri, find(uri), client)
  end
  return { items = items }
end

---@param params {uris: string[]}
function M.save(params)
  local files = {}
  for index, uri in ipairs(params.uris) do
    local bufnr = buffer.find_loaded(uri)
    local reason
    if not bufnr then
      reason = 'it is not open'
    elseif vim.bo[bufnr].modified then
      reason = buffer.save(bufnr)
    end
    files[index] = { uri = uri, saved = reason == nil, reason = reason }
  end
  return { files = files }
end

---@param params {uris?: string[]} without uris: every file buffer
function M.reload(params)
  local files = {}
  local function reload(uri, bufnr)
    files[#files + 1] = { uri = uri, status = bufnr and buffer.reload(bufnr) or 'unchanged' }
  end
  if params.uris then
    for _, uri in ipairs(params.uris) do
      reload(uri, buffer.find_loaded(uri))
    end
  else
    for _, bufnr in ipairs(api.nvim_list_bufs()) do
      local is_file = vim.bo[bufnr].buftype == '' and api.nvim_buf_get_name(bufnr) ~= ''
      if is_file and api.nvim_buf_is_loaded(bufnr) then
        reload(vim.uri_from_bufnr(bufnr), bufnr)
      end
    end
  end
  return { files = files }
end

---@param bufnr integer
---@return string? uri nil for a buffer without file
local function file_uri(bufnr)
  if vim.bo[bufnr].buftype == '' and api.nvim_buf_get_name(bufnr) ~= '' then
    return vim.uri_from_bufnr(bufnr)
  end
end

---Return the current or previous window if the window shows a file.
---@return integer?
local function active_window()
  for _, number in ipairs({ vim.fn.winnr(), vim.fn.winnr('#') }) do
    local window = number > 0 and vim.fn.win_getid(number) or 0
    if window > 0 and file_uri(api.nvim_win_get_buf(window)) then
      return window
    end
  end
end

---@param window integer
local function active(window)
  local bufnr = api.nvim_win_get_buf(window)
  local row, column = unpack(api.nvim_win_get_cursor(window))
  return {
    uri = file_uri(bufnr),
    languageId = vim.bo[bufnr].filetype,
    dirty = vim.bo[bufnr].modified,
    line = row - 1,
    column = column,
  }
end

---@param params {include?: string[]}
---@param client vim.lsp.Client
function M.state(params, client)
  local included = params.include or { 'active', 'selections', 'visible', 'open', 'folders' }
  local state = {}
  if vim.list_contains(included, 'active') then
    local window = active_window()
    state.active = window and active(window) or vim.NIL
  end
  if vim.list_contains(included, 'selections') then
    state.selections = file_uri(0) and selections.ranges(client.offset_encoding) or {}
  end
  if vim.list_contains(included, 'visible') then
    state.visible = {}
    for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
      local uri = file_uri(api.nvim_win_get_buf(window))
      if uri then
        table.insert(state.visible, {
          uri = uri,
          first = vim.fn.line('w0', window) - 1,
          last = vim.fn.line('w$', window) - 1,
        })
      end
    end
  end
  if vim.list_contains(included, 'open') then
    state.open = {}
    for _, bufnr in ipairs(api.nvim_list_bufs()) do
      local uri = api.nvim_buf_is_loaded(bufnr) and file_uri(bufnr)
      if uri then
        table.insert(state.open, { uri = uri, dirty = vim.bo[bufnr].modified })
      end
    end
  end
  if vim.list_contains(included, 'folders') then
    state.folders = vim.tbl_map(function(folder)
      return folder.uri
    end, client.workspace_folders or {})
  end
  return state
end

return M
