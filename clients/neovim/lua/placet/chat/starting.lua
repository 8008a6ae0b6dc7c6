---Chat and prompt of a project before its daemon and its first session are ready: shown at once, so that the
---user can write and send meanwhile. A session to come has a provisional id.
local chat = require('placet.chat')
local daemon = require('placet.daemon')
local events = require('placet.events')
local known = require('placet.sessions.known')

local M = {}

local PREFIX = 'starting-'
local STARTING = 'starting…'

---@type table<string, string> root directory -> provisional id of the session to come
local provisional = {}
local count = 0

---@param session_id string
---@return boolean
function M.is_provisional(session_id)
  return vim.startswith(session_id, PREFIX)
end

---Return the project of a session to come.
---@param session_id string
---@return string?
function M.root_of(session_id)
  for root, id in pairs(provisional) do
    if id == session_id then
      return root
    end
  end
end

---Show the chat of a project's session at once, also while the daemon or the session starts.
---@param parts? placet.wire.PromptPart[] prompt that waits for the start
---@return string session_id possibly provisional
---@return string root
function M.show(parts)
  local root = daemon.root_of(vim.api.nvim_get_current_buf())
  local session_id = known.current({ root_dir = root })
  if not session_id then
    if not provisional[root] then
      count = count + 1
      provisional[root] = PREFIX .. count
    end
    session_id = provisional[root]
    chat.note_prompt(session_id, parts or {})
  end
  if M.is_provisional(session_id) or not daemon.running(root) then
    chat.set_start(session_id, STARTING)
  end
  chat.show(session_id)
  return session_id, root
end

---The session of a project has started: its chat and prompt take the places of the provisional ones, and the
---prompts that wait are sent.
---@param root string
---@param session_id string
function M.finish(root, session_id)
  local id = provisional[root]
  provisional[root] = nil
  chat.set_start(session_id, nil)
  if id then
    events.emit('prompts_adopted', id, session_id)
    chat.adopt(id, session_id)
  end
end

---The daemon of a project is ready.
---@param client vim.lsp.Client
function M.ready(client)
  local session_id = known.current_in(client.root_dir)
  if session_id then
    chat.set_start(session_id, nil)
  end
end

---The daemon of a project or its first session has not started. Prompts that wait go back into the input.
---@param root string
function M.failed(root)
  local session_id = provisional[root] or known.current_in(root)
  if not session_id then
    return
  end
  chat.set_start(session_id, 'not started, see :messages')
  if M.is_provisional(session_id) then
    events.emit('prompts_failed', session_id)
  end
end

return M
