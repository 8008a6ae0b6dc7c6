---Ways to a session: requests about sessions, and functions to be called with a daemon and a loaded session.
local config = require('placet.config')
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local events = require('placet.events')
local known = require('placet.sessions.known')
local visible_text = require('placet.ui.visible_text')

local M = {}

---@type table<string, fun(session_id: string)[]> root directory -> callbacks for the first session
local starting = {}

---Load a session in the daemon and update its chat.
---@param client vim.lsp.Client
---@param session_id string
---@param use fun(info: placet.wire.SessionInfo)
---@param since? integer last sessions event; by default the last received event
function M.load(client, session_id, use, since)
  local params = { sessionId = session_id, since = since or known.last_event(session_id) }
  daemon_client.request(client, 'agent/session/load', params, function(result)
    known.apply_loaded(client, result)
    use(known.info(session_id) --[[@as placet.wire.SessionInfo]])
  end, function(failure)
    if failure.message:find('no session', 1, true) then
      known.forget(session_id)
    end
    daemon_client.complain(failure.message)
  end)
end

---Requests that set an option of a session, by the name of the option.
local SETTERS = {
  agent = 'agent/session/setAgent',
  model = 'agent/session/setModel',
  effort = 'agent/session/setEffort',
  profile = 'agent/session/setProfile',
  review = 'agent/session/setReview',
  caution = 'agent/session/setCaution',
}

---Set an option of a session: agent, model and profile from the next turn on, the others also in a running
---turn.
---@param client vim.lsp.Client
---@param session_id string
---@param option 'agent'|'model'|'effort'|'profile'|'review'|'caution'
---@param value? string|integer nil for the default
---@param use? fun(info: placet.wire.SessionInfo)
---@param failed? fun(failure: lsp.ResponseError)
function M.set(client, session_id, option, value, use, failed)
  local params = { sessionId = session_id, [option] = value }
  daemon_client.request(client, SETTERS[option], params, function(info)
    known.store_info(info, client)
    events.emit('bars_outdated', session_id)
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
  local mode = config.default_review()
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
    known.store_info(info, client)
    known.make_current(info.id, client)
    events.emit('session_new', client.root_dir)
    set_default_review(client, info.id, function()
      events.emit('session_started', client.root_dir, info.id)
      use(info.id)
    end)
  end, function(failure)
    daemon_client.complain(failure.message)
    events.emit('session_failed', client.root_dir)
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

---Make a stored session the current session of its project.
---@param client vim.lsp.Client
---@param session_id string
function M.go_on_with(client, session_id)
  known.make_current(session_id, client)
  events.emit('session_chosen', client, session_id)
end

---Call a function with the daemon and the current session of the project, started and loaded if necessary.
---@param use fun(client: vim.lsp.Client, session_id: string)
---@param root? string project; by default the current buffer's
function M.with(use, root)
  daemon.with(function(client)
    local session_id = known.current(client)
    local begun = starting[client.root_dir]
    if not session_id or (begun and begun.client_id == client.id) then
      return begin(client, function(new_id)
        use(client, new_id)
      end)
    end
    if known.current_in(client.root_dir) ~= session_id then
      M.go_on_with(client, session_id)
    end
    if known.running_turn(session_id) and known.is_loaded(session_id, client) then
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
    if known.current(client) or starting[root] then
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
        M.go_on_with(client, info.id)
        local title = visible_text.plain(info.title or info.id)
        vim.notify(('Placet: continuing the session "%s"'):format(title))
        use(client, info.id)
      end)
    end)
  end)
end

---Call a function with the current session. Without a session a message is shown.
---@param use fun(client: vim.lsp.Client, session_id: string)
function M.with_current(use)
  daemon.with(function(client)
    if not known.current(client) then
      return vim.notify('Placet: no current session; `:Placet sessions` lists earlier sessions')
    end
    M.with(use)
  end)
end

---Call a function with the daemon of a session, after loading the session.
---@param session_id string
---@param use fun(client: vim.lsp.Client)
function M.with_client_of(session_id, use)
  local root = known.project_of(session_id)
  local client = vim.iter(vim.lsp.get_clients({ name = 'placet' })):find(function(candidate)
    return root and candidate.initialized and candidate.root_dir == root
  end)
  if client and known.is_loaded(session_id, client) then
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
  end, root)
end

---List the sessions of the project, the last used session first.
---@param client vim.lsp.Client
---@param query string words of the title, a prompt or an answer; '' for all sessions
---@param use fun(sessions: placet.wire.SessionInfo[])
function M.list(client, query, use)
  daemon_client.request(client, 'agent/session/list', { query = query, limit = 200 }, function(result)
    for _, info in ipairs(result.sessions) do
      known.note_to_review(info.id, client.root_dir, info.toReview)
    end
    events.emit('to_review_changed')
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
      known.store_info(info, client)
      events.emit('session_renamed', session_id, info.title)
      if use then
        use()
      end
    end
  )
end

---Fork a session, at its end or before a prompt.
---@param client vim.lsp.Client
---@param session_id string
---@param message_id? string
---@param use fun(session_id: string) called with the new session
function M.fork(client, session_id, message_id, use)
  local params = { sessionId = session_id, messageId = message_id }
  daemon_client.request(client, 'agent/session/fork', params, function(info)
    known.store_info(info, client)
    use(info.id)
  end)
end

---@param client vim.lsp.Client
---@param session_id string
---@param use? fun()
function M.delete(client, session_id, use)
  daemon_client.request(client, 'agent/session/delete', { sessionId = session_id }, function()
    known.forget(session_id)
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

---Import a session from JSON.
---@param client vim.lsp.Client
---@param text string
---@param use fun(session_id: string) called with the new session
function M.import(client, text, use)
  daemon_client.request(client, 'agent/session/import', { text = text }, function(info)
    known.store_info(info, client)
    use(info.id)
  end)
end

return M
