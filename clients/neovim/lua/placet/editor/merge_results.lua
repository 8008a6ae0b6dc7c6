---What several servers answer to one question, as one answer. Pure. The daemon's merging.py is its twin.
local M = {}

---What cannot be put together: the first that has something to say, says it.
local SINGLE = {
  ['textDocument/signatureHelp'] = true,
  ['textDocument/rename'] = true,
  ['textDocument/formatting'] = true,
}

---Two values that say the same have the same text.
---@param value any
---@return string
local function text_of(value)
  if type(value) ~= 'table' then
    return type(value) == 'string' and ('%q'):format(value) or tostring(value)
  end
  local pieces = {}
  for key, one in vim.spairs(value) do
    pieces[#pieces + 1] = ('%s=%s'):format(key, text_of(one))
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
  for _, one in ipairs(hovers) do
    local said = one.contents
    for _, piece in ipairs(vim.islist(said) and said or { said }) do
      contents[#contents + 1] = type(piece) == 'table' and piece.kind and piece.value or piece
    end
  end
  return { contents = contents, range = hovers[1].range }
end

---@param method string
---@param results any[] one for each server that answered
---@return any result nil when all are empty
function M.merged(method, results)
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
  local together, seen = {}, {}
  for _, result in ipairs(results) do
    for _, one in ipairs(vim.islist(result) and result or { result }) do
      local text = text_of(one)
      if not seen[text] then
        seen[text] = true
        together[#together + 1] = one
      end
    end
  end
  return together
end

return M
