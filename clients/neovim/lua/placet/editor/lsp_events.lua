---Record the messages between Neovim and all language servers, for diagnostics freshness, and wake waiting
---requests.
local diagnostics_freshness = require('placet.editor.diagnostics_freshness')

local api = vim.api
local M = {}

local PUBLISH, PULL = 'textDocument/publishDiagnostics', 'textDocument/diagnostic'

---@class placet.Linter source of diagnostics with an own namespace, such as nvim-lint
---@field version? integer version of the text at the last report, if metatable
---@field reported_at integer
---@field had_diagnostics boolean

---@type table<integer, table<integer, placet.Linter>> buffer -> namespace
local linters = {}
---Callbacks of waiting requests.
---@type table<table, fun()>
local waiting = {}
local is_started = false
---Whether a handler of a language server is running: changed diagnostics then belong to the server.
local is_server_reporting = false

---Return the normalized path of a URI. Servers write the same URI in different ways.
---@param uri string
---@return string
function M.path(uri)
  return vim.fs.normalize(vim.uri_to_fname(uri))
end

---Wake all waiting requests.
function M.wake()
  for _, look in ipairs(vim.tbl_values(waiting)) do
    look()
  end
end

---@param client vim.lsp.Client
local function wrap_handlers(client)
  local handlers = client.handlers
  local metatable = getmetatable(handlers)
  if metatable and metatable.placet then
    return
  end
  local function handle(method, ...)
    local handler = handlers[method] or vim.lsp.handlers[method]
    is_server_reporting = true
    local done, result = pcall(handler, ...)
    is_server_reporting = false
    if not done then
      error(result, 0)
    end
    return result
  end
  client.handlers = setmetatable({
    [PULL] = function(...)
      return handle(PULL, ...)
    end,
    [PUBLISH] = function(failure, params, ...)
      local result = handle(PUBLISH, failure, params, ...)
      if params and params.uri then
        local version = type(params.version) == 'number' and params.version or nil
        diagnostics_freshness.published(client.id, M.path(params.uri), version)
        M.wake()
      end
      return result
    end,
  }, { __index = handlers, placet = true })
end

---Return the LSP version of a buffer's text, or nil without an attached server.
---@param bufnr integer
---@return integer?
local function version_of(bufnr)
  return #vim.lsp.get_clients({ bufnr = bufnr }) > 0 and vim.lsp.util.buf_versions[bufnr] or nil
end

---@param namespace integer
local function is_of_server(namespace)
  return vim.diagnostic.get_namespace(namespace).name:match('^n?vim%.lsp%.') ~= nil
end

---@param bufnr integer
---@return table<integer, boolean> namespaces with diagnostics in the buffer; true for linters
local function linters_with_diagnostics(bufnr)
  local by_namespace = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if diagnostic.namespace and by_namespace[diagnostic.namespace] == nil then
      by_namespace[diagnostic.namespace] = not is_of_server(diagnostic.namespace)
    end
  end
  return by_namespace
end

---Return the namespace of the linter that reported. The event of an empty report names no namespace. Then the
---reporter is the only linter whose diagnostics have disappeared, or the only linter. With several candidates
---the result is nil.
---@param bufnr integer
---@param diagnostics vim.Diagnostic[]
---@return integer? namespace of a linter
local function reporter(bufnr, diagnostics)
  if diagnostics[1] then
    local namespace = assert(diagnostics[1].namespace)
    return not is_of_server(namespace) and namespace or nil
  elseif is_server_reporting or not linters[bufnr] then
    return nil
  end
  local now = linters_with_diagnostics(bufnr)
  local silent, cleared = {}, {}
  for namespace, linter in pairs(linters[bufnr]) do
    if not now[namespace] then
      table.insert(linter.had_diagnostics and cleared or silent, namespace)
    end
  end
  local candidates = #cleared > 0 and cleared or silent
  return #candidates == 1 and candidates[1] or nil
end

---@param bufnr integer
---@param diagnostics vim.Diagnostic[]
local function on_diagnostics(bufnr, diagnostics)
  local namespace = reporter(bufnr, diagnostics)
  if namespace then
    linters[bufnr] = linters[bufnr] or {}
    linters[bufnr][namespace] =
      { version = version_of(bufnr), reported_at = vim.uv.now(), had_diagnostics = #diagnostics > 0 }
    M.wake()
  end
end

---@param data {client_id: integer, method: string, params: table}
local function on_notify(data)
  local document = type(data.params) == 'table' and data.params.textDocument
  if not document then
    return
  end
  if data.method == 'textDocument/didOpen' or data.method == 'textDocument/didChange' then
    diagnostics_freshness.sent(data.client_id, M.path(document.uri), document.version)
    M.wake()
  elseif data.method == 'textDocument/didClose' then
    diagnostics_freshness.closed(data.client_id, M.path(document.uri))
  end
end

---Record a server that already runs. Its diagnostics are only certain to be fresh if the text never changed.
---@param client vim.lsp.Client
local function record_running(client)
  wrap_handlers(client)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id)
  for bufnr in pairs(client.attached_buffers) do
    local version = vim.lsp.util.buf_versions[bufnr]
    local has_judged = version == 0 and #vim.diagnostic.get(bufnr, { namespace = namespace }) > 0
    diagnostics_freshness.record_running(client.id, M.path(vim.uri_from_bufnr(bufnr)), version, has_judged)
  end
end

---Start recording. Earlier messages are lost, so the recording starts with the first server.
---@param newcomer? integer client that has just opened its first file
function M.start(newcomer)
  if is_started then
    return
  end
  is_started = true
  local group = api.nvim_create_augroup('placet.lsp_events', { clear = true })
  local function on(event, description, callback)
    api.nvim_create_autocmd(event, { group = group, desc = 'Placet: ' .. description, callback = callback })
  end
  on('LspAttach', 'record the messages of a language server', function(event)
    wrap_handlers(assert(vim.lsp.get_client_by_id(event.data.client_id)))
    vim.schedule(M.wake)
  end)
  on('LspNotify', 'record the text sent to a language server', function(event)
    on_notify(event.data)
  end)
  on('LspRequest', 'wake requests whose pull Neovim cancels', function(event)
    local request = event.data.request
    if request.type == 'cancel' and request.method == PULL then
      vim.schedule(M.wake)
    end
  end)
  on('DiagnosticChanged', 'record the reports of linters', function(event)
    on_diagnostics(event.buf, event.data and event.data.diagnostics or {})
  end)
  on('BufWipeout', 'delete the records of a buffer', function(event)
    linters[event.buf] = nil
  end)
  on('LspDetach', 'wake requests waiting for a language server', function(event)
    vim.schedule(function()
      if not vim.lsp.get_client_by_id(event.data.client_id) then
        diagnostics_freshness.forget(event.data.client_id)
      end
      M.wake()
    end)
  end)
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.id == newcomer then
      wrap_handlers(client)
    else
      record_running(client)
    end
  end
end

---Stop recording and restore the handlers of all servers.
function M.stop()
  if not is_started then
    return
  end
  is_started = false
  api.nvim_del_augroup_by_name('placet.lsp_events')
  for _, client in ipairs(vim.lsp.get_clients()) do
    local metatable = getmetatable(client.handlers)
    if metatable and metatable.placet then
      client.handlers = metatable.__index
    end
  end
end

---Return the linters that report on a buffer.
---@param bufnr integer
---@return table<integer, {name: string, version?: integer, reported_at: integer}> by namespace
function M.linters(bufnr)
  local by_namespace = {}
  local function add(namespace, linter)
    local name = vim.diagnostic.get_namespace(namespace).name
    by_namespace[namespace] = { name = name, version = linter.version, reported_at = linter.reported_at }
  end
  for namespace, is_linter in pairs(linters_with_diagnostics(bufnr)) do
    if is_linter then
      add(namespace, { reported_at = 0 })
    end
  end
  for namespace, linter in pairs(linters[bufnr] or {}) do
    add(namespace, linter)
  end
  return by_namespace
end

---Call `wait_ms` after each event, until its result is 0 or the time is up.
---@param timeout_ms integer
---@param wait_ms fun(): integer? milliseconds to wait; 0: done, nil: wait for the next event
---@param finish fun(timed_out: boolean)
---@return fun() cancel
function M.wait(timeout_ms, wait_ms, finish)
  local timer = assert(vim.uv.new_timer())
  local deadline = vim.uv.now() + timeout_ms
  local key = {}
  local function stop()
    waiting[key] = nil
    if not timer:is_closing() then
      timer:close()
    end
  end
  local function look()
    if timer:is_closing() then
      return
    end
    local left, wait = deadline - vim.uv.now(), wait_ms()
    if wait == 0 or left <= 0 then
      stop()
      finish(wait ~= 0)
    else
      timer:start(math.min(wait or left, left), 0, vim.schedule_wrap(look))
    end
  end
  waiting[key] = look
  look()
  return stop
end

return M
