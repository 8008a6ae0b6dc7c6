---`:Placet fix` and `:Placet explain`: send the daemon's code actions for diagnostics as one prompt.
local daemon_client = require('placet.daemon.client')
local lsp_diagnostic = require('placet.editor.lsp_diagnostic')
local positions = require('placet.editor.positions')
local sender = require('placet.compose.send')
local sessions = require('placet.sessions')

local api = vim.api
local M = {}

local TITLES = { fix = '^Fix with Placet', explain = '^Explain with Placet' }
---The daemon offers code actions for this number of diagnostics.
local MOST = 5

---Return the diagnostics of the range, or under the cursor, else of the cursor line, most severe first.
---@param range? placet.Range
---@return vim.Diagnostic[]
local function diagnostics_at(range)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local first, last = range and range.first or row, range and range.last or row
  local on_lines = vim.tbl_filter(function(diagnostic)
    return diagnostic.lnum < last and (diagnostic.end_lnum or diagnostic.lnum) >= first - 1
  end, vim.diagnostic.get(range and range.bufnr or 0))
  local under_cursor = vim.tbl_filter(function(diagnostic)
    local is_after_start = diagnostic.lnum < row - 1 or diagnostic.col <= column
    return is_after_start and (diagnostic.end_lnum > row - 1 or diagnostic.end_col > column)
  end, range and {} or on_lines)
  local diagnostics = #under_cursor > 0 and under_cursor or on_lines
  table.sort(diagnostics, function(a, b)
    return a.severity < b.severity or (a.severity == b.severity and a.lnum < b.lnum)
  end)
  return diagnostics
end

---@param diagnostics vim.Diagnostic[]
---@param uri string
---@param encoding placet.Encoding
---@return lsp.Diagnostic[]
local function as_lsp(diagnostics, uri, encoding)
  local client_of, line_of = {}, positions.lines()
  for _, client in ipairs(vim.lsp.get_clients()) do
    client_of[vim.lsp.diagnostic.get_namespace(client.id)] = client
    client_of[vim.lsp.diagnostic.get_namespace(client.id, true)] = client
  end
  return vim.tbl_map(function(diagnostic)
    return lsp_diagnostic.from(diagnostic, uri, client_of[diagnostic.namespace], encoding, line_of)
  end, diagnostics)
end

---Return code action params with the diagnostics of all servers and linters: vim.lsp only adds the server's
---own.
---@param params lsp.CodeActionParams
---@param encoding placet.Encoding
---@return lsp.CodeActionParams
function M.with_diagnostics(params, encoding)
  local uri, range = params.textDocument.uri, params.range
  if #params.context.diagnostics > 0 then
    return params
  end
  local last = range['end'].line
  local ends_before = last > range.start.line and range['end'].character == 0
  local diagnostics = diagnostics_at({
    bufnr = vim.uri_to_bufnr(uri),
    first = range.start.line + 1,
    last = ends_before and last or last + 1,
  })
  local context =
    vim.tbl_extend('force', params.context, { diagnostics = as_lsp(diagnostics, uri, encoding) })
  return vim.tbl_extend('force', params, { context = context })
end

---@param action 'fix'|'explain'
---@param range? placet.Range
function M.ask(action, range)
  local bufnr = range and range.bufnr or api.nvim_get_current_buf()
  local row = api.nvim_win_get_cursor(0)[1]
  local first, last = range and range.first or row, range and range.last or row
  local diagnostics = diagnostics_at(range)
  if #diagnostics == 0 and action == 'fix' then
    return vim.notify('Placet: no diagnostics at the cursor; describe the problem: `:Placet fix the loop`')
  elseif #diagnostics > MOST then
    vim.notify(('Placet: only the first %d of %d diagnostics are sent'):format(MOST, #diagnostics))
    diagnostics = vim.list_slice(diagnostics, 1, MOST)
  end
  local uri = vim.uri_from_bufnr(bufnr)
  sessions.with(function(daemon)
    local params = {
      textDocument = { uri = uri },
      range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } },
      context = { diagnostics = as_lsp(diagnostics, uri, daemon.offset_encoding), triggerKind = 1 },
    }
    daemon_client.request(daemon, 'textDocument/codeAction', params, function(actions)
      local prompts = {}
      for _, candidate in ipairs(actions or {}) do
        -- If the user means diagnostics, skip the code actions for lines.
        if candidate.title:match(TITLES[action]) and (candidate.diagnostics ~= nil) == (#diagnostics > 0) then
          prompts[#prompts + 1] = candidate.command.arguments[1]
        end
      end
      if #prompts > 0 then
        sender.prompt(table.concat(prompts, '\n'))
      end
    end)
  end)
end

return M
