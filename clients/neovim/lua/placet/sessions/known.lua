---Known sessions and the current session of each project. Sessions stay sessions when their daemon ends.
local config = require('placet.config')
local daemon = require('placet.daemon')
local events = require('placet.events')
local shown = require('placet.sessions.shown')

local M = {}

---@class placet.SessionState
---@field info placet.wire.SessionInfo, possibly incomplete
---@field root string
---@field seq integer last received event
---@field client_id? integer client of the daemon that has loaded the session
---@field turn? string running turn

---@type table<string, placet.SessionState>
local sessions = {}
---@type table<string, string> root directory -> session id
local current_of = {}
---Sessions with changes to review, as far as the daemon has told, with the number of files.
---@type table<string, {root: string, files: integer}>
local to_review = {}

---Note the number of a session's files to review.
---@param session_id string
---@param root string
---@param files? integer
function M.note_to_review(session_id, root, files)
  to_review[session_id] = (files or 0) > 0 and { root = root, files = files } or nil
end

---@param session_id string
---@param client vim.lsp.Client
---@return placet.SessionState
local function remember(session_id, client)
  local session = sessions[session_id]
  if not session then
    session = { info = { id = session_id }, root = client.root_dir, seq = 0 }
    sessions[session_id] = session
  end
  session.client_id = client.id
  return session
end

---Store the facts about a session that the daemon has sent.
---@param info placet.wire.SessionInfo
---@param client vim.lsp.Client
function M.store_info(info, client)
  local session = remember(info.id, client)
  session.info = vim.tbl_extend('force', session.info, info)
  session.info.backTo, session.info.filesBack = info.backTo, info.filesBack
  session.info.effort, session.info.profile = info.effort, info.profile
  if info.usage then
    M.note_to_review(info.id, session.root, info.toReview)
  end
  events.emit('session_info', session.info)
end

---Make a session the current session of its project.
---@param session_id string
---@param client vim.lsp.Client
function M.make_current(session_id, client)
  if current_of[client.root_dir] ~= session_id then
    current_of[client.root_dir] = session_id
    events.emit('session_current', sessions[session_id].info)
  end
end

---Return the project of a chat or prompt buffer.
---@param bufnr integer
---@return string?
local function root_of(bufnr)
  local session = sessions[shown.session_of(bufnr) or '']
  return session and session.root
end

---Return the session that receives prompts: the session of the current chat buffer, else of the chat in the
---current tab page, else the session chosen last in the project.
---@param client vim.lsp.Client|{root_dir: string}
---@return string? session_id
function M.current(client)
  local function is_of_project(session_id)
    return sessions[session_id] and sessions[session_id].root == client.root_dir
  end
  return shown.here(is_of_project) or current_of[client.root_dir]
end

---Return the session chosen last in a project.
---@param root string
---@return string? session_id
function M.current_in(root)
  return current_of[root]
end

---Return the sessions facts of a session.
---@param session_id string
---@return placet.wire.SessionInfo? info possibly incomplete
function M.info(session_id)
  return sessions[session_id] and sessions[session_id].info
end

---Return the way of reviewing changes of a session, or nil where the daemon's settings decide.
---@param session_id string
---@return placet.ReviewMode?
function M.review_of(session_id)
  return (M.info(session_id) or {}).review or config.get().settings.review
end

---Return the number of other sessions of a project with changes to review, as far as the daemon has told.
---@param root string
---@param session_id? string current session
---@return integer
function M.to_review_elsewhere(root, session_id)
  local count = 0
  for id, review in pairs(to_review) do
    count = count + (id ~= session_id and review.root == root and 1 or 0)
  end
  return count
end

---Apply the event `change_set_update`.
---@param update placet.wire.ChangeSetUpdate
---@param root string
function M.on_change_set(update, root)
  M.note_to_review(update.sessionId, root, update.files)
  events.emit('to_review_changed')
end

---Return the running turn of a session.
---@param session_id string
---@return string? turn_id
function M.running_turn(session_id)
  return sessions[session_id] and sessions[session_id].turn
end

---Return the project of a session.
---@param session_id string
---@return string?
function M.project_of(session_id)
  return sessions[session_id] and sessions[session_id].root
end

---Return the number of the last event of a session that this Neovim has received.
---@param session_id string
---@return integer
function M.last_event(session_id)
  return sessions[session_id] and sessions[session_id].seq or 0
end

---Return the daemon and the current session of the project, if they exist.
---@return vim.lsp.Client?
---@return string?
function M.session()
  local client = daemon.running()
  return client, client and M.current(client)
end

---Return whether a daemon has loaded a session.
---@param session_id string
---@param client vim.lsp.Client
---@return boolean
function M.is_loaded(session_id, client)
  return sessions[session_id] ~= nil and sessions[session_id].client_id == client.id
end

---Apply the answer to `agent/session/load`.
---@param client vim.lsp.Client
---@param result placet.wire.LoadedSession
function M.apply_loaded(client, result)
  local session_id = result.session.id
  local session = remember(session_id, client)
  M.store_info(result.session, client)
  for _, event in ipairs(result.events) do
    session.seq = math.max(session.seq, event.seq or 0)
    if event.update.kind == 'turn_started' then
      session.turn = event.update.turnId
    elseif event.update.kind == 'turn_ended' then
      session.turn = nil
    end
  end
  if #result.events > 0 then
    events.emit('session_loaded', session_id, result.events, result.session)
  end
end

---Forget a deleted session.
---@param session_id string
function M.forget(session_id)
  local session = sessions[session_id]
  sessions[session_id], to_review[session_id] = nil, nil
  events.emit('session_forgotten', session_id)
  if session and current_of[session.root] == session_id then
    current_of[session.root] = nil
    events.emit('session_closed', session.root)
    events.emit('session_current', nil)
  end
end

---@type table<string, fun(session: placet.SessionState, update: table)>
local UPDATES = {
  turn_started = function(session, update)
    session.turn = update.turnId
  end,
  turn_ended = function(session)
    session.turn = nil
  end,
  session_info_update = function(session, update)
    session.info.title = update.title
    events.emit('session_renamed', session.info.id, update.title)
  end,
  session_back = function(session, update)
    session.info.backTo, session.info.filesBack = update.messageId, update.filesBack
  end,
  current_mode_update = function(session, update)
    session.info.agent, session.info.model = update.agent, update.model
  end,
  review_mode_update = function(session, update)
    session.info.review = update.review
  end,
  caution_update = function(session, update)
    session.info.caution = update.caution
  end,
  effort_update = function(session, update)
    session.info.effort = update.effort
  end,
  profile_update = function(session, update)
    session.info.profile = update.profile
  end,
}

---Apply an event of `agent/update`.
---@param session_id string
---@param event table
---@param client_id integer
function M.on_update(session_id, event, client_id)
  local session = sessions[session_id]
  if not session then
    local client = vim.lsp.get_client_by_id(client_id)
    if not client then
      return
    end
    session = remember(session_id, client)
  end
  session.seq = math.max(session.seq, event.seq or 0)
  local apply_update = UPDATES[event.update.kind]
  if apply_update then
    apply_update(session, event.update)
    events.emit('session_info', session.info)
  end
end

---Mark all sessions of an ended daemon as not loaded.
---@param client vim.lsp.Client
---@return string[] interrupted sessions with an interrupted turn
local function on_exit(client)
  local interrupted = {}
  for session_id, session in pairs(sessions) do
    if session.client_id == client.id then
      if session.turn then
        interrupted[#interrupted + 1] = session_id
      end
      session.client_id, session.turn = nil, nil
    end
  end
  return interrupted
end

---Go on with the current session of a daemon that has started again.
---@param client vim.lsp.Client
function M.on_daemon_ready(client)
  local session_id = current_of[client.root_dir]
  if session_id then
    events.emit('session_chosen', client, session_id)
  end
end

daemon.serve_sessions({ root_of = root_of, on_exit = on_exit })

return M
