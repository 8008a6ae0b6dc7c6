---Convert the positions inside any LSP value to another position encoding. The daemon has the same function.
local buffer = require('placet.editor.buffer')

local api = vim.api
local M = {}

---@alias placet.Encoding 'utf-8'|'utf-16'|'utf-32'
---@alias placet.LineOf fun(uri: string, line: integer): string?

---Fields that only the server understands. They stay unchanged.
local OPAQUE = { data = true, arguments = true }

---@param path string
---@return string[]
local function lines_of_file(path)
  local file = io.open(path, 'rb')
  if not file then
    return {}
  end
  local text = file:read('*a') or ''
  file:close()
  return vim.split(text, '\r?\n')
end

---Return a function that reads lines of loaded buffers, else of files. Each file is read once.
---@return placet.LineOf
function M.lines()
  ---@type table<string, integer|string[]> a buffer, or the lines of a file
  local sources = {}
  return function(uri, line)
    if not vim.startswith(uri, 'file:') then
      return nil
    end
    local source = sources[uri]
    if not source then
      source = buffer.find_loaded(uri) or lines_of_file(buffer.path(uri))
      sources[uri] = source
    end
    if type(source) == 'number' then
      return api.nvim_buf_get_lines(source, line, line + 1, false)[1]
    end
    return source[line + 1]
  end
end

---@param position lsp.Position
---@param line string?
---@param from placet.Encoding
---@param to placet.Encoding
---@return lsp.Position
local function convert_position(position, line, from, to)
  if not line then
    return position
  end
  local byte = vim.str_byteindex(line, from, position.character, false)
  return { line = position.line, character = vim.str_utfindex(line, to, byte, false) }
end

---@param value table
---@param otherwise string
---@return string
local function uri_in(value, otherwise)
  local document = value.textDocument
  local named = value.targetUri or value.uri or (type(document) == 'table' and document.uri)
  return type(named) == 'string' and named or otherwise
end

---Return a copy of the value with converted positions. A position belongs to the nearest enclosing `uri`,
---else to the `uri` argument; in `changes` of a WorkspaceEdit to its key. A position on an unknown line stays
---unchanged.
---@param value any
---@param uri string
---@param from placet.Encoding
---@param to placet.Encoding
---@param line_of placet.LineOf
---@return any
function M.convert(value, uri, from, to, line_of)
  if from == to or type(value) ~= 'table' or next(value) == nil then
    return value
  elseif type(value.line) == 'number' and type(value.character) == 'number' then
    return convert_position(value, line_of(uri, value.line), from, to)
  elseif vim.islist(value) then
    return vim.tbl_map(function(item)
      return M.convert(item, uri, from, to, line_of)
    end, value)
  end
  local inner, converted = uri_in(value, uri), {}
  for key, field in pairs(value) do
    if OPAQUE[key] then
      converted[key] = field
    elseif key == 'changes' and type(field) == 'table' then
      converted[key] = vim.empty_dict()
      for named, edits in pairs(field) do
        converted[key][named] = M.convert(edits, named, from, to, line_of)
      end
    else
      -- The origin of a LocationLink lies in the requested document, not in the target document.
      local of = key == 'originSelectionRange' and uri or inner
      converted[key] = M.convert(field, of, from, to, line_of)
    end
  end
  return converted
end

return M
