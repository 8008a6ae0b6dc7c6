---Requests of the server that take time: each is answered once, and closed when the server cancels it.
local M = {}

---@alias placet.Respond fun(result: any, error?: lsp.ResponseError)
---@alias placet.RequestHandler fun(params: table, client: vim.lsp.Client, answer: placet.Respond): fun()?

---What closes the UI of each open request: client id -> request id -> function.
---@type table<integer, table<any, fun()>>
local open = {}

---The JSON-RPC id of the request being handled. vim.lsp does not give it to handlers, so it is looked up in
---the message that the caller holds: the table whose `params` are these. Without it a request cannot be
---cancelled by id, and is closed at the end of its turn instead.
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

---A handler that may answer later. `serve` gets the function to answer with and returns what closes its UI.
---@param serve placet.RequestHandler
---@return lsp.Handler
function M.later(serve)
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

---A handler that answers at once.
---@param serve fun(params: table, client: vim.lsp.Client): any
---@return lsp.Handler
function M.now(serve)
  return function(_, params, ctx)
    return serve(params, assert(vim.lsp.get_client_by_id(ctx.client_id)))
  end
end

---The handler of `$/cancelRequest`.
---@type lsp.Handler
function M.cancel(_, params, ctx)
  local close = (open[ctx.client_id] or {})[params.id]
  if close then
    open[ctx.client_id][params.id] = nil
    close()
  end
end

---The server is gone: nothing can be answered any more, and nothing stays on the screen.
---@param client_id integer
function M.close_all(client_id)
  local closes = vim.tbl_values(open[client_id] or {})
  open[client_id] = nil
  for _, close in ipairs(closes) do
    close()
  end
end

return M
