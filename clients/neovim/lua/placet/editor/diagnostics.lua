---`editor/diagnostics`: what the user's own servers say, and whether all of them said it of this text.
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

---@class placet.DiagnosticsSource who judges a file, and how long until its judgement is fresh
---@field name string
---@field wait_ms? integer 0 when it is fresh, nil when only news can tell
---@field pulled? lsp.Diagnostic[] what it answered when asked; else it publishes

---@class placet.AskedFile
---@field uri string
---@field bufnr integer
---@field is_asked boolean by its name; else it is one of all, and nobody is asked or waited for
---@field wanted integer the version to be judged
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
local function judge_of(file, client, quiet_ms)
  if not client.initialized then
    return { name = client.name }
  elseif client:supports_method('textDocument/diagnostic', file.bufnr) then
    if not file.is_asked then
      return { name = client.name }
    end
    local pulled = file.pulls[client.id] or diagnostics_pull.start(client, file.bufnr)
    file.pulls[client.id] = pulled
    local wait = diagnostics_pull.wait_ms(pulled, file.wanted)
    return { name = client.name, wait_ms = wait, pulled = pulled.items }
  elseif client:supports_method('textDocument/didOpen') and diagnostics_freshness.may_judge(client.id) then
    local path = lsp_events.path(vim.uri_from_bufnr(file.bufnr))
    return {
      name = client.name,
      wait_ms = diagnostics_freshness.wait_ms(client.id, path, file.wanted, quiet_ms),
    }
  end
end

---Everyone who judges a file: language servers, then linters.
---@param file placet.AskedFile
---@param quiet_ms integer
---@return placet.DiagnosticsSource[]
---@return table<integer, placet.DiagnosticsSource> by_client
local function judges_of(file, quiet_ms)
  local judges, by_client = {}, {}
  for _, client in ipairs(clients_of(file.bufnr)) do
    local judge = judge_of(file, client, quiet_ms)
    if judge then
      judges[#judges + 1], by_client[client.id] = judge, judge
    end
  end
  for _, linter in vim.spairs(lsp_events.linters(file.bufnr)) do
    if not is_ignored(linter.name) then
      local fresh = linter.version and linter.version >= file.wanted
      local left = math.max(0, quiet_ms - (vim.uv.now() - linter.reported_at))
      judges[#judges + 1] = { name = linter.name, wait_ms = fresh and left or nil }
    end
  end
  return judges, by_client
end

---@param judges placet.DiagnosticsSource[]
---@return integer? wait_ms of the one that takes longest
local function longest(judges)
  local wait = 0
  for _, judge in ipairs(judges) do
    if not judge.wait_ms then
      return nil
    end
    wait = math.max(wait, judge.wait_ms)
  end
  return wait
end

---What is known of a file: what was pulled for this question, and what vim.diagnostic has of all others.
---@param file placet.AskedFile
---@param by_client table<integer, placet.DiagnosticsSource>
---@param encoding placet.Encoding
---@param line_of placet.LineOf
---@return lsp.Diagnostic[]
local function known(file, by_client, encoding, line_of)
  local found, client_of, skipped = {}, {}, {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    local pushed = vim.lsp.diagnostic.get_namespace(client.id)
    local pulled = vim.lsp.diagnostic.get_namespace(client.id, true)
    client_of[pushed], client_of[pulled] = client, client
    skipped[pushed] = client.name == 'placet' or is_ignored(client.name)
    local judge = by_client[client.id]
    skipped[pulled] = skipped[pushed] or (judge and judge.pulled ~= nil)
    for _, item in ipairs(judge and judge.pulled or {}) do
      found[#found + 1] = positions.convert(item, file.uri, client.offset_encoding, encoding, line_of)
    end
  end
  for _, diagnostic in ipairs(vim.diagnostic.get(file.bufnr)) do
    local namespace = assert(diagnostic.namespace)
    local client = client_of[namespace]
    if
      not skipped[namespace] and (client or not is_ignored(vim.diagnostic.get_namespace(namespace).name))
    then
      found[#found + 1] = lsp_diagnostic.from(diagnostic, file.uri, client, encoding, line_of)
    end
  end
  return found
end

---The files asked about that there are, those that are not open loaded; without URIs, those with diagnostics.
---@param params table
---@param client vim.lsp.Client
---@return placet.AskedFile[]
---@return string[] missing URIs of what cannot be loaded
local function asked(params, client)
  local files, missing = {}, {}
  local function add(uri, bufnr, is_asked)
    local wanted = (params.after or {})[uri] or vim.lsp.util.buf_versions[bufnr]
    files[#files + 1] = { uri = uri, bufnr = bufnr, is_asked = is_asked, wanted = wanted, pulls = {} }
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
    -- What was loaded for a question comes and goes with it, and would look like news.
    if not seen[bufnr] and is_file and not hidden_buffers.is_held(bufnr) then
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
    local judges, by_client = judges_of(file, params.quietMs or 0)
    local diagnostics = vim.tbl_filter(function(one)
      return (one.severity or 1) <= least
    end, known(file, by_client, client.offset_encoding, line_of))
    truncated = truncated or #diagnostics > left
    diagnostics = vim.list_slice(diagnostics, 1, left)
    left = left - #diagnostics
    items[#items + 1] = {
      uri = file.uri,
      version = api.nvim_buf_is_loaded(file.bufnr) and buffer.version(file.bufnr, client) or vim.NIL,
      fresh = #judges > 0 and longest(judges) == 0,
      diagnostics = diagnostics,
      providers = vim.tbl_map(function(judge)
        return judge.name
      end, judges),
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
  local files, missing = asked(params, client)
  local function wait_ms()
    local wait = 0
    for _, file in ipairs(files) do
      if file.is_asked then
        local of_file = longest((judges_of(file, params.quietMs or 0)))
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
