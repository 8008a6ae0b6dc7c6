---Convert a Neovim diagnostic to LSP. The server's own fields are kept: quick fixes need `data`.
local positions = require('placet.editor.positions')

local M = {}

---@param diagnostic vim.Diagnostic
---@param uri string
---@param encoding placet.Encoding
---@param line_of placet.LineOf
---@return lsp.Diagnostic
local function of_linter(diagnostic, uri, encoding, line_of)
  local range = {
    start = { line = diagnostic.lnum, character = diagnostic.col },
    ['end'] = {
      line = diagnostic.end_lnum or diagnostic.lnum,
      character = diagnostic.end_col or diagnostic.col,
    },
  }
  return {
    range = positions.convert(range, uri, 'utf-8', encoding, line_of),
    severity = diagnostic.severity,
    message = diagnostic.message,
    source = diagnostic.source,
    code = diagnostic.code,
  }
end

---@param diagnostic vim.Diagnostic
---@param uri string
---@param client vim.lsp.Client? server of the diagnostic; nil for a linter
---@param encoding placet.Encoding the positions wanted
---@param line_of placet.LineOf
---@return lsp.Diagnostic
function M.from(diagnostic, uri, client, encoding, line_of)
  local said = type(diagnostic.user_data) == 'table' and diagnostic.user_data.lsp
  if not client or type(said) ~= 'table' or not said.range then
    return of_linter(diagnostic, uri, encoding, line_of)
  end
  local converted = positions.convert(said, uri, client.offset_encoding, encoding, line_of)
  return vim.tbl_extend('force', converted, {
    severity = diagnostic.severity,
    message = diagnostic.message,
  })
end

return M
