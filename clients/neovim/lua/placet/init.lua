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

---The facts behind `status()`, for a statusline of your own; nil before Placet was first used.
---@return placet.Status?
function M.details()
  return package.loaded['placet.status'] and require('placet.status').details() or nil
end

---@class placet.Range lines of a buffer, 1-based, both ends included
---@field bufnr integer
---@field first integer
---@field last integer

---@class placet.PromptOptions
---@field queue? 'steer'|'after' while a turn runs: join it, or wait for its end; by default it waits
---@field parts? placet.wire.PromptPart[] more parts for the prompt
---@field session_id? string by default the current session of the project

---What of a buffer goes with a prompt: by its place, or as it stands where it has no name.
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

---Ask. The answer appears in the session's Markdown buffer.
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
      vim.notify('Placet: asked when the turn that runs has ended; `:Placet! …` tells it at once')
    end
  end
  if not options.session_id then
    return sessions.with(ask)
  end
  sessions.with_client_of(options.session_id, function(daemon)
    ask(daemon, options.session_id)
  end)
end

---Ask, or without a text write a prompt in a buffer of its own.
---@param text string
---@param range? placet.Range
---@param queue? 'steer'|'after'
function M.ask(text, range, queue)
  if text ~= '' then
    return M.prompt(text, range, { queue = queue })
  end
  local parts = range and { part_of(range) } or nil
  require('placet.sessions').with(function(_, session_id)
    require('placet.chat').show(session_id)
    require('placet.compose').open(session_id, { parts = parts, queue = queue })
  end)
end

---Put something beside the prompt that is written next: lines, or 'buffer', 'visible', 'diagnostic',
---'diagnostics', 'all-diagnostics', 'quickfix', 'loclist', 'diff', 'staged', 'file', 'file:{path}'. The
---cursor stays where it is.
---@param what string|placet.Range
function M.add(what)
  require('placet.compose').add(what)
end

---Have what is diagnosed at the cursor, or on the lines, mended.
---@param range? placet.Range
function M.fix(range)
  require('placet.commands.code_actions').ask('fix', range)
end

---Have what is diagnosed at the cursor explained; on lines without a diagnostic, the lines.
---@param range? placet.Range
function M.explain(range)
  require('placet.commands.code_actions').ask('explain', range)
end

---Open what waits for the user's answer.
function M.review()
  require('placet.permission').review()
end

---Show the session's page.
function M.chat()
  require('placet.sessions').with(function(_, session_id)
    require('placet.chat').show(session_id)
  end)
end

---Stop the turn that is running.
function M.cancel()
  local daemon, session_id = require('placet.daemon.client').session()
  if daemon and session_id then
    daemon:notify('agent/cancel', { sessionId = session_id })
  end
end

---@param method 'agent/undo'|'agent/redo'
---@param name 'undo'|'redo'
local function take_back(method, name)
  local client = require('placet.daemon.client')
  local daemon, session_id = client.session()
  if not daemon or not session_id then
    return vim.notify(('Placet: there is nothing to %s'):format(name))
  end
  client.request(daemon, method, { sessionId = session_id }, function(result)
    local lines = vim.tbl_map(function(file)
      local path = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.')
      local reason = file.reason and (' (%s)'):format(file.reason) or ''
      return ('%s: %s%s'):format(path, file.status, reason)
    end, result.files or {})
    local nothing = ('there was nothing to %s'):format(name)
    vim.notify(('Placet %s: %s'):format(name, #lines > 0 and table.concat(lines, ', ') or nothing))
  end)
end

---Take back the last turn that changed anything; where the user has edited since, the user's text stays.
function M.undo()
  take_back('agent/undo', 'undo')
end

---Take back the last undo.
function M.redo()
  take_back('agent/redo', 'redo')
end

---Sum up the conversation for the model, so that it can go on in less space; the chat keeps all of it.
function M.compact()
  require('placet.sessions.commands').compact()
end

---Open the daemon's log.
function M.log()
  require('placet.daemon').with(function(daemon)
    require('placet.daemon.client').request(daemon, 'agent/status', vim.empty_dict(), function(status)
      vim.cmd.tabedit(vim.fn.fnameescape(status.log or vim.lsp.log.get_filename()))
    end)
  end)
end

---End the daemons of this Neovim and put away all that Placet shows. The next use starts afresh.
---@param done? fun() called when that has happened
function M.stop(done)
  require('placet.unload').stop(done)
end

return M
