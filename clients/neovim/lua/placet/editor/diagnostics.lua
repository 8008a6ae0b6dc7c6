---`editor/diagnostics`: diagnostics of the user's language servers and linters, and whether they are fresh.
local buffer = require('placet.editor.buffer')
local config = require('placet.config')
local hidden_buffers = require('placet.editor.hidden_buffers')
local diagnostics_freshness = require('placet.editor.diagnostics_freshness')
local lsp_events = require('placet.editor.lsp_events')
local lsp_diagnostic = require('placet.editor.lsp_diagnostic')
local positions = require('placet.editor.positions')
local diagnostics_pull = require('placet.editor.diagnostics_pull')

local api = vim.api
local M = {}

---@class placet.DiagnosticsSource server or linter of a file, and the time until its diagnostics are fresh
---@field name string
---@field wait_ms? integer 0: fresh; nil: only a new report can tell
---@field pulled? lsp.Diagnostic[] pulled diagnostics; nil for a server that publishes diagnostics

---@class placet.AskedFile
---@field uri string
---@field bufnr integer
---@field is_asked boolean whether the request names the file; only named files are pulled and waited for
---@field version integer document version
---@field pulls table<integer, placet.Pull> by client id

---@param name string
local function is_ignored(name)
  return vim.list_contains(config.get().ignore_diagnostics, name)
end

---@param bufnr integer
---@return vim.lsp.Client[]
local function clients_of(bufnr)
  local clients = vim.lsp.get_clients({ bufnr = bufnr, _uninitialized = true })
  clients = vim.tbl_filter(function(client)
    return client.name ~= 'placet' and not is_ignored(client.name)
  end, clients)
  table.sort(clients, function(a, b)
    return a.id < b.id
  end)
  return clients
end

---@param file placet.AskedFile
---@param client vim.lsp.Client
---@param quiet_ms integer
---@return placet.DiagnosticsSource?
local function source_of(file, client, quiet_ms)
  if not client.initialized then
    return { name = client.name }
  elseif client:supports_method('textDocument/diagnostic', file.bufnr) then
    if not file.is_asked then
      return { name = client.name }
    end
    local pulled = file.pulls[client.id] or diagnostics_pull.start(client, file.bufnr)
    file.pulls[client.id] = pulled
    local wait = diagnostics_pull.wait_ms(pulled, file.version)
    return { name = client.name, wait_ms = wait, pulled = pulled.items }
  elseif client:supports_method('textDocument/didOpen') and diagnostics_freshness.may_report(client.id) then
    local path = lsp_events.path(vim.uri_from_bufnr(file.bufnr))
    return {
      name = client.name,
      wait_ms = diagnostics_freshness.wait_ms(client.id, path, file.version, quiet_ms),
    }
  end
end

---Return all diagnostics sources of a file: language servers, then linters.
---@param file placet.AskedFile
---@param quiet_ms integer
---@return placet.DiagnosticsSource[]
---@return table<integer, placet.DiagnosticsSource> by_client
local function sources_of(file, quiet_ms)
  local sources, by_client = {}, {}
  for _, client in ipairs(clients_of(file.bufnr)) do
    local source = source_of(file, client, quiet_ms)
    if source then
      sources[#sources + 1], by_client[client.id] = source, source
    end
  end
  for _, linter in vim.spairs(lsp_events.linters(file.bufnr)) do
    if not is_ignored(linter.name) then
      local fresh = linter.version and linter.version >= file.version
      local left = math.max(0, quiet_ms - (vim.uv.now() - linter.reported_at))
      sources[#sources + 1] = { name = linter.name, wait_ms = fresh and left or nil }
    end
  end
  return sources, by_client
end

---@param sources placet.DiagnosticsSource[]
---@return integer? wait_ms of the slowest source
local function longest(sources)
  local wait = 0
  for _, source in ipairs(sources) do
    if not source.wait_ms then
      return nil
    end
    wait = math.max(wait, source.wait_ms)
  end
  return wait
end

---Return the diagnostics of a file: pulled diagnostics, and those of vim.diagnostic for all other sources.
---@param file placet.AskedFile
---@param by_client table<integer, placet.DiagnosticsSource>
---@param encoding placet.Encoding
---@param line_of placet.LineOf
---@return lsp.Diagnostic[]
local function diagnostics_of(file, by_client, encoding, line_of)
  local diagnostics, client_of, skipped = {}, {}, {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    local pushed = vim.lsp.diagnostic.get_namespace(client.id)
    local pulled = vim.lsp.diagnostic.get_namespace(client.id, true)
    client_of[pushed], client_of[pulled] = client, client
    skipped[pushed] = client.name == 'placet' or is_ignored(client.name)
    local source = by_client[client.id]
    skipped[pulled] = skipped[pushed] or (source and source.pulled ~= nil)
    for _, item in ipairs(source and source.pulled or {}) do
      diagnostics[#diagnostics + 1] =
        positions.convert(item, file.uri, client.offset_encoding, encoding, line_of)
    end
  end
  for _, diagnostic in ipairs(vim.diagnostic.get(file.bufnr)) do
    local namespace = assert(diagnostic.namespace)
    local client = client_of[namespace]
    if
      not skipped[namespace] and (client or not is_ignored(vim.diagnostic.get_namespace(namespace).name))
    then
      diagnostics[#diagnostics + 1] = lsp_diagnostic.from(diagnostic, file.uri, client, encoding, line_of)
    end
  end
  return diagnostics
end

---Return the files of the request, loaded if necessary. A request without URIs means all files with
---diagnostics.
---@param params table
---@param client vim.lsp.Client
---@return placet.AskedFile[]
---@return string[] missing URIs of files that cannot be loaded
local function requested_files(params, client)
  local files, missing = {}, {}
  local function add(uri, bufnr, is_asked)
    local version = (params.after or {})[uri] or vim.lsp.util.buf_versions[bufnr]
    files[#files + 1] = { uri = uri, bufnr = bufnr, is_asked = is_asked, version = version, pulls = {} }
  end
  if params.uris and params.uris ~= vim.NIL then
    for _, uri in ipairs(params.uris) do
      local bufnr = hidden_buffers.load(uri, client)
      if bufnr then
        add(uri, bufnr, true)
      else
        missing[#missing + 1] = uri
      end
    end
    return files, missing
  end
  local seen = {}
  for _, diagnostic in ipairs(vim.diagnostic.get()) do
    local bufnr = assert(diagnostic.bufnr)
    local is_file = api.nvim_buf_get_name(bufnr) ~= '' and vim.bo[bufnr].buftype == ''
    -- The diagnostics of a hidden buffer come and go with the buffer, and would look like new diagnostics.
    if not seen[bufnr] and is_file and not hidden_buffers.is_hidden(bufnr) then
      add(vim.uri_from_bufnr(bufnr), bufnr, false)
    end
    seen[bufnr] = true
  end
  return files, missing
end

---@param files placet.AskedFile[]
---@param missing string[]
---@param params table
---@param client vim.lsp.Client
---@param timed_out boolean
local function answer_of(files, missing, params, client, timed_out)
  local left, truncated = params.limit or 200, false
  local least = params.minSeverity or vim.diagnostic.severity.HINT
  local line_of, items = positions.lines(), {}
  for _, file in ipairs(files) do
    local sources, by_client = sources_of(file, params.quietMs or 0)
    local diagnostics = vim.tbl_filter(function(diagnostic)
      return (diagnostic.severity or 1) <= least
    end, diagnostics_of(file, by_client, client.offset_encoding, line_of))
    truncated = truncated or #diagnostics > left
    diagnostics = vim.list_slice(diagnostics, 1, left)
    left = left - #diagnostics
    items[#items + 1] = {
      uri = file.uri,
      version = api.nvim_buf_is_loaded(file.bufnr) and buffer.version(file.bufnr, client) or vim.NIL,
      fresh = #sources > 0 and longest(sources) == 0,
      diagnostics = diagnostics,
      providers = vim.tbl_map(function(source)
        return source.name
      end, sources),
    }
  end
  for _, uri in ipairs(missing) do
    items[#items + 1] = { uri = uri, version = vim.NIL, fresh = false, diagnostics = {}, providers = {} }
  end
  return { items = items, timedOut = timed_out, truncated = truncated }
end

---@type placet.RequestHandler
function M.serve(params, client, answer)
  lsp_events.start()
  local files, missing = requested_files(params, client)
  local function wait_ms()
    local wait = 0
    for _, file in ipairs(files) do
      if file.is_asked then
        local of_file = longest((sources_of(file, params.quietMs or 0)))
        if not of_file then
          return nil
        end
        wait = math.max(wait, of_file, hidden_buffers.arrival_left_ms(file.bufnr))
      end
    end
    return wait
  end

  return lsp_events.wait(params.timeoutMs or 3000, wait_ms, function(timed_out)
    answer(answer_of(files, missing, params, client, timed_out))
  end)
end

return M
