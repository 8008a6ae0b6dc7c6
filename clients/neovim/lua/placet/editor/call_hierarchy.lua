---Call hierarchy items. `data` of an item names the client that prepared the item, because only this client
---knows the calls of the item. Pure.
local M = {}

local PREPARE = 'textDocument/prepareCallHierarchy'
---Field of a call that holds the other item.
local SIDES = { ['callHierarchy/incomingCalls'] = 'from', ['callHierarchy/outgoingCalls'] = 'to' }

---@param method string
function M.is_of(method)
  return method == PREPARE or SIDES[method] ~= nil
end

---@param item table?
---@return integer?
function M.client_id(item)
  local data = item and item.data
  return type(data) == 'table' and data.client or nil
end

---Return the params with the server's original item.
---@param params table
---@return table
function M.unwrapped(params)
  if not M.client_id(params.item) then
    return params
  end
  local item = vim.tbl_extend('force', {}, params.item)
  item.data = params.item.data.data
  return vim.tbl_extend('force', params, { item = item })
end

---@param item table
---@param client_id integer
---@return table
local function marked(item, client_id)
  return vim.tbl_extend('force', item, { data = { client = client_id, data = item.data } })
end

---Return a server's result with the client id in each item.
---@param method string
---@param params table
---@param result table[]
---@param client_id integer
---@param convert fun(value: any, uri: string): any
---@return table[]
function M.wrapped(method, params, result, client_id, convert)
  local side = SIDES[method]
  return vim.tbl_map(function(call)
    if not side then
      return marked(convert(call, call.uri), client_id)
    end
    -- The ranges of a call lie in the caller's document.
    local caller = side == 'from' and call.from or params.item
    return {
      [side] = marked(convert(call[side], call[side].uri), client_id),
      fromRanges = convert(call.fromRanges, caller.uri),
    }
  end, result)
end

return M
