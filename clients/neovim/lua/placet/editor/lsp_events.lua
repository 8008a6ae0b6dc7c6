---Hears what language servers are told and what they say, and wakes who waits for it.
local diagnostics_freshness = require('placet.editor.diagnostics_freshness')

local api = vim.api
local M = {}

local PUBLISH, PULL = 'textDocument/publishDiagnostics', 'textDocument/diagnostic'

---@class placet.Linter what reports by a namespace of its own, as nvim-lint does
---@field version? integer the text it last reported on; nil when that is not known
---@field reported_at integer
---@field had_diagnostics boolean

---@type table<integer, table<integer, placet.Linter>> buffer -> namespace
local linters = {}
---Who waits for news.
---@type table<table, fun()>
local waiting = {}
local is_started = false
---A server's own handler is at work: what changes now is not of a linter.
local is_server_speaking = false

---A file's name as all servers have it, however they write its URI.
---@param uri string
---@return string
function M.path(uri)
  return vim.fs.normalize(vim.uri_to_fname(uri))
end

---Have all who wait look again.
function M.wake()
  for _, look in ipairs(vim.tbl_values(waiting)) do
    look()
  end
end

---@param client vim.lsp.Client
local function hear(client)
  local given = client.handlers
  local known = getmetatable(given)
  if known and known.placet then
    return
  end
  local function handle(method, ...)
    local handler = given[method] or vim.lsp.handlers[method]
    is_server_speaking = true
    local done, result = pcall(handler, ...)
    is_server_speaking = false
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
  }, { __index = given, placet = true })
end

---The version that servers know a buffer's text by; nil when none follows it.
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
---@return table<integer, boolean> namespaces that have something to say of the buffer now
local function linters_with_diagnostics(bufnr)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    if diagnostic.namespace and found[diagnostic.namespace] == nil then
      found[diagnostic.namespace] = not is_of_server(diagnostic.namespace)
    end
  end
  return found
end

---Who reported. The event names nobody when the report is empty: then it is the linter that has nothing left
---to say, or the only one there is; where it may be any of several, it is none.
---@param bufnr integer
---@param diagnostics vim.Diagnostic[]
---@return integer? namespace of a linter
local function reporter(bufnr, diagnostics)
  if diagnostics[1] then
    local namespace = assert(diagnostics[1].namespace)
    return not is_of_server(namespace) and namespace or nil
  elseif is_server_speaking or not linters[bufnr] then
    return nil
  end
  local now = linters_with_diagnostics(bufnr)
  local silent, fallen_silent = {}, {}
  for namespace, linter in pairs(linters[bufnr]) do
    if not now[namespace] then
      table.insert(linter.had_diagnostics and fallen_silent or silent, namespace)
    end
  end
  local candidates = #fallen_silent > 0 and fallen_silent or silent
  return #candidates == 1 and candidates[1] or nil
end

---@param bufnr integer
---@param diagnostics vim.Diagnostic[]
local function reported(bufnr, diagnostics)
  local namespace = reporter(bufnr, diagnostics)
  if namespace then
    linters[bufnr] = linters[bufnr] or {}
    linters[bufnr][namespace] =
      { version = version_of(bufnr), reported_at = vim.uv.now(), had_diagnostics = #diagnostics > 0 }
    M.wake()
  end
end

---@param data {client_id: integer, method: string, params: table}
local function told(data)
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

---A server that is at work already. It is certain what it has judged only where the text never changed.
---@param client vim.lsp.Client
local function find(client)
  hear(client)
  local namespace = vim.lsp.diagnostic.get_namespace(client.id)
  for bufnr in pairs(client.attached_buffers) do
    local version = vim.lsp.util.buf_versions[bufnr]
    local has_judged = version == 0 and #vim.diagnostic.get(bufnr, { namespace = namespace }) > 0
    diagnostics_freshness.found(client.id, M.path(vim.uri_from_bufnr(bufnr)), version, has_judged)
  end
end

---Begin to listen; what was said before is lost, so that this is done when the first server comes.
---@param newcomer? integer the client that has just opened its first file
function M.start(newcomer)
  if is_started then
    return
  end
  is_started = true
  local group = api.nvim_create_augroup('placet.listening', { clear = true })
  local function on(event, description, callback)
    api.nvim_create_autocmd(event, { group = group, desc = 'Placet: ' .. description, callback = callback })
  end
  on('LspAttach', 'hear a language server', function(event)
    hear(assert(vim.lsp.get_client_by_id(event.data.client_id)))
    vim.schedule(M.wake)
  end)
  on('LspNotify', 'know what text a language server was told', function(event)
    told(event.data)
  end)
  on('DiagnosticChanged', 'know when a linter reported', function(event)
    reported(event.buf, event.data and event.data.diagnostics or {})
  end)
  on('BufWipeout', 'forget a buffer', function(event)
    linters[event.buf] = nil
  end)
  on('LspDetach', 'wake who waits for a language server', function(event)
    vim.schedule(function()
      if not vim.lsp.get_client_by_id(event.data.client_id) then
        diagnostics_freshness.forget(event.data.client_id)
      end
      M.wake()
    end)
  end)
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.id == newcomer then
      hear(client)
    else
      find(client)
    end
  end
end

---Listen no more; servers' handlers are as they were.
function M.stop()
  if not is_started then
    return
  end
  is_started = false
  api.nvim_del_augroup_by_name('placet.listening')
  for _, client in ipairs(vim.lsp.get_clients()) do
    local heard = getmetatable(client.handlers)
    if heard and heard.placet then
      client.handlers = heard.__index
    end
  end
end

---Those who report on the buffer by namespaces of their own, by name.
---@param bufnr integer
---@return table<integer, {name: string, version?: integer, reported_at: integer}> by namespace
function M.linters(bufnr)
  local found = {}
  local function add(namespace, linter)
    local name = vim.diagnostic.get_namespace(namespace).name
    found[namespace] = { name = name, version = linter.version, reported_at = linter.reported_at }
  end
  for namespace, is_linter in pairs(linters_with_diagnostics(bufnr)) do
    if is_linter then
      add(namespace, { reported_at = 0 })
    end
  end
  for namespace, linter in pairs(linters[bufnr] or {}) do
    add(namespace, linter)
  end
  return found
end

---Look again whenever there is news, until there is nothing left to wait for or the time is up.
---@param timeout_ms integer
---@param wait_ms fun(): integer? how long it may still take: 0 when done, nil when only news can tell
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
