---Switching to a session: the session becomes current, and its chat is shown.
local chat = require('placet.chat')
local daemon_client = require('placet.daemon.client')
local events = require('placet.events')
local sessions = require('placet.sessions')

local M = {}

---Make a session current and show its chat.
---@param client vim.lsp.Client
---@param session_id string
---@param use? fun(session_id: string)
function M.switch(client, session_id, use)
  local since = not chat.is_known(session_id) and 0 or nil
  sessions.load(client, session_id, function()
    sessions.go_on_with(client, session_id)
    events.emit('session_started', client.root_dir, session_id)
    chat.show(session_id)
    if since == 0 then
      -- Replayed events do not contain reverts.
      daemon_client.request(client, 'agent/changes', { sessionId = session_id }, function(result)
        chat.changes(session_id, result.changes)
      end)
    end
    if use then
      use(session_id)
    end
  end)
end

---Fork a session, at its end or before a prompt, and switch to the new session.
---@param client vim.lsp.Client
---@param session_id string
---@param message_id? string
---@param use fun(session_id: string)
function M.fork(client, session_id, message_id, use)
  sessions.fork(client, session_id, message_id, function(copy)
    M.switch(client, copy, use)
  end)
end

---Import a session from JSON, and switch to the new session.
---@param client vim.lsp.Client
---@param text string
---@param use fun(session_id: string)
function M.import(client, text, use)
  sessions.import(client, text, function(session_id)
    M.switch(client, session_id, use)
  end)
end

return M
