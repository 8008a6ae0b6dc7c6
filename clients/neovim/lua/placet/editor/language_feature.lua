---`editor/languageFeature`: ask the user's language servers and merge their results. No result is applied.
local buffer = require('placet.editor.buffer')
local call_hierarchy = require('placet.editor.call_hierarchy')
local hidden_buffers = require('placet.editor.hidden_buffers')
local lsp_events = require('placet.editor.lsp_events')
local merge_results = require('placet.editor.merge_results')
local positions = require('placet.editor.positions')

local M = {}

---Allowed methods, and the method whose server capability is required.
local OFFERED_BY = {
  ['textDocument/definition'] = 'textDocument/definition',
  ['textDocument/typeDefinition'] = 'textDocument/typeDefinition',
  ['textDocument/implementation'] = 'textDocument/implementation',
  ['textDocument/references'] = 'textDocument/references',
  ['textDocument/hover'] = 'textDocument/hover',
  ['textDocument/documentSymbol'] = 'textDocument/documentSymbol',
  ['textDocument/signatureHelp'] = 'textDocument/signatureHelp',
  ['textDocument/rename'] = 'textDocument/rename',
  ['textDocument/codeAction'] = 'textDocument/codeAction',
  ['textDocument/formatting'] = 'textDocument/formatting',
  ['textDocument/prepareCallHierarchy'] = 'textDocument/prepareCallHierarchy',
  ['workspace/symbol'] = 'workspace/symbol',
  ['callHierarchy/incomingCalls'] = 'textDocument/prepareCallHierarchy',
  ['callHierarchy/outgoingCalls'] = 'textDocument/prepareCallHierarchy',
}
---Two results would be two changes, so only the first server is asked.
local ONE_ALONE = { ['textDocument/rename'] = true, ['textDocument/formatting'] = true }
local MOST_RESOLVED = 20

---@return string[]
function M.methods()
  local methods = vim.tbl_keys(OFFERED_BY)
  table.sort(methods)
  return methods
end

---@class placet.FeatureRequest
---@field method string
---@field params table
---@field client vim.lsp.Client daemon that asks
---@field uri string document of the request; '' for none
---@field bufnr? integer
---@field line_of placet.LineOf
---@field waiting integer missing answers
---@field answers table<integer, {result?: any, is_refused?: boolean}> by client id
---@field requests {client: vim.lsp.Client, id: integer}[]

---@param request placet.FeatureRequest
---@param include_starting boolean
---@return vim.lsp.Client[]
local function candidates(request, include_starting)
  local filter = { bufnr = request.bufnr, _uninitialized = include_starting }
  if vim.startswith(request.method, 'callHierarchy/') then
    filter.id = call_hierarchy.client_id(request.params.item) or -1
  end
  local clients = vim.tbl_filter(function(client)
    return client.name ~= 'placet'
  end, vim.lsp.get_clients(filter))
  table.sort(clients, function(a, b)
    return a.id < b.id
  end)
  return clients
end

---@param request placet.FeatureRequest
---@return vim.lsp.Client[]
local function askable(request)
  local clients = vim.tbl_filter(function(client)
    return client:supports_method(OFFERED_BY[request.method], request.bufnr)
  end, candidates(request, false))
  return ONE_ALONE[request.method] and { clients[1] } or clients
end

---Return whether the server reports progress, for example while the server indexes the project.
---@param client vim.lsp.Client
local function is_loading(client)
  return next(client.progress.pending) ~= nil
end

---@param request placet.FeatureRequest
local function is_starting(request)
  return vim.iter(candidates(request, true)):any(function(client)
    return not client.initialized
  end)
end

---Return the params in the position encoding of a server.
---@param request placet.FeatureRequest
---@param client vim.lsp.Client
---@return table
local function params_for(request, client)
  local params = call_hierarchy.unwrapped(request.params)
  params = positions.convert(
    params,
    request.uri,
    request.client.offset_encoding,
    client.offset_encoding,
    request.line_of
  )
  if request.method == 'textDocument/formatting' then
    local options = {
      tabSize = vim.lsp.util.get_effective_tabstop(request.bufnr),
      insertSpaces = vim.bo[request.bufnr].expandtab,
    }
    params = vim.tbl_deep_extend('force', params, { options = options })
  end
  return params
end

---Return a server's result in the position encoding of the daemon.
---@param request placet.FeatureRequest
---@param client vim.lsp.Client
---@param result any
local function converted(request, client, result)
  local function convert(value, uri)
    local from, to = client.offset_encoding, request.client.offset_encoding
    return positions.convert(value, uri, from, to, request.line_of)
  end
  if call_hierarchy.is_of(request.method) and type(result) == 'table' then
    return call_hierarchy.wrapped(request.method, request.params, result, client.id, convert)
  end
  return convert(result, request.uri)
end

---@param request placet.FeatureRequest
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param use fun(failure: lsp.ResponseError?, result: any)
local function send(request, client, method, params, use)
  request.waiting = request.waiting + 1
  -- Without a buffer number vim.lsp sends the pending changes of all buffers first.
  local sent, id = client:request(method, params, function(failure, result)
    request.waiting = request.waiting - 1
    use(failure, result)
    lsp_events.wake()
  end)
  if sent then
    table.insert(request.requests, { client = client, id = id })
  else
    request.waiting = request.waiting - 1
  end
end

---Resolve code actions without edit.
---@param request placet.FeatureRequest
---@param client vim.lsp.Client
---@param actions table[] in the server's encoding; filled here
local function resolve(request, client, actions)
  local asked = 0
  for index, action in ipairs(actions) do
    local is_action = type(action.command) ~= 'string'
    local lacks_edit = not action.edit and not action.disabled and is_action
    if
      lacks_edit
      and asked < MOST_RESOLVED
      and client:supports_method('codeAction/resolve', request.bufnr)
    then
      asked = asked + 1
      send(request, client, 'codeAction/resolve', action, function(_, resolved)
        actions[index] = type(resolved) == 'table' and resolved or action
      end)
    end
  end
end

---@param request placet.FeatureRequest
---@param client vim.lsp.Client
local function send_first(request, client)
  send(request, client, request.method, params_for(request, client), function(failure, result)
    request.answers[client.id] = { result = result, is_refused = failure ~= nil }
    if not failure and request.method == 'textDocument/codeAction' and type(result) == 'table' then
      resolve(request, client, result)
    end
  end)
end

---Return the versions of all open documents in a result.
---@param result any
---@param client vim.lsp.Client
---@return table<string, integer>
local function versions(result, client)
  local by_uri = vim.empty_dict()
  local function note(uri)
    local bufnr = by_uri[uri] == nil and vim.startswith(uri, 'file:') and buffer.find_loaded(uri)
    if bufnr and vim.lsp.buf_is_attached(bufnr, client.id) then
      by_uri[uri] = buffer.version(bufnr, client)
    end
  end
  local function look(value)
    for key, field in pairs(type(value) == 'table' and value or {}) do
      if type(key) == 'string' and key:match('^%a+:/') then
        note(key)
      elseif (key == 'uri' or key == 'targetUri') and type(field) == 'string' then
        note(field)
      end
      look(field)
    end
  end
  look(result)
  return by_uri
end

---@param request placet.FeatureRequest
---@param clients vim.lsp.Client[]
local function answer_of(request, clients)
  local results, providers, is_late = {}, {}, false
  for _, client in ipairs(clients) do
    local answer = request.answers[client.id]
    if not answer then
      is_late = true
    elseif not answer.is_refused then
      results[#results + 1] = converted(request, client, answer.result)
      providers[#providers + 1] = client.name
    end
  end
  local result = merge_results.merge(request.method, results)
  local status = 'ok'
  if not result then
    if vim.iter(clients):any(is_loading) or is_starting(request) then
      status = 'loading'
    elseif is_late then
      status = 'timeout'
    elseif #providers == 0 then
      status = 'noProvider'
    end
  end
  return {
    status = status,
    result = result == nil and vim.NIL or result,
    providers = providers,
    versions = versions(result, request.client),
  }
end

---@type placet.RequestHandler
function M.serve(params, client, answer)
  local method, asked = params.method, params.params or {}
  if not OFFERED_BY[method] then
    local message = ('%s cannot be asked through the editor'):format(tostring(method))
    return answer(nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.InvalidParams, message))
  end
  ---@type placet.FeatureRequest
  local request = {
    method = method,
    params = asked,
    client = client,
    uri = (asked.textDocument or asked.item or {}).uri or '',
    line_of = positions.lines(),
    waiting = 0,
    answers = {},
    requests = {},
  }
  if asked.textDocument then
    request.bufnr = hidden_buffers.load(request.uri, client)
    if not request.bufnr then
      return answer({ status = 'noProvider', result = vim.NIL, providers = {}, versions = vim.empty_dict() })
    end
  end
  lsp_events.start()
  local timeout_ms = params.timeoutMs or 5000
  local deadline = vim.uv.now() + timeout_ms
  local clients, waits = {}, {}

  local function stop()
    for _, cancel in ipairs(waits) do
      cancel()
    end
    for _, sent in ipairs(request.requests) do
      if sent.client.requests[sent.id] then
        sent.client:cancel_request(sent.id)
      end
    end
  end
  local function until_served()
    return not is_starting(request) and (request.bufnr and hidden_buffers.arrival_left_ms(request.bufnr) or 0)
      or nil
  end
  local function until_answered()
    return request.waiting == 0 and 0 or nil
  end
  waits[#waits + 1] = lsp_events.wait(timeout_ms, until_served, function()
    clients = askable(request)
    for _, server in ipairs(clients) do
      send_first(request, server)
    end
    waits[#waits + 1] = lsp_events.wait(math.max(0, deadline - vim.uv.now()), until_answered, function()
      stop()
      answer(answer_of(request, clients))
    end)
  end)
  return stop
end

return M
