---Pull diagnostics by `textDocument/diagnostic`. The answers are not shown.
local lsp_events = require('placet.editor.lsp_events')

local M = {}

---@class placet.Pull
---@field client vim.lsp.Client
---@field bufnr integer
---@field version integer the text asked about
---@field items? lsp.Diagnostic[] answer of the server
---@field request_id? integer of the last attempt
---@field again_at? integer time of the next attempt after a temporary failure

local AGAIN_MS = 100
---Temporary failures: ContentModified, ServerCancelled, RequestCancelled.
local NOT_NOW = { [-32801] = true, [-32802] = true, [-32800] = true }

---@param pull placet.Pull
local function send(pull)
  local client, bufnr = pull.client, pull.bufnr
  pull.items, pull.again_at = nil, nil
  local options = client.server_capabilities.diagnosticProvider
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    identifier = type(options) == 'table' and options.identifier or nil,
  }
  pull.version = vim.lsp.util.buf_versions[bufnr]
  local _, request_id = client:request('textDocument/diagnostic', params, function(failure, report)
    if report and report.items then
      pull.items = report.items
    elseif failure and NOT_NOW[failure.code] then
      pull.again_at = vim.uv.now() + AGAIN_MS
    end
    lsp_events.wake()
  end, bufnr)
  pull.request_id = request_id
end

---Return whether Neovim cancelled the request, as Neovim does before a pull of its own for the buffer. The
---answer to a cancelled request is not passed on by vim.lsp.
---@param pull placet.Pull
---@return boolean
local function is_cancelled(pull)
  local request = pull.request_id and pull.client.requests[pull.request_id]
  return request ~= nil and request.type == 'cancel'
end

---@param client vim.lsp.Client
---@param bufnr integer
---@return placet.Pull
function M.start(client, bufnr)
  local pull = { client = client, bufnr = bufnr, version = -1 }
  send(pull)
  return pull
end

---Return the milliseconds until the version is pulled: 0 for done, nil while the request is open. Repeats the
---request if necessary.
---@param pull placet.Pull
---@param version integer
---@return integer?
function M.wait_ms(pull, version)
  if pull.items and pull.version >= version then
    return 0
  end
  if is_cancelled(pull) then
    pull.again_at = pull.again_at or vim.uv.now() + AGAIN_MS
  end
  local has_moved_on = pull.items and vim.lsp.util.buf_versions[pull.bufnr] >= version
  if has_moved_on or (pull.again_at and vim.uv.now() >= pull.again_at) then
    send(pull)
  end
  return pull.again_at and math.max(1, pull.again_at - vim.uv.now()) or nil
end

return M
