---Merge the results of several language servers. Pure. The daemon has the same rules in
---languages/servers/merging.py.
local M = {}

---Results that cannot be merged: the first result that is not empty is used.
local SINGLE = {
  ['textDocument/signatureHelp'] = true,
  ['textDocument/rename'] = true,
  ['textDocument/formatting'] = true,
}

---Return a text that is equal for equal values.
---@param value any
---@return string
local function text_of(value)
  if type(value) ~= 'table' then
    return type(value) == 'string' and ('%q'):format(value) or tostring(value)
  end
  local pieces = {}
  for key, item in vim.spairs(value) do
    pieces[#pieces + 1] = ('%s=%s'):format(key, text_of(item))
  end
  return ('{%s}'):format(table.concat(pieces, ','))
end

---@param result any
---@return boolean
function M.is_empty(result)
  return result == nil or result == vim.NIL or (type(result) == 'table' and next(result) == nil)
end

---@param hovers lsp.Hover[]
---@return lsp.Hover
local function hover(hovers)
  if #hovers == 1 then
    return hovers[1]
  end
  local contents = {}
  for _, result in ipairs(hovers) do
    local value = result.contents
    for _, piece in ipairs(vim.islist(value) and value or { value }) do
      contents[#contents + 1] = type(piece) == 'table' and piece.kind and piece.value or piece
    end
  end
  return { contents = contents, range = hovers[1].range }
end

---@param method string
---@param results any[] results of the servers
---@return any result nil if all results are empty
function M.merge(method, results)
  results = vim.tbl_filter(function(result)
    return not M.is_empty(result)
  end, results)
  if #results == 0 then
    return nil
  elseif SINGLE[method] then
    return results[1]
  elseif method == 'textDocument/hover' then
    return hover(results)
  end
  local merged, seen = {}, {}
  for _, result in ipairs(results) do
    for _, item in ipairs(vim.islist(result) and result or { result }) do
      local text = text_of(item)
      if not seen[text] then
        seen[text] = true
        merged[#merged + 1] = item
      end
    end
  end
  return merged
end

return M
