---`editor/diagnostics`: what the user's own servers say, and whether it was said of the text asked about.
local buffer = require('placet.buffer')

local api = vim.api
local M = {}

---When a buffer's diagnostics were last set, and what its version was then.
---@type table<integer, {version: integer, moment: number}>
local heard = {}
---Who waits for news: called at every change of diagnostics.
---@type table<table, fun()>
local waiting = {}

---Begin to listen; called when our server is attached to a buffer, and done once.
function M.listen()
  api.nvim_create_autocmd('DiagnosticChanged', {
    group = api.nvim_create_augroup('placet.diagnostics', { clear = true }),
    desc = 'Placet: remember how fresh diagnostics are',
    callback = function(event)
      local client = vim.lsp.get_clients({ name = 'placet', bufnr = event.buf })[1]
      if client then
        heard[event.buf] = { version = buffer.version(event.buf, client), moment = vim.uv.now() }
        for _, wake in pairs(waiting) do
          wake()
        end
      end
    end,
  })
end

---@param bufnr integer
---@param row integer
---@param column integer in bytes
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return lsp.Position
local function position(bufnr, row, column, encoding)
  local line = api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
  if line and encoding ~= 'utf-8' then
    column = vim.str_utfindex(line, encoding, math.min(column, #line), false)
  end
  return { line = row, character = column }
end

---@param diagnostic vim.Diagnostic
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return lsp.Diagnostic
local function to_lsp(diagnostic, encoding)
  local bufnr = assert(diagnostic.bufnr)
  local last_row = diagnostic.end_lnum or diagnostic.lnum
  return {
    range = {
      start = position(bufnr, diagnostic.lnum, diagnostic.col, encoding),
      ['end'] = position(bufnr, last_row, diagnostic.end_col or diagnostic.col, encoding),
    },
    severity = diagnostic.severity,
    message = diagnostic.message,
    source = diagnostic.source,
    code = diagnostic.code,
  }
end

---Whether the diagnostics are of `version` or later and quiet since; else how long it may still take.
---@param bufnr integer
---@param version integer
---@param quiet_ms integer
---@return boolean fresh
---@return integer? wait_ms nil when only news can help
local function freshness(bufnr, version, quiet_ms)
  local last = heard[bufnr]
  if not last or last.version < version then
    return false
  end
  local left = quiet_ms - (vim.uv.now() - last.moment)
  return left <= 0, left > 0 and left or nil
end

---@param uris string[]|vim.NIL|nil
---@return table<string, integer|false> buffer by uri, false for a file without one
local function asked(uris)
  local buffers = {}
  if uris and uris ~= vim.NIL then
    for _, uri in ipairs(uris) do
      buffers[uri] = buffer.find(uri) or false
    end
  else
    for _, diagnostic in ipairs(vim.diagnostic.get()) do
      buffers[vim.uri_from_bufnr(diagnostic.bufnr)] = diagnostic.bufnr
    end
  end
  return buffers
end

---Whether anything but ourselves could report on the buffer, so that waiting makes sense.
---@param bufnr integer
---@param client vim.lsp.Client
local function is_watched(bufnr, client)
  for _, other in ipairs(vim.lsp.get_clients({ bufnr = bufnr })) do
    if other.id ~= client.id then
      return true
    end
  end
  return heard[bufnr] ~= nil
end

---@param params table
---@param client vim.lsp.Client
---@param timed_out boolean
local function collect(params, client, timed_out)
  local own = vim.lsp.diagnostic.get_namespace(client.id)
  local left = params.limit or 200
  local items, truncated = {}, false
  for uri, bufnr in pairs(asked(params.uris)) do
    local found = {}
    local minimum = { min = params.minSeverity or vim.diagnostic.severity.HINT }
    for _, diagnostic in ipairs(bufnr and vim.diagnostic.get(bufnr, { severity = minimum }) or {}) do
      if diagnostic.namespace ~= own then
        if left == 0 then
          truncated = true
          break
        end
        left = left - 1
        found[#found + 1] = to_lsp(diagnostic, client.offset_encoding)
      end
    end
    local wanted = (params.after or {})[uri] or 0
    items[#items + 1] = {
      uri = uri,
      version = bufnr and api.nvim_buf_is_loaded(bufnr) and buffer.version(bufnr, client) or vim.NIL,
      fresh = bufnr ~= false and (freshness(bufnr, wanted, params.quietMs or 0)),
      diagnostics = found,
    }
  end
  return { items = items, timedOut = timed_out, truncated = truncated }
end

---How long until every file waited for may be fresh: 0 when all are, nil when only news can tell.
---@param params table
---@param client vim.lsp.Client
---@return integer? wait_ms
local function wait_ms(params, client)
  local longest = 0
  local buffers = asked(params.uris)
  for uri, version in pairs(params.after or {}) do
    local bufnr = buffers[uri]
    if bufnr and is_watched(bufnr, client) then
      local fresh, wait = freshness(bufnr, version, params.quietMs or 0)
      if not fresh and not wait then
        return nil
      end
      longest = math.max(longest, wait or 0)
    end
  end
  return longest
end

---@type placet.Serve
function M.serve(params, client, answer)
  local timer = assert(vim.uv.new_timer())
  local deadline = vim.uv.now() + (params.timeoutMs or 3000)
  local key = {}
  local function finish(timed_out)
    waiting[key] = nil
    if not timer:is_closing() then
      timer:close()
      answer(collect(params, client, timed_out))
    end
  end
  local function look()
    if timer:is_closing() then
      return
    end
    local left = deadline - vim.uv.now()
    local wait = wait_ms(params, client)
    if wait == 0 then
      finish(false)
    elseif left <= 0 then
      finish(true)
    else
      timer:start(math.min(wait or left, left), 0, vim.schedule_wrap(look))
    end
  end
  waiting[key] = look
  look()
  return function()
    waiting[key] = nil
    if not timer:is_closing() then
      timer:close()
    end
  end
end

return M
