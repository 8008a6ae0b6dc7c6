---Status of Placet: text for statuslines, the values behind the text, and User autocommands.
local change_set = require('placet.change_set')
local known = require('placet.sessions.known')
local words = require('placet.ui.words')

local M = {}

---@class placet.Status
---@field state 'off'|'idle'|'working'|'waiting' waiting: for the user's answer
---@field session_id? string the current session of the project
---@field title? string
---@field agent? string
---@field model? string
---@field context_used? integer tokens of the conversation at the last answer
---@field context_size? integer largest context of the model in tokens
---@field cost number US dollars of the session, as far as prices are known
---@field subscription? boolean true if a subscription covered the last answer, which then has no price
---@field waiting integer pending permission requests and questions
---@field working integer sessions with a running turn, including subagents
---@field proposed integer hunks that wait for the user's review
---@field unreviewed integer written hunks that wait for the user's review
---@field elsewhere integer other sessions of the project with changes to review, as far as known
---@field review? 'ask'|'stage'|'apply' way of reviewing, as chosen for the session
---@field effort? string|integer how much the model thinks, as chosen for the session: a level, or tokens
---@field profile? placet.Profile how much is asked of the model, as chosen for the session
---@field caution? 'more'|'default'|'less' how careful the session is

---@class placet.Usage
---@field used? integer
---@field size? integer
---@field cost number
---@field subscription? boolean

---@type table<string, string> session id -> running turn
local turns = {}
---@type table<string, placet.Usage> by session id
local usages = {}
---@type table<table, true> pending questions
local questions = {}
local permissions = 0
local last_text = ''

---@param event string
---@param data table
local function fire(event, data)
  vim.api.nvim_exec_autocmds('User', { pattern = event, data = data, modeline = false })
end

---Report a changed status text.
local function changed()
  local text = M.text()
  if text ~= last_text then
    last_text = text
    fire('PlacetStatusChanged', { text = text, state = M.details().state })
    vim.cmd.redrawstatus()
  end
end

---@param session_id string
---@return placet.Usage
local function usage_of(session_id)
  usages[session_id] = usages[session_id] or { cost = 0 }
  return usages[session_id]
end

---@param session_id string
---@param update placet.wire.UsageUpdate
local function add_usage(session_id, update)
  local usage = usage_of(session_id)
  usage.used, usage.size = update.contextUsed or usage.used, update.contextSize or usage.size
  usage.cost = usage.cost + (update.cost or 0)
  usage.subscription = update.subscription
end

---@param files table[]?
---@return string[]
local function uris(files)
  return vim.tbl_map(function(file)
    return file.uri
  end, files or {})
end

---@param event 'PlacetChangeProposed'|'PlacetChangeApplied'|'PlacetChangeReverted'
local function of_change(event)
  return function(session_id, update)
    fire(event, { sessionId = session_id, changeId = update.changeId, uris = uris(update.files) })
  end
end

---@type table<string, fun(session_id: string, update: table)>
local UPDATES = {
  turn_started = function(session_id, update)
    turns[session_id] = update.turnId
    fire('PlacetTurnStarted', { sessionId = session_id, turnId = update.turnId })
  end,
  turn_ended = function(session_id, update)
    turns[session_id] = nil
    local data = { sessionId = session_id, turnId = update.turnId, stopReason = update.stopReason }
    fire('PlacetTurnEnded', data)
  end,
  usage_update = add_usage,
  change_proposed = of_change('PlacetChangeProposed'),
  change_applied = of_change('PlacetChangeApplied'),
  change_reverted = of_change('PlacetChangeReverted'),
}

---Apply an event of a session.
---@param session_id string
---@param update placet.wire.Update
function M.on_update(session_id, update)
  local apply = UPDATES[update.kind]
  if apply then
    apply(session_id, update)
    changed()
  end
end

---Apply the events of a loaded session, without User autocommands.
---@param session_id string
---@param events placet.wire.SessionEvent[]
function M.replayed(session_id, events)
  for _, event in ipairs(events) do
    local update = event.update
    if update.kind == 'turn_started' then
      turns[session_id] = update.turnId
    elseif update.kind == 'turn_ended' then
      turns[session_id] = nil
    elseif update.kind == 'usage_update' then
      local usage = usage_of(session_id)
      usage.used, usage.size = update.contextUsed or usage.used, update.contextSize or usage.size
    end
  end
  changed()
end

---@param info placet.wire.SessionInfo
function M.on_session_info(info)
  if info.usage then
    usage_of(info.id).cost = info.usage.cost or 0
  end
  changed()
end

---@param info? placet.wire.SessionInfo new current session of a project; nil for no session
function M.session_changed(info)
  info = info or {}
  local data = { sessionId = info.id, title = info.title, agent = info.agent, model = info.model }
  fire('PlacetSessionChanged', data)
  changed()
end

---@param count integer pending permission requests
---@param asked? placet.wire.RequestPermission the new permission request
function M.permissions(count, asked)
  permissions = count
  if asked then
    fire('PlacetPermission', { sessionId = asked.sessionId, title = asked.title })
  end
  changed()
end

---@param params placet.wire.AskQuestion
function M.question_asked(params)
  questions[params] = true
  local first = (params.questions or {})[1] or {}
  fire('PlacetQuestion', { sessionId = params.sessionId, question = first.question })
  changed()
end

---@param params placet.wire.AskQuestion
function M.question_answered(params)
  questions[params] = nil
  changed()
end

---Report a new list of a change set.
---@param set placet.ChangeSet
function M.change_set_changed(set)
  fire('PlacetChangeSetChanged', {
    sessionId = set.session_id,
    files = #set.files,
    proposed = set.counts.staged + set.counts.waiting,
    unreviewed = set.counts.unreviewed,
  })
  changed()
end

---Report that the sessions with changes to review have changed.
function M.to_review_changed()
  changed()
end

---Remove the turns of sessions whose daemon has ended.
---@param _ string root of the daemon's project
---@param session_ids string[]
function M.on_daemon_exit(_, session_ids)
  for _, session_id in ipairs(session_ids) do
    turns[session_id] = nil
  end
  changed()
end

---@param session_id string
function M.forget(session_id)
  turns[session_id], usages[session_id] = nil, nil
  changed()
end

---@param root? string
---@return placet.HunkCounts
local function hunk_counts(root)
  local set = root and change_set.of_root(root)
  return set and set.counts or { waiting = 0, staged = 0, unreviewed = 0 }
end

---Return the values for the project of the current buffer.
---@return placet.Status
function M.details()
  local client, session_id = known.session()
  local info = session_id and known.info(session_id) or {}
  local usage = session_id and usages[session_id] or { cost = 0 }
  local waiting = permissions + vim.tbl_count(questions)
  local working = vim.tbl_count(turns)
  local hunks = hunk_counts(client and client.root_dir)
  return {
    state = waiting > 0 and 'waiting' or working > 0 and 'working' or client and 'idle' or 'off',
    session_id = session_id,
    title = info.title,
    agent = info.agent,
    model = info.model,
    effort = info.effort,
    profile = info.profile,
    caution = info.caution,
    context_used = usage.used,
    context_size = usage.size,
    cost = usage.cost,
    subscription = usage.subscription,
    waiting = waiting,
    working = working,
    proposed = hunks.staged + hunks.waiting,
    unreviewed = hunks.unreviewed,
    elsewhere = client and known.to_review_elsewhere(client.root_dir, session_id) or 0,
    review = session_id and known.review_of(session_id) or nil,
  }
end

---@param facts placet.Status
---@return string
local function figures(facts)
  local parts = {}
  if facts.model then
    parts[1] = facts.model:match('[^/]+$')
  end
  if facts.context_used and (facts.context_size or 0) > 0 then
    parts[#parts + 1] = ('%d%%'):format(math.floor(100 * facts.context_used / facts.context_size + 0.5))
  end
  if facts.cost > 0 then
    parts[#parts + 1] = ('$%.2f'):format(facts.cost)
  end
  return table.concat(parts, ' ')
end

---@return string text '' if Placet is not in use
function M.text()
  local facts = M.details()
  local state = facts.waiting > 0 and ('%d pending'):format(facts.waiting)
    or facts.working > 0 and 'working'
    or nil
  local numbers = figures(facts)
  local parts = {}
  if state then
    parts[1] = state
  end
  local hunks = { staged = facts.proposed, unreviewed = facts.unreviewed }
  local review = words.counts(hunks)
  if review ~= '' then
    parts[#parts + 1] = review
  end
  if facts.elsewhere > 0 then
    local sessions = words.counted(facts.elsewhere, 'other session')
    parts[#parts + 1] = sessions .. ' to review'
  end
  if numbers ~= '' then
    parts[#parts + 1] = numbers
  end
  return #parts > 0 and 'Placet: ' .. table.concat(parts, ', ') or ''
end

return M
