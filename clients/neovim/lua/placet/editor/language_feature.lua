---`editor/languageFeature`: the user's own servers are asked, and their answers merged. Nothing is applied.
local buffer = require('placet.editor.buffer')
local call_hierarchy = require('placet.editor.call_hierarchy')
local hidden_buffers = require('placet.editor.hidden_buffers')
local lsp_events = require('placet.editor.lsp_events')
local merge_results = require('placet.editor.merge_results')
local positions = require('placet.editor.positions')
local server_requests = require('placet.daemon.server_requests')

local M = {}

---What may be asked, and the method by which a server says that it can be.
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
---Two answers would be two changes: the first server that offers it has the say.
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
---@field client vim.lsp.Client who asks: our daemon
---@field uri string the document asked about; '' for none
---@field bufnr? integer
---@field line_of placet.LineOf
---@field waiting integer answers that are still to come
---@field answers table<integer, {result?: any, is_refused?: boolean}> by client id
---@field requests {client: vim.lsp.Client, id: integer}[]

---@param inquiry placet.FeatureRequest
---@param include_starting boolean
---@return vim.lsp.Client[]
local function candidates(inquiry, include_starting)
  local filter = { bufnr = inquiry.bufnr, _uninitialized = include_starting }
  if vim.startswith(inquiry.method, 'callHierarchy/') then
    filter.id = call_hierarchy.client_id(inquiry.params.item) or -1
  end
  local clients = vim.tbl_filter(function(client)
    return client.name ~= 'placet'
  end, vim.lsp.get_clients(filter))
  table.sort(clients, function(a, b)
    return a.id < b.id
  end)
  return clients
end

---@param inquiry placet.FeatureRequest
---@return vim.lsp.Client[]
local function askable(inquiry)
  local clients = vim.tbl_filter(function(client)
    return client:supports_method(OFFERED_BY[inquiry.method], inquiry.bufnr)
  end, candidates(inquiry, false))
  return ONE_ALONE[inquiry.method] and { clients[1] } or clients
end

---Whether the server reports work that has not ended, as reading the project.
---@param client vim.lsp.Client
local function is_loading(client)
  return next(client.progress.pending) ~= nil
end

---@param inquiry placet.FeatureRequest
local function is_starting(inquiry)
  return vim.iter(candidates(inquiry, true)):any(function(client)
    return not client.initialized
  end)
end

---The params as one server has to be asked.
---@param inquiry placet.FeatureRequest
---@param client vim.lsp.Client
---@return table
local function params_for(inquiry, client)
  local params = call_hierarchy.unwrapped(inquiry.params)
  params = positions.convert(
    params,
    inquiry.uri,
    inquiry.client.offset_encoding,
    client.offset_encoding,
    inquiry.line_of
  )
  if inquiry.method == 'textDocument/formatting' then
    local options = {
      tabSize = vim.lsp.util.get_effective_tabstop(inquiry.bufnr),
      insertSpaces = vim.bo[inquiry.bufnr].expandtab,
    }
    params = vim.tbl_deep_extend('force', params, { options = options })
  end
  return params
end

---A server's result in our daemon's encoding.
---@param inquiry placet.FeatureRequest
---@param client vim.lsp.Client
---@param result any
local function converted(inquiry, client, result)
  local function convert(value, uri)
    local from, to = client.offset_encoding, inquiry.client.offset_encoding
    return positions.convert(value, uri, from, to, inquiry.line_of)
  end
  if call_hierarchy.is_of(inquiry.method) and type(result) == 'table' then
    return call_hierarchy.wrapped(inquiry.method, inquiry.params, result, client.id, convert)
  end
  return convert(result, inquiry.uri)
end

---@param inquiry placet.FeatureRequest
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param use fun(failure: lsp.ResponseError?, result: any)
local function ask(inquiry, client, method, params, use)
  inquiry.waiting = inquiry.waiting + 1
  -- Without a buffer: then the changes of all of them are sent first.
  local sent, id = client:request(method, params, function(failure, result)
    inquiry.waiting = inquiry.waiting - 1
    use(failure, result)
    lsp_events.wake()
  end)
  if sent then
    table.insert(inquiry.requests, { client = client, id = id })
  else
    inquiry.waiting = inquiry.waiting - 1
  end
end

---Ask for the edits of actions that come without; the rest stays as it is.
---@param inquiry placet.FeatureRequest
---@param client vim.lsp.Client
---@param actions table[] in the server's encoding; filled here
local function resolve(inquiry, client, actions)
  local asked = 0
  for index, action in ipairs(actions) do
    local is_action = type(action.command) ~= 'string'
    local lacks_edit = not action.edit and not action.disabled and is_action
    if
      lacks_edit
      and asked < MOST_RESOLVED
      and client:supports_method('codeAction/resolve', inquiry.bufnr)
    then
      asked = asked + 1
      ask(inquiry, client, 'codeAction/resolve', action, function(_, resolved)
        actions[index] = type(resolved) == 'table' and resolved or action
      end)
    end
  end
end

---@param inquiry placet.FeatureRequest
---@param client vim.lsp.Client
local function ask_first(inquiry, client)
  ask(inquiry, client, inquiry.method, params_for(inquiry, client), function(failure, result)
    inquiry.answers[client.id] = { result = result, is_refused = failure ~= nil }
    if not failure and inquiry.method == 'textDocument/codeAction' and type(result) == 'table' then
      resolve(inquiry, client, result)
    end
  end)
end

---Versions of the open documents that a result speaks of.
---@param result any
---@param client vim.lsp.Client
---@return table<string, integer>
local function versions(result, client)
  local found = vim.empty_dict()
  local function note(uri)
    local bufnr = found[uri] == nil and vim.startswith(uri, 'file:') and buffer.find_loaded(uri)
    if bufnr and vim.lsp.buf_is_attached(bufnr, client.id) then
      found[uri] = buffer.version(bufnr, client)
    end
  end
  local function look(value)
    for key, one in pairs(type(value) == 'table' and value or {}) do
      if type(key) == 'string' and key:match('^%a+:/') then
        note(key)
      elseif (key == 'uri' or key == 'targetUri') and type(one) == 'string' then
        note(one)
      end
      look(one)
    end
  end
  look(result)
  return found
end

---@param inquiry placet.FeatureRequest
---@param clients vim.lsp.Client[]
local function answer_of(inquiry, clients)
  local results, providers, is_late = {}, {}, false
  for _, client in ipairs(clients) do
    local given = inquiry.answers[client.id]
    if not given then
      is_late = true
    elseif not given.is_refused then
      results[#results + 1] = converted(inquiry, client, given.result)
      providers[#providers + 1] = client.name
    end
  end
  local result = merge_results.merged(inquiry.method, results)
  local status = 'ok'
  if not result then
    if vim.iter(clients):any(is_loading) or is_starting(inquiry) then
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
    versions = versions(result, inquiry.client),
  }
end

---@type placet.RequestHandler
function M.serve(params, client, answer)
  local method, asked = params.method, params.params or {}
  if not OFFERED_BY[method] then
    local message = ('%s cannot be asked through the editor'):format(tostring(method))
    return answer(nil, server_requests.failure(vim.lsp.protocol.ErrorCodes.InvalidParams, message))
  end
  ---@type placet.FeatureRequest
  local inquiry = {
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
    inquiry.bufnr = hidden_buffers.load(inquiry.uri, client)
    if not inquiry.bufnr then
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
    for _, one in ipairs(inquiry.requests) do
      if one.client.requests[one.id] then
        one.client:cancel_request(one.id)
      end
    end
  end
  local function until_served()
    return not is_starting(inquiry) and (inquiry.bufnr and hidden_buffers.arrival_left_ms(inquiry.bufnr) or 0)
      or nil
  end
  local function until_answered()
    return inquiry.waiting == 0 and 0 or nil
  end
  waits[#waits + 1] = lsp_events.wait(timeout_ms, until_served, function()
    clients = askable(inquiry)
    for _, one in ipairs(clients) do
      ask_first(inquiry, one)
    end
    waits[#waits + 1] = lsp_events.wait(math.max(0, deadline - vim.uv.now()), until_answered, function()
      stop()
      answer(answer_of(inquiry, clients))
    end)
  end)
  return stop
end

return M
