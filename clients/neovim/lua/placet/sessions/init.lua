---The sessions we know of, and which is current in each project. They outlive the daemon that told of them.
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')

local M = {}

---@class placet.SessionState
---@field info placet.wire.SessionInfo, as far as it is known
---@field root string
---@field seq integer the last event we have seen of it
---@field client_id? integer of the daemon that has it loaded
---@field turn? string the turn that runs

---@type table<string, placet.SessionState>
local known = {}
---@type table<string, string> root directory -> session id
local current_of = {}
---@type table<string, fun(session_id: string)[]> root directory -> who waits for its first session
local beginning = {}

---@param session_id string
---@param client vim.lsp.Client
---@return placet.SessionState
local function note(session_id, client)
  local session = known[session_id]
  if not session then
    session = { info = { id = session_id }, root = client.root_dir, seq = 0 }
    known[session_id] = session
  end
  session.client_id = client.id
  return session
end

---@param info placet.wire.SessionInfo
---@param client vim.lsp.Client
local function learn(info, client)
  local session = note(info.id, client)
  session.info = vim.tbl_extend('force', session.info, info)
  require('placet.status').knows(session.info)
end

---@param session_id string
---@param client vim.lsp.Client
local function make_current(session_id, client)
  if current_of[client.root_dir] ~= session_id then
    current_of[client.root_dir] = session_id
    require('placet.status').session_changed(known[session_id].info)
  end
end

---The session whose page or prompt a buffer is, if it is one of those that take prompts.
---@param bufnr integer
---@return string?
local function session_of(bufnr)
  local chat, compose = package.loaded['placet.chat'], package.loaded['placet.compose']
  local session_id = chat and chat.session_of(bufnr) or compose and compose.session_of(bufnr) or nil
  return session_id and not require('placet.chat.subagents').is_one(session_id) and session_id or nil
end

---The project of the session whose page or prompt a buffer is.
---@param bufnr integer
---@return string?
function M.root_of(bufnr)
  local session = known[session_of(bufnr) or '']
  return session and session.root
end

---The session that prompts go to: that of the page the user is in, else the one last chosen for the project.
---@param client vim.lsp.Client
---@return string? session_id
function M.current(client)
  local here = session_of(vim.api.nvim_get_current_buf())
  if here and known[here] and known[here].root == client.root_dir then
    return here
  end
  return current_of[client.root_dir]
end

---What is known of a session.
---@param session_id string
---@return placet.wire.SessionInfo? info of a session that was only heard of, not all of it
function M.info(session_id)
  return known[session_id] and known[session_id].info
end

---The turn that runs in a session, if one does.
---@param session_id string
---@return string? turn_id
function M.running_turn(session_id)
  return known[session_id] and known[session_id].turn
end

---Take in what happened in a session while it was loaded elsewhere, or before.
---@param client vim.lsp.Client
---@param result placet.wire.LoadedSession
local function take(client, result)
  local session_id = result.session.id
  local session = note(session_id, client)
  learn(result.session, client)
  for _, event in ipairs(result.events) do
    session.seq = math.max(session.seq, event.seq or 0)
    if event.update.kind == 'turn_started' then
      session.turn = event.update.turnId
    elseif event.update.kind == 'turn_ended' then
      session.turn = nil
    end
  end
  if #result.events > 0 then
    require('placet.chat').replay(session_id, result.events, result.session)
    require('placet.status').replayed(session_id, result.events)
  end
end

---Have the daemon open a session, and our page of it brought up to date.
---@param client vim.lsp.Client
---@param session_id string
---@param use fun(info: placet.wire.SessionInfo)
---@param since? integer the last event that is known; by default what we have seen
function M.load(client, session_id, use, since)
  local session = known[session_id]
  local params = { sessionId = session_id, since = since or (session and session.seq or 0) }
  daemon_client.request(client, 'agent/session/load', params, function(result)
    take(client, result)
    use(known[session_id].info)
  end, function(failure)
    if failure.message:find('no session', 1, true) then
      M.forget(session_id)
    end
    daemon_client.complain(failure.message)
  end)
end

---Begin a session and make it the current one.
---@param client vim.lsp.Client
---@param params {agent?: string, model?: string, title?: string}
---@param use fun(session_id: string)
function M.new(client, params, use)
  local asked = next(params) and params or vim.empty_dict()
  daemon_client.request(client, 'agent/session/new', asked, function(info)
    learn(info, client)
    make_current(info.id, client)
    use(info.id)
  end)
end

---The first session of a project; who asks for it meanwhile gets the same.
---@param client vim.lsp.Client
---@param use fun(session_id: string)
local function begin(client, use)
  local root = client.root_dir
  local waiting = beginning[root]
  if waiting and waiting.client_id == client.id then
    return table.insert(waiting, use)
  end
  waiting = { use, client_id = client.id }
  beginning[root] = waiting
  M.new(client, {}, function(session_id)
    beginning[root] = nil
    for _, one in ipairs(waiting) do
      one(session_id)
    end
  end)
end

---Do something with the daemon and the current session of this project, both made when first needed.
---What another Neovim has added to the session, or a daemon that died has left behind, is taken in first.
---@param use fun(client: vim.lsp.Client, session_id: string)
function M.with(use)
  daemon.with(function(client)
    local session_id = M.current(client)
    if not session_id then
      return begin(client, function(begun)
        use(client, begun)
      end)
    end
    local session = known[session_id]
    if session.turn and session.client_id == client.id then
      return use(client, session_id)
    end
    M.load(client, session_id, function()
      use(client, session_id)
    end)
  end)
end

---Do something with the daemon of a session, wherever the user is; the session is loaded there first.
---@param session_id string
---@param use fun(client: vim.lsp.Client)
function M.with_client_of(session_id, use)
  local session = known[session_id]
  local client = vim.iter(vim.lsp.get_clients({ name = 'placet' })):find(function(one)
    return session and one.initialized and one.root_dir == session.root
  end)
  if client and session.client_id == client.id then
    return use(client)
  elseif client then
    return M.load(client, session_id, function()
      use(client)
    end)
  end
  daemon.with(function(started)
    M.load(started, session_id, function()
      use(started)
    end)
  end, session and session.root)
end

---Have the page of a session say which changes were taken back, of which a replay tells nothing.
---@param client vim.lsp.Client
---@param session_id string
local function tell_taken_back(client, session_id)
  daemon_client.request(client, 'agent/changes', { sessionId = session_id }, function(result)
    require('placet.chat').changes(session_id, result.changes)
  end)
end

---Make a session the current one and show it.
---@param client vim.lsp.Client
---@param session_id string
---@param use? fun(session_id: string)
function M.switch(client, session_id, use)
  local chat = require('placet.chat')
  local since = not chat.is_known(session_id) and 0 or nil
  M.load(client, session_id, function()
    make_current(session_id, client)
    chat.show(session_id)
    if since == 0 then
      tell_taken_back(client, session_id)
    end
    if use then
      use(session_id)
    end
  end)
end

---The sessions of the project, the one last used first.
---@param client vim.lsp.Client
---@param query string words that are in its title, a prompt or an answer; '' for all
---@param use fun(sessions: placet.wire.SessionInfo[])
function M.list(client, query, use)
  daemon_client.request(client, 'agent/session/list', { query = query, limit = 200 }, function(result)
    use(result.sessions)
  end)
end

---@param client vim.lsp.Client
---@param session_id string
---@param title string
---@param use? fun()
function M.rename(client, session_id, title, use)
  daemon_client.request(
    client,
    'agent/session/rename',
    { sessionId = session_id, title = title },
    function(info)
      learn(info, client)
      require('placet.chat').rename(session_id, info.title)
      if use then
        use()
      end
    end
  )
end

---A new session with what was said in another, with all or up to before a prompt of it; it becomes current.
---@param client vim.lsp.Client
---@param session_id string
---@param message_id? string
---@param use? fun(session_id: string)
function M.fork(client, session_id, message_id, use)
  local params = { sessionId = session_id, messageId = message_id }
  daemon_client.request(client, 'agent/session/fork', params, function(info)
    learn(info, client)
    M.switch(client, info.id, use)
  end)
end

---@param client vim.lsp.Client
---@param session_id string
---@param use? fun()
function M.delete(client, session_id, use)
  daemon_client.request(client, 'agent/session/delete', { sessionId = session_id }, function()
    M.forget(session_id)
    if use then
      use()
    end
  end)
end

---The session as text.
---@param client vim.lsp.Client
---@param session_id string
---@param format 'markdown'|'json'
---@param use fun(text: string)
function M.export(client, session_id, format, use)
  local params = { sessionId = session_id, format = format }
  daemon_client.request(client, 'agent/session/export', params, function(result)
    use(result.text)
  end)
end

---Begin a session with what was exported as JSON; it becomes the current one.
---@param client vim.lsp.Client
---@param text string
---@param use? fun(session_id: string)
function M.import(client, text, use)
  daemon_client.request(client, 'agent/session/import', { text = text }, function(info)
    learn(info, client)
    M.switch(client, info.id, use)
  end)
end

---Who answers, or with which model, from the next turn on.
---@param client vim.lsp.Client
---@param session_id string
---@param what 'agent'|'model'
---@param name string
---@param use? fun(info: placet.wire.SessionInfo)
function M.choose(client, session_id, what, name, use)
  local method = what == 'agent' and 'agent/session/setAgent' or 'agent/session/setModel'
  daemon_client.request(client, method, { sessionId = session_id, [what] = name }, function(info)
    learn(info, client)
    if use then
      use(info)
    end
  end)
end

---A session that is gone, for us too.
---@param session_id string
function M.forget(session_id)
  local session = known[session_id]
  known[session_id] = nil
  require('placet.chat').forget(session_id)
  require('placet.status').forget(session_id)
  if session and current_of[session.root] == session_id then
    current_of[session.root] = nil
    require('placet.status').session_changed(nil)
  end
end

---@type table<string, fun(session: placet.SessionState, update: table)>
local TOLD = {
  turn_started = function(session, update)
    session.turn = update.turnId
  end,
  turn_ended = function(session)
    session.turn = nil
  end,
  session_info_update = function(session, update)
    session.info.title = update.title
    require('placet.chat').rename(session.info.id, update.title)
  end,
  current_mode_update = function(session, update)
    session.info.agent, session.info.model = update.agent, update.model
  end,
}

---An event of a session, as `agent/update` has it.
---@param session_id string
---@param event table
---@param client_id integer
function M.told(session_id, event, client_id)
  local session = known[session_id]
  if not session then
    local client = vim.lsp.get_client_by_id(client_id)
    if not client then
      return
    end
    session = note(session_id, client)
  end
  session.seq = math.max(session.seq, event.seq or 0)
  local take_in = TOLD[event.update.kind]
  if take_in then
    take_in(session, event.update)
    require('placet.status').knows(session.info)
  end
end

---A daemon is gone. Its sessions are loaded again from the next one when they are needed.
---@param client vim.lsp.Client
---@return string[] interrupted the sessions in which a turn ran
function M.lost(client)
  local interrupted = {}
  for session_id, session in pairs(known) do
    if session.client_id == client.id then
      if session.turn then
        interrupted[#interrupted + 1] = session_id
      end
      session.client_id, session.turn = nil, nil
    end
  end
  return interrupted
end

return M
