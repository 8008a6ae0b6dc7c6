---Known sessions and the current session of each project. Sessions stay sessions when their daemon ends.
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
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
---@type table<string, fun(session_id: string)[]> root directory -> callbacks for the first session
local starting = {}

---Sessions with changes to review, as far as the daemon has told, with the number of files.
---@type table<string, {root: string, files: integer}>
local to_review = {}

---@param session_id string
---@param root string
---@param files? integer
local function note_to_review(session_id, root, files)
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

---@param info placet.wire.SessionInfo
---@param client vim.lsp.Client
local function store_info(info, client)
  local session = remember(info.id, client)
  session.info = vim.tbl_extend('force', session.info, info)
  session.info.backTo, session.info.filesBack, session.info.effort = info.backTo, info.filesBack, info.effort
  if info.usage then
    note_to_review(info.id, session.root, info.toReview)
  end
  require('placet.status').on_session_info(session.info)
end

---@param session_id string
---@param client vim.lsp.Client
local function make_current(session_id, client)
  if current_of[client.root_dir] ~= session_id then
    current_of[client.root_dir] = session_id
    require('placet.status').session_changed(sessions[session_id].info)
  end
end

---Return the project of a chat or prompt buffer.
---@param bufnr integer
---@return string?
function M.root_of(bufnr)
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
  return (M.info(session_id) or {}).review or require('placet.config').get().settings.review
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
  note_to_review(update.sessionId, root, update.files)
  require('placet.status').to_review_changed()
end

---Return the running turn of a session.
---@param session_id string
---@return string? turn_id
function M.running_turn(session_id)
  return sessions[session_id] and sessions[session_id].turn
end

---Apply the events of a loaded session.
---@param client vim.lsp.Client
---@param result placet.wire.LoadedSession
local function apply_loaded(client, result)
  local session_id = result.session.id
  local session = remember(session_id, client)
  store_info(result.session, client)
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

---Load a session in the daemon and update its chat.
---@param client vim.lsp.Client
---@param session_id string
---@param use fun(info: placet.wire.SessionInfo)
---@param since? integer last sessions event; by default the last received event
function M.load(client, session_id, use, since)
  local session = sessions[session_id]
  local params = { sessionId = session_id, since = since or (session and session.seq or 0) }
  daemon_client.request(client, 'agent/session/load', params, function(result)
    apply_loaded(client, result)
    use(sessions[session_id].info)
  end, function(failure)
    if failure.message:find('no session', 1, true) then
      M.forget(session_id)
    end
    daemon_client.complain(failure.message)
  end)
end

---Requests that set an option of a session, by the name of the option.
local SETTERS = {
  agent = 'agent/session/setAgent',
  model = 'agent/session/setModel',
  effort = 'agent/session/setEffort',
  review = 'agent/session/setReview',
  caution = 'agent/session/setCaution',
}

---Set an option of a session: agent and model from the next turn on, the others also in a running turn.
---@param client vim.lsp.Client
---@param session_id string
---@param option 'agent'|'model'|'effort'|'review'|'caution'
---@param value? string|integer nil for the default
---@param use? fun(info: placet.wire.SessionInfo)
---@param failed? fun(failure: lsp.ResponseError)
function M.set(client, session_id, option, value, use, failed)
  local params = { sessionId = session_id, [option] = value }
  daemon_client.request(client, SETTERS[option], params, function(info)
    store_info(info, client)
    require('placet.compose.winbar').refresh(session_id)
    if use then
      use(info)
    end
  end, failed)
end

---Set the way of reviewing that the user's options name for new sessions. The way belongs to the session and
---not to the daemon's settings, because editors without a view of the change set may share the daemon.
---@param client vim.lsp.Client
---@param session_id string
---@param use fun()
local function set_default_review(client, session_id, use)
  local mode = require('placet.config').default_review()
  if not mode then
    return use()
  end
  M.set(client, session_id, 'review', mode, use, function(failure)
    daemon_client.complain(failure.message)
    use()
  end)
end

---Start a session and make the session current.
---@param client vim.lsp.Client
---@param params {agent?: string, model?: string, title?: string}
---@param use fun(session_id: string)
---@param failed? fun()
function M.new(client, params, use, failed)
  local asked = next(params) and params or vim.empty_dict()
  daemon_client.request(client, 'agent/session/new', asked, function(info)
    store_info(info, client)
    make_current(info.id, client)
    require('placet.change_set').clear(client.root_dir)
    set_default_review(client, info.id, function()
      require('placet.chat.starting').finish(client.root_dir, info.id)
      use(info.id)
    end)
  end, function(failure)
    daemon_client.complain(failure.message)
    require('placet.chat.starting').failed(client.root_dir)
    if failed then
      failed()
    end
  end)
end

---Start the first session of a project. Calls during the start get the same session.
---@param client vim.lsp.Client
---@param use fun(session_id: string)
local function begin(client, use)
  local root = client.root_dir
  local waiting = starting[root]
  if waiting and waiting.client_id == client.id then
    return table.insert(waiting, use)
  end
  waiting = { use, client_id = client.id }
  starting[root] = waiting
  M.new(client, {}, function(session_id)
    starting[root] = nil
    for _, callback in ipairs(waiting) do
      callback(session_id)
    end
  end, function()
    starting[root] = nil
  end)
end

---Call a function with the daemon and the current session of the project, started and loaded if necessary.
---@param use fun(client: vim.lsp.Client, session_id: string)
---@param root? string project; by default the current buffer's
function M.with(use, root)
  daemon.with(function(client)
    local session_id = M.current(client)
    local begun = starting[client.root_dir]
    if not session_id or (begun and begun.client_id == client.id) then
      return begin(client, function(new_id)
        use(client, new_id)
      end)
    end
    local session = sessions[session_id]
    if current_of[client.root_dir] ~= session_id then
      make_current(session_id, client)
      require('placet.change_set').refresh(client, session_id)
    end
    if session.turn and session.client_id == client.id then
      return use(client, session_id)
    end
    M.load(client, session_id, function()
      use(client, session_id)
    end)
  end, root)
end

---Call a function with the daemon and the current session of the project. A Neovim without a current session
---asks the daemon: the session that was used last becomes current, as with `:Placet sessions`.
---@param use fun(client: vim.lsp.Client, session_id: string)
---@param none fun() called if the project has no session
---@param prefers_review? boolean whether a session with changes to review goes before the one used last
function M.with_known(use, none, prefers_review)
  daemon.with(function(client)
    local root = client.root_dir
    if M.current(client) or starting[root] then
      return M.with(use, root)
    end
    M.list(client, '', function(all)
      local waiting = prefers_review
        and vim.iter(all):find(function(info)
          return (info.toReview or 0) > 0
        end)
      local chosen = waiting or all[1]
      if not chosen then
        return none()
      end
      M.load(client, chosen.id, function(info)
        make_current(info.id, client)
        require('placet.change_set').refresh(client, info.id)
        local title = require('placet.ui.visible_text').plain(info.title or info.id)
        vim.notify(('Placet: continuing the session "%s"'):format(title))
        use(client, info.id)
      end)
    end)
  end)
end

---Call a function with the daemon of a session, after loading the session.
---@param session_id string
---@param use fun(client: vim.lsp.Client)
function M.with_client_of(session_id, use)
  local session = sessions[session_id]
  local client = vim.iter(vim.lsp.get_clients({ name = 'placet' })):find(function(client)
    return session and client.initialized and client.root_dir == session.root
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

---Make a session current and show its chat.
---@param client vim.lsp.Client
---@param session_id string
---@param use? fun(session_id: string)
function M.switch(client, session_id, use)
  local chat = require('placet.chat')
  local since = not chat.is_known(session_id) and 0 or nil
  M.load(client, session_id, function()
    make_current(session_id, client)
    require('placet.change_set').refresh(client, session_id)
    require('placet.chat.starting').finish(client.root_dir, session_id)
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

---List the sessions of the project, the last used session first.
---@param client vim.lsp.Client
---@param query string words of the title, a prompt or an answer; '' for all sessions
---@param use fun(sessions: placet.wire.SessionInfo[])
function M.list(client, query, use)
  daemon_client.request(client, 'agent/session/list', { query = query, limit = 200 }, function(result)
    for _, info in ipairs(result.sessions) do
      note_to_review(info.id, client.root_dir, info.toReview)
    end
    require('placet.status').to_review_changed()
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
      store_info(info, client)
      require('placet.chat').rename(session_id, info.title)
      if use then
        use()
      end
    end
  )
end

---Fork a session, at its end or before a prompt. The new session becomes current.
---@param client vim.lsp.Client
---@param session_id string
---@param message_id? string
---@param use? fun(session_id: string)
function M.fork(client, session_id, message_id, use)
  local params = { sessionId = session_id, messageId = message_id }
  daemon_client.request(client, 'agent/session/fork', params, function(info)
    store_info(info, client)
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

---Export a session as text.
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

---Import a session from JSON. The new session becomes current.
---@param client vim.lsp.Client
---@param text string
---@param use? fun(session_id: string)
function M.import(client, text, use)
  daemon_client.request(client, 'agent/session/import', { text = text }, function(info)
    store_info(info, client)
    M.switch(client, info.id, use)
  end)
end

---Forget a deleted session.
---@param session_id string
function M.forget(session_id)
  local session = sessions[session_id]
  sessions[session_id], to_review[session_id] = nil, nil
  require('placet.chat').forget(session_id)
  require('placet.status').forget(session_id)
  if session and current_of[session.root] == session_id then
    current_of[session.root] = nil
    require('placet.change_set').clear(session.root)
    require('placet.status').session_changed(nil)
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
    require('placet.chat').rename(session.info.id, update.title)
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
    require('placet.status').on_session_info(session.info)
  end
end

---Mark all sessions of an ended daemon as not loaded.
---@param client vim.lsp.Client
---@return string[] interrupted sessions with an interrupted turn
function M.on_daemon_exit(client)
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

return M
