---Subscribers of the events of lower rooms. Each subscriber is loaded at its first event.
local events = require('placet.events')

---@class placet.Subscription
---@field [1] string module
---@field [2] string function of the module, called with the arguments of the event
---@field if_loaded? boolean whether a module that is not loaded has nothing to do at the event

---Subscriptions of each event, in the order of the calls.
---@type table<placet.Event, placet.Subscription[]>
local SUBSCRIPTIONS = {
  daemon_ready = {
    { 'placet.chat.starting', 'ready', if_loaded = true },
    { 'placet.sessions.known', 'on_daemon_ready', if_loaded = true },
  },
  daemon_failed = { { 'placet.chat.starting', 'failed' } },
  daemon_ended = {
    { 'placet.status', 'on_daemon_exit' },
    { 'placet.chat', 'stopped', if_loaded = true },
    { 'placet.change_set', 'clear', if_loaded = true },
  },
  session_info = { { 'placet.status', 'on_session_info' } },
  session_current = { { 'placet.status', 'session_changed' } },
  session_new = { { 'placet.change_set', 'clear' } },
  session_chosen = { { 'placet.change_set', 'refresh' } },
  session_started = { { 'placet.chat.starting', 'finish' } },
  session_failed = { { 'placet.chat.starting', 'failed' } },
  session_loaded = {
    { 'placet.chat', 'replay' },
    { 'placet.status', 'replayed' },
  },
  session_renamed = { { 'placet.chat', 'rename', if_loaded = true } },
  session_forgotten = {
    { 'placet.chat', 'forget', if_loaded = true },
    { 'placet.status', 'forget' },
  },
  session_closed = { { 'placet.change_set', 'clear' } },
  to_review_changed = { { 'placet.status', 'to_review_changed' } },
  bars_outdated = { { 'placet.compose.winbar', 'refresh' } },
  chat_created = { { 'placet.keys.chat', 'map' } },
  chat_shown = { { 'placet.compose', 'follow', if_loaded = true } },
  chat_forgotten = { { 'placet.compose', 'forget', if_loaded = true } },
  prompt_created = { { 'placet.keys.prompt', 'map' } },
  prompt_arrived = {
    { 'placet.compose.history', 'note' },
    { 'placet.compose', 'prompt_started', if_loaded = true },
  },
  prompts_adopted = { { 'placet.compose', 'adopt', if_loaded = true } },
  prompts_failed = { { 'placet.compose', 'give_back', if_loaded = true } },
  requests_changed = { { 'placet.status', 'permissions' } },
  nothing_pending = { { 'placet.change_set.opening', 'open_instead' } },
  change_set_listed = {
    { 'placet.change_set.buffer_views', 'renew' },
    { 'placet.change_set.float', 'renew', if_loaded = true },
    { 'placet.change_set.hunk_list', 'renew', if_loaded = true },
    { 'placet.status', 'change_set_changed' },
  },
}

for event, subscriptions in pairs(SUBSCRIPTIONS) do
  for _, subscription in ipairs(subscriptions) do
    local module, name = unpack(subscription)
    events.subscribe(event, function(...)
      if not subscription.if_loaded or package.loaded[module] then
        require(module)[name](...)
      end
    end)
  end
end

return SUBSCRIPTIONS
