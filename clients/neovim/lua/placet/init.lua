---Placet for Neovim: public functions for the user's configuration. See :help placet.
local M = {}

---Store options. A call is optional: `vim.g.placet` has the same effect.
---@param opts? placet.Opts
function M.setup(opts)
  require('placet.config').store(opts)
end

---Return a short status for a statusline, or '' if Placet is not in use.
---@return string
function M.status()
  return package.loaded['placet.status'] and require('placet.status').text() or ''
end

---Return the values behind `status()`, or nil before the first use of Placet.
---@return placet.Status?
function M.details()
  return package.loaded['placet.status'] and require('placet.status').details() or nil
end

---@class placet.Range lines of a buffer, 1-based, both ends included
---@field bufnr integer
---@field first integer
---@field last integer

---@class placet.PromptOptions
---@field queue? 'steer'|'after' during a turn: join the turn, or wait for its end (default)
---@field parts? placet.wire.PromptPart[] more parts for the prompt
---@field session_id? string by default the current session of the project

---Return the prompt part for a range: file and lines, or the text of a buffer without name.
---@param range placet.Range
---@return placet.wire.PromptPart
local function part_of(range)
  if vim.api.nvim_buf_get_name(range.bufnr) == '' then
    local lines = vim.api.nvim_buf_get_lines(range.bufnr, range.first - 1, range.last, false)
    return { type = 'text', text = '```\n' .. table.concat(lines, '\n') .. '\n```' }
  end
  local lines = { start = range.first, ['end'] = range.last }
  return { type = 'file', uri = vim.uri_from_bufnr(range.bufnr), range = lines }
end

---Send a prompt. The answer appears in the chat.
---@param text string
---@param range? placet.Range
---@param options? placet.PromptOptions
function M.prompt(text, range, options)
  options = options or {}
  local client = require('placet.daemon.client')
  local sessions = require('placet.sessions')
  local parts = text ~= '' and { { type = 'text', text = text } } or {}
  vim.list_extend(parts, range and { part_of(range) } or {})
  vim.list_extend(parts, options.parts or {})
  local function ask(daemon, session_id)
    require('placet.chat').show(session_id)
    local waits = not options.session_id and options.queue ~= 'steer' and sessions.running_turn(session_id)
    local params = { sessionId = session_id, parts = parts, queue = options.queue }
    client.request(daemon, 'agent/prompt', params, function(result)
      if type(result.error) == 'table' then
        client.complain(result.error.message)
      end
    end)
    if waits then
      vim.notify('Placet: prompt queued until the running turn ends; `:Placet! …` steers the running turn')
    end
  end
  if not options.session_id then
    local _, root = require('placet.chat.starting').show(parts)
    return sessions.with(ask, root)
  end
  sessions.with_client_of(options.session_id, function(daemon)
    ask(daemon, options.session_id)
  end)
end

---Send a prompt, or open the prompt buffer if the text is empty.
---@param text string
---@param range? placet.Range
---@param queue? 'steer'|'after'
function M.ask(text, range, queue)
  if text ~= '' then
    return M.prompt(text, range, { queue = queue })
  end
  local parts = range and { part_of(range) } or nil
  local session_id, root = require('placet.chat.starting').show()
  require('placet.compose').open(session_id, { parts = parts, queue = queue })
  require('placet.sessions').with(function() end, root)
end

---Attach context to the next prompt: a range, or 'buffer', 'visible', 'diagnostic', 'diagnostics',
---'all-diagnostics', 'quickfix', 'loclist', 'diff', 'staged', 'file', 'file:{path}'. The cursor stays in its
---window.
---@param context string|placet.Range
function M.add(context)
  require('placet.compose').add(context)
end

---Ask Placet to fix the diagnostics at the cursor or in the range.
---@param range? placet.Range
function M.fix(range)
  require('placet.commands.code_actions').ask('fix', range)
end

---Ask Placet to explain the diagnostics at the cursor or in the range, or the lines if no diagnostics exist.
---@param range? placet.Range
function M.explain(range)
  require('placet.commands.code_actions').ask('explain', range)
end

---Open the next permission request or question.
function M.review()
  require('placet.permission').review()
end

---Show the chat of the session.
function M.chat()
  local _, root = require('placet.chat.starting').show()
  require('placet.sessions').with(function(_, session_id)
    require('placet.chat').show(session_id)
  end, root)
end

---Cancel the running turn.
function M.cancel()
  local daemon, session_id = require('placet.daemon.client').session()
  if daemon and session_id then
    daemon:notify('agent/cancel', { sessionId = session_id })
  end
end

---@param method 'agent/undo'|'agent/redo'
---@param name 'undo'|'redo'
local function take_back(method, name)
  local nothing = ('nothing to %s'):format(name)
  require('placet.sessions').with_known(function(daemon, session_id)
    local params = { sessionId = session_id }
    require('placet.daemon.client').request(daemon, method, params, function(result)
      local lines = vim.tbl_map(function(file)
        local path = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.')
        local reason = file.reason and (' (%s)'):format(file.reason) or ''
        return ('%s: %s%s'):format(path, file.status, reason)
      end, result.files or {})
      local text = ('Placet %s: %s'):format(name, #lines > 0 and table.concat(lines, ', ') or nothing)
      vim.notify(require('placet.ui.visible_text').plain(text))
    end)
  end, function()
    vim.notify('Placet: ' .. nothing)
  end)
end

---Undo the last turn that changed files. Lines that the user has edited since then keep the user's text.
function M.undo()
  take_back('agent/undo', 'undo')
end

---Redo the last undone turn.
function M.redo()
  take_back('agent/redo', 'redo')
end

---Compact the conversation, so that the model needs fewer tokens. The chat stays complete.
function M.compact()
  require('placet.commands.sessions').compact()
end

---Open the daemon's log.
function M.log()
  require('placet.daemon').with(function(daemon)
    require('placet.daemon.client').request(daemon, 'agent/status', vim.empty_dict(), function(status)
      vim.cmd.tabedit(vim.fn.fnameescape(status.log or vim.lsp.log.get_filename()))
    end)
  end)
end

---Stop all daemons of this Neovim and close all windows of Placet. The next use starts the daemons again.
---@param done? fun() called after the stop
function M.stop(done)
  require('placet.unload').stop(done)
end

return M
