---Events by which a room tells the rooms above, which the room itself never calls. placet.subscriptions lists
---the subscribers of each event. Pure.
local M = {}

---@alias placet.Event
---| 'daemon_ready' client: the daemon of a project takes requests
---| 'daemon_failed' root: the daemon of a project has not started
---| 'daemon_ended' root, interrupted: the daemon has ended, and the sessions whose turns it interrupted
---| 'session_info' info: facts about a session have arrived
---| 'session_current' info?: a session has become the current session of its project; nil: a project has none
---| 'session_new' root: an empty session has become the current session of a project
---| 'session_chosen' client, session_id: a stored session has become the current session of its project
---| 'session_started' root, session_id: the session of a project takes prompts
---| 'session_failed' root: the first session of a project has not started
---| 'session_loaded' session_id, events, info: the events of a session were read from the daemon
---| 'session_renamed' session_id, title
---| 'session_forgotten' session_id: a session was deleted
---| 'session_closed' root: the current session of a project was deleted
---| 'to_review_changed': other sessions have more or fewer changes to review
---| 'bars_outdated' session_id: the window bars of a session show old facts
---| 'chat_created' bufnr: a chat buffer was created
---| 'chat_shown' session_id
---| 'chat_forgotten' session_id
---| 'prompt_created' bufnr: a prompt buffer was created
---| 'prompt_arrived' session_id, message: a prompt has come into a chat
---| 'prompts_adopted' provisional, session_id: a session to come has started with an id of its own
---| 'prompts_failed' provisional: a session to come has not started
---| 'requests_changed' count, asked?: number of pending permission requests, and the new request
---| 'nothing_pending': the user wants to open a request, and no request is pending
---| 'change_set_listed' set: the daemon has listed a change set, or the user has changed a comment

---@type table<placet.Event, fun(...)[]>
local subscribers = {}

---Call a function at every future event, after the functions that subscribed earlier.
---@param event placet.Event
---@param use fun(...)
function M.subscribe(event, use)
  subscribers[event] = subscribers[event] or {}
  table.insert(subscribers[event], use)
end

---Call the subscribers of an event in the order of their subscriptions, and return after the last call.
---@param event placet.Event
---@param ... any arguments of the event
function M.emit(event, ...)
  for _, use in ipairs(subscribers[event] or {}) do
    use(...)
  end
end

return M
