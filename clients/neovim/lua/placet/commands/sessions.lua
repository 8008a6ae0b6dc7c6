---Commands for sessions: pick, rename, fork, delete, search, export and show, and commands for their turns.
local chat = require('placet.chat')
local choices = require('placet.sessions.choices')
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local known = require('placet.sessions.known')
local picker = require('placet.picker')
local popup = require('placet.ui.popup')
local send = require('placet.compose.send')
local sessions = require('placet.sessions')
local starting = require('placet.chat.starting')
local switching = require('placet.chat.switching')
local visible_text = require('placet.ui.visible_text')

local M = {}

---Show a message. Titles and names in the text may come from a model.
---@param text string
local function notify(text)
  vim.notify('Placet: ' .. visible_text.plain(text))
end

---@param session_id string
---@return string
local function title_of(session_id)
  return (known.info(session_id) or {}).title or session_id
end

---@param client vim.lsp.Client
---@param session_id string
local function switch(client, session_id)
  switching.switch(client, session_id, function()
    notify(('switched to session "%s"'):format(title_of(session_id)))
  end)
end

---Switch to a session by title or id, or pick a session of the project.
---@param title string '' to pick
---@param otherwise fun() called if no session has the title
function M.pick(title, otherwise)
  daemon.with(function(client)
    sessions.list(client, '', function(all)
      if title == '' then
        return choices.pick_session(all, known.current(client), 'Session', function(session)
          switch(client, session.id)
        end)
      end
      local named = vim.iter(all):find(function(session)
        return session.title == title or session.id == title
      end)
      if named then
        switch(client, named.id)
      else
        otherwise()
      end
    end)
  end)
end

---Pick a session that contains all words.
---@param words string '' to ask the user
function M.search(words)
  if words == '' then
    return vim.ui.input({ prompt = 'Search sessions for: ' }, function(input)
      if input and vim.trim(input) ~= '' then
        M.search(vim.trim(input))
      end
    end)
  end
  daemon.with(function(client)
    sessions.list(client, words, function(matches)
      if #matches == 0 then
        return notify(('no session of this project contains "%s"'):format(words))
      end
      choices.pick_session(
        matches,
        known.current(client),
        ('Sessions with "%s"'):format(words),
        function(session)
          switch(client, session.id)
        end
      )
    end)
  end)
end

---Start a session, and send the text as its first prompt.
---@param text string '' for no prompt
---@param range? placet.Range
function M.new(text, range)
  daemon.with(function(client)
    sessions.new(client, {}, function(session_id)
      chat.show(session_id)
      if text ~= '' then
        send.prompt(text, range, { session_id = session_id })
      end
    end)
  end)
end

---Return the text of each prompt of a session.
---@param client vim.lsp.Client
---@param session_id string
---@param use fun(prompts: {id: string, text: string}[])
local function prompts_of(client, session_id, use)
  daemon_client.request(client, 'agent/session/load', { sessionId = session_id }, function(result)
    local prompts = {}
    for _, event in ipairs(result.events) do
      local message = event.update.kind == 'user_message' and event.update.message
      if message and not message.steers then
        local first = vim.iter(message.parts):find(function(part)
          return part.type == 'text' and not part.synthetic
        end)
        table.insert(prompts, { id = message.id, text = first and first.text:gsub('%s+', ' ') or message.id })
      end
    end
    use(prompts)
  end)
end

---Fork the session, at its end or before a picked prompt.
---@param picks_prompt boolean
function M.fork(picks_prompt)
  sessions.with_current(function(client, session_id)
    local function fork(message_id)
      switching.fork(client, session_id, message_id, function(copy)
        notify(('session forked as "%s"'):format(title_of(copy)))
      end)
    end
    if not picks_prompt then
      return fork(nil)
    end
    prompts_of(client, session_id, function(prompts)
      picker.pick({
        items = prompts,
        prompt = 'Fork before this prompt',
        kind = 'placet_prompt',
        format = function(prompt)
          return prompt.text
        end,
      }, function(prompt)
        fork(prompt.id)
      end)
    end)
  end)
end

---@param title string '' to ask the user
function M.rename(title)
  sessions.with_current(function(client, session_id)
    local function rename(name)
      sessions.rename(client, session_id, name, function()
        notify(('session renamed to "%s"'):format(name))
      end)
    end
    if title ~= '' then
      return rename(title)
    end
    vim.ui.input({ prompt = 'Session title: ', default = title_of(session_id) }, function(input)
      if input and vim.trim(input) ~= '' then
        rename(vim.trim(input))
      end
    end)
  end)
end

---@param at_once boolean without asking
function M.delete(at_once)
  sessions.with_current(function(client, session_id)
    local title = title_of(session_id)
    local function delete()
      sessions.delete(client, session_id, function()
        notify(('session "%s" deleted'):format(title))
      end)
    end
    if at_once then
      return delete()
    end
    vim.ui.select({ 'Delete', 'Cancel' }, {
      prompt = ('Delete session "%s" with its history? Changed files stay.'):format(
        visible_text.plain(title)
      ),
      kind = 'placet_delete',
    }, function(answer)
      if answer == 'Delete' then
        delete()
      end
    end)
  end)
end

---@param path string
---@param text string
---@param overwrite boolean
local function write(path, text, overwrite)
  local shown = vim.fn.fnamemodify(path, ':~:.')
  if not overwrite and vim.uv.fs_stat(path) then
    return daemon_client.complain(('%s already exists; `:Placet! export` overwrites the file'):format(shown))
  end
  if vim.fn.writefile(vim.split(text, '\n', { plain = true }), path) == 0 then
    notify(('session exported to %s'):format(shown))
  end
end

---Export the session into a window or a file. A file with the ending .json can be imported.
---@param path string '' for a window
---@param overwrite boolean
function M.export(path, overwrite)
  local format = path:match('%.json$') and 'json' or 'markdown'
  sessions.with_current(function(client, session_id)
    sessions.export(client, session_id, format, function(text)
      if path ~= '' then
        return write(vim.fn.fnamemodify(path, ':p'), text, overwrite)
      end
      popup.show('export://' .. session_id, text, 'markdown')
    end)
  end)
end

---@param path string '' to ask the user
function M.import(path)
  if path == '' then
    return vim.ui.input({ prompt = 'Import a session from: ', completion = 'file' }, function(input)
      if input and input ~= '' then
        M.import(input)
      end
    end)
  end
  local read, lines = pcall(vim.fn.readfile, vim.fn.expand(path))
  if not read then
    return daemon_client.complain(('%s cannot be read'):format(path))
  end
  daemon.with(function(client)
    switching.import(client, table.concat(lines, '\n'), function(session_id)
      notify(('imported session "%s"'):format(title_of(session_id)))
    end)
  end)
end

---Show a summary of the session.
function M.summarize()
  sessions.with_current(function(client, session_id)
    notify('summarizing the session …')
    daemon_client.request(client, 'agent/session/summarize', { sessionId = session_id }, function(result)
      popup.show('summary://' .. session_id, result.text, 'markdown')
    end)
  end)
end

---Compact the conversation, so that the model needs fewer tokens. The chat stays complete.
function M.compact()
  sessions.with_current(function(client, session_id)
    daemon_client.request(client, 'agent/session/compact', { sessionId = session_id }, function(result)
      local sizes = ('about %d of %d tokens remain'):format(result.tokensAfter, result.tokensBefore)
      vim.notify('Placet compact: ' .. sizes)
    end)
  end)
end

---Show the chat of the session.
function M.chat()
  local _, root = starting.show()
  sessions.with(function(_, session_id)
    chat.show(session_id)
  end, root)
end

---Cancel the running turn.
function M.cancel()
  local client, session_id = known.session()
  if client and session_id then
    client:notify('agent/cancel', { sessionId = session_id })
  end
end

---@param method 'agent/undo'|'agent/redo'
---@param name 'undo'|'redo'
local function take_back(method, name)
  local nothing = ('nothing to %s'):format(name)
  sessions.with_known(function(client, session_id)
    local params = { sessionId = session_id }
    daemon_client.request(client, method, params, function(result)
      local lines = vim.tbl_map(function(file)
        local path = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.')
        local reason = file.reason and (' (%s)'):format(file.reason) or ''
        return ('%s: %s%s'):format(path, file.status, reason)
      end, result.files or {})
      local text = ('Placet %s: %s'):format(name, #lines > 0 and table.concat(lines, ', ') or nothing)
      vim.notify(visible_text.plain(text))
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

---@param change placet.wire.ListedChange
---@return table[] quickfix items of the change's files
local function items_of(change)
  local when = os.date('%H:%M', math.floor((change.created or 0) / 1000))
  return vim.tbl_map(function(file)
    local state = file.reverted and 'reverted' or change.state
    local author = change.agent and (' by ' .. change.agent) or ''
    return {
      filename = vim.uri_to_fname(file.newUri or file.uri),
      text = ('%s %s, %s%s'):format(when, file.kind, state, author),
    }
  end, change.files or {})
end

---List all files that the session has changed in the quickfix list.
function M.changes()
  sessions.with_known(function(client, session_id)
    daemon_client.request(client, 'agent/changes', { sessionId = session_id }, function(result)
      local items = vim.iter(vim.tbl_map(items_of, result.changes)):flatten():totable()
      if #items == 0 then
        return notify('the session has changed no files')
      end
      vim.fn.setqflist({}, ' ', { title = 'Placet: changes of ' .. title_of(session_id), items = items })
      local window = vim.api.nvim_get_current_win()
      vim.cmd('botright copen')
      vim.api.nvim_set_current_win(window)
    end)
  end, function()
    notify('this project has no session yet')
  end)
end

return M
