---Handlers of requests from the daemon that wait for the user. Each request is answered once. A cancelled
---request closes its windows.
local M = {}

---@alias placet.Respond fun(result: any, error?: lsp.ResponseError)
---@alias placet.RequestHandler fun(params: table, client: vim.lsp.Client, answer: placet.Respond): fun()?

---Functions that close the windows of open requests, by client id and request id.
---@type table<integer, table<any, fun()>>
local open = {}

---Return the JSON-RPC id of the current request. vim.lsp does not pass the id to handlers, so the function
---searches the callers for the message table with these `params`. A request without id cannot be cancelled
---and is closed at the end of its turn.
---@param params table
---@return any?
local function request_id(params)
  for level = 3, 24 do
    local frame = debug.getinfo(level, 'f')
    if not frame then
      return nil
    end
    for index = 1, 60 do
      local name, value = debug.getupvalue(frame.func, index)
      if not name then
        break
      end
      if type(value) == 'table' and rawget(value, 'params') == params and rawget(value, 'id') ~= nil then
        return rawget(value, 'id')
      end
    end
  end
end

---@param code integer
---@param message string
---@return lsp.ResponseError
function M.failure(code, message)
  return vim.lsp.rpc_response_error(code, message)
end

---Return a handler that may answer later. `serve` gets the answer function and returns a function that closes
---its windows.
---@param serve placet.RequestHandler
---@return lsp.Handler
function M.answer_later(serve)
  return function(_, params, ctx)
    local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
    local thread = coroutine.running()
    local id = request_id(params)
    local outcome, waiting

    local function answer(result, failure)
      if outcome then
        return
      end
      outcome = { result, failure }
      if id ~= nil and open[client.id] then
        open[client.id][id] = nil
      end
      if waiting then
        vim.schedule(function()
          assert(coroutine.resume(thread))
        end)
      end
    end

    local close = serve(params, client, answer)
    if not outcome then
      open[client.id] = open[client.id] or {}
      open[client.id][id or params] = function()
        answer(nil, M.failure(vim.lsp.protocol.ErrorCodes.RequestCancelled, 'cancelled'))
        if close then
          close()
        end
      end
      waiting = true
      coroutine.yield()
    end
    return outcome[1], outcome[2]
  end
end

---Return a handler that answers immediately.
---@param serve fun(params: table, client: vim.lsp.Client): any
---@return lsp.Handler
function M.answer_now(serve)
  return function(_, params, ctx)
    return serve(params, assert(vim.lsp.get_client_by_id(ctx.client_id)))
  end
end

---Handler of `$/cancelRequest`.
---@type lsp.Handler
function M.cancel(_, params, ctx)
  local close = (open[ctx.client_id] or {})[params.id]
  if close then
    open[ctx.client_id][params.id] = nil
    close()
  end
end

---Close the windows of all requests of a daemon that has ended.
---@param client_id integer
function M.close_all(client_id)
  local closes = vim.tbl_values(open[client_id] or {})
  open[client_id] = nil
  for _, close in ipairs(closes) do
    close()
  end
end

return M
