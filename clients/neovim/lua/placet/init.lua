---Placet in Neovim: what a user's configuration may call. See :help placet.
local M = {}

---Store options; calling it is not needed. `vim.g.placet` does the same.
---@param opts? placet.Opts
function M.setup(opts)
  require('placet.config').store(opts)
end

---What Placet is doing, for a statusline; '' when there is nothing to say.
---@return string
function M.status()
  return package.loaded['placet.status'] and require('placet.status').text() or ''
end

---@class placet.Range lines of a buffer, 1-based, both ends included
---@field bufnr integer
---@field first integer
---@field last integer

---Ask. The answer appears in the session's Markdown buffer.
---@param text string
---@param range? placet.Range
function M.prompt(text, range)
  local client = require('placet.client')
  local parts = { { type = 'text', text = text } }
  if range then
    table.insert(parts, {
      type = 'file',
      uri = vim.uri_from_bufnr(range.bufnr),
      range = { start = range.first, ['end'] = range.last },
    })
  end
  client.with_session(function(daemon, session_id)
    require('placet.chat').show(session_id)
    client.request(daemon, 'agent/prompt', { sessionId = session_id, parts = parts }, function(result)
      if result.error then
        client.complain(result.error.message)
      end
    end)
  end)
end

---Have what is diagnosed at the cursor, or on the lines, mended.
---@param range? placet.Range
function M.fix(range)
  require('placet.diagnosed').ask('fix', range)
end

---Have what is diagnosed at the cursor explained; on lines without a diagnostic, the lines.
---@param range? placet.Range
function M.explain(range)
  require('placet.diagnosed').ask('explain', range)
end

---Open what waits for the user's answer.
function M.review()
  require('placet.permission').review()
end

---Show the session's page.
function M.chat()
  require('placet.client').with_session(function(_, session_id)
    require('placet.chat').show(session_id)
  end)
end

---Stop the turn that is running.
function M.cancel()
  local daemon, session_id = require('placet.client').session()
  if daemon and session_id then
    daemon:notify('agent/cancel', { sessionId = session_id })
  end
end

---Take back the last turn that changed anything; where the user has edited since, the user's text stays.
function M.undo()
  local client = require('placet.client')
  local daemon, session_id = client.session()
  if not daemon or not session_id then
    return vim.notify('Placet: there is nothing to undo')
  end
  client.request(daemon, 'agent/undo', { sessionId = session_id }, function(result)
    local lines = vim.tbl_map(function(file)
      return ('%s: %s'):format(vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.'), file.status)
    end, result.files or {})
    vim.notify('Placet undo: ' .. (#lines > 0 and table.concat(lines, ', ') or 'there was nothing to undo'))
  end)
end

---Sum up the conversation for the model, so that it can go on in less space; the chat keeps all of it.
function M.compact()
  local client = require('placet.client')
  local daemon, session_id = client.session()
  if not daemon or not session_id then
    return vim.notify('Placet: there is nothing to sum up')
  end
  client.request(daemon, 'agent/session/compact', { sessionId = session_id }, function(result)
    local sizes = ('about %d of %d tokens are left'):format(result.tokensAfter, result.tokensBefore)
    vim.notify('Placet compact: ' .. sizes)
  end)
end

---Open the daemon's log.
function M.log()
  require('placet.client').with_session(function(daemon)
    require('placet.client').request(daemon, 'agent/status', vim.empty_dict(), function(status)
      vim.cmd.tabedit(vim.fn.fnameescape(status.log or vim.lsp.log.get_filename()))
    end)
  end)
end

return M
