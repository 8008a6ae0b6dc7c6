---What Placet is doing: a short text for statuslines, the facts behind it, and User autocommands.
local M = {}

---@class placet.Status
---@field state 'off'|'idle'|'working'|'waiting' waiting: for the user's answer
---@field session_id? string the current session of the project
---@field title? string
---@field agent? string
---@field model? string
---@field context_used? integer tokens of the conversation, as of the last answer
---@field context_size? integer tokens the model can take in
---@field cost number US dollars that the session has cost so far, where prices are known
---@field waiting integer permissions and questions that wait for an answer
---@field working integer sessions, subagents' among them, in which a turn runs

---@class placet.Usage
---@field used? integer
---@field size? integer
---@field cost number

---@type table<string, string> session id -> turn that runs
local turns = {}
---@type table<string, placet.Usage> by session id
local spending = {}
---@type table<table, true> questions that wait
local questions = {}
local permissions = 0
local last_text = ''

---@param event string
---@param data table
local function fire(event, data)
  vim.api.nvim_exec_autocmds('User', { pattern = event, data = data, modeline = false })
end

---Say so if there is something else to show than before.
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
local function spending_of(session_id)
  spending[session_id] = spending[session_id] or { cost = 0 }
  return spending[session_id]
end

---@param session_id string
---@param update placet.wire.UsageUpdate
local function used(session_id, update)
  local one = spending_of(session_id)
  one.used, one.size = update.contextUsed or one.used, update.contextSize or one.size
  one.cost = one.cost + (update.cost or 0)
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
local TOLD = {
  turn_started = function(session_id, update)
    turns[session_id] = update.turnId
    fire('PlacetTurnStarted', { sessionId = session_id, turnId = update.turnId })
  end,
  turn_ended = function(session_id, update)
    turns[session_id] = nil
    local data = { sessionId = session_id, turnId = update.turnId, stopReason = update.stopReason }
    fire('PlacetTurnEnded', data)
  end,
  usage_update = used,
  change_proposed = of_change('PlacetChangeProposed'),
  change_applied = of_change('PlacetChangeApplied'),
  change_reverted = of_change('PlacetChangeReverted'),
}

---Something happened in a session.
---@param session_id string
---@param update placet.wire.Update
function M.told(session_id, update)
  local tell = TOLD[update.kind]
  if tell then
    tell(session_id, update)
    changed()
  end
end

---What happened in a session before it was loaded; nobody is told of it as of something new.
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
      local one = spending_of(session_id)
      one.used, one.size = update.contextUsed or one.used, update.contextSize or one.size
    end
  end
  changed()
end

---@param info placet.wire.SessionInfo
function M.knows(info)
  if info.usage then
    spending_of(info.id).cost = info.usage.cost or 0
  end
  changed()
end

---@param info? placet.wire.SessionInfo of what is now the current session of its project; nil for none
function M.session_changed(info)
  info = info or {}
  local data = { sessionId = info.id, title = info.title, agent = info.agent, model = info.model }
  fire('PlacetSessionChanged', data)
  changed()
end

---@param count integer permissions that wait for an answer
---@param asked? placet.wire.RequestPermission the permission that was just asked for
function M.permissions(count, asked)
  permissions = count
  if asked then
    fire('PlacetPermission', { sessionId = asked.sessionId, title = asked.title })
  end
  changed()
end

---@param params placet.wire.AskQuestion
function M.asked(params)
  questions[params] = true
  local first = (params.questions or {})[1] or {}
  fire('PlacetQuestion', { sessionId = params.sessionId, question = first.question })
  changed()
end

---@param params placet.wire.AskQuestion
function M.answered(params)
  questions[params] = nil
  changed()
end

---The daemon is gone in which these sessions were at work.
---@param session_ids string[]
function M.lost(session_ids)
  for _, session_id in ipairs(session_ids) do
    turns[session_id] = nil
  end
  changed()
end

---@param session_id string
function M.forget(session_id)
  turns[session_id], spending[session_id] = nil, nil
  changed()
end

---The facts, for the project of the current buffer.
---@return placet.Status
function M.details()
  local client, session_id = require('placet.daemon.client').session()
  local info = session_id and require('placet.sessions').info(session_id) or {}
  local spent = session_id and spending[session_id] or { cost = 0 }
  local waiting = permissions + vim.tbl_count(questions)
  local working = vim.tbl_count(turns)
  return {
    state = waiting > 0 and 'waiting' or working > 0 and 'working' or client and 'idle' or 'off',
    session_id = session_id,
    title = info.title,
    agent = info.agent,
    model = info.model,
    context_used = spent.used,
    context_size = spent.size,
    cost = spent.cost,
    waiting = waiting,
    working = working,
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

---@return string text '' when there is nothing to say
function M.text()
  local facts = M.details()
  local state = facts.waiting > 0 and ('%d to review'):format(facts.waiting)
    or facts.working > 0 and 'working'
    or nil
  local numbers = figures(facts)
  local parts = {}
  if state then
    parts[1] = state
  end
  if numbers ~= '' then
    parts[#parts + 1] = numbers
  end
  return #parts > 0 and 'Placet: ' .. table.concat(parts, ', ') or ''
end

return M
