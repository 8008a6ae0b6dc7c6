---Change sets of sessions: hunks that are proposed, or written and not yet reviewed. The daemon owns the
---sets; this module holds the last list of the current session of each project.
local buffers = require('placet.change_set.buffers')
local conflicts = require('placet.change_set.conflicts')
local daemon = require('placet.daemon')
local daemon_client = require('placet.daemon.client')
local events = require('placet.events')
local known = require('placet.sessions.known')
local sessions = require('placet.sessions')
local units_of = require('placet.change_set.units')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')

local M = {}

---@class placet.ChangeSet
---@field session_id string
---@field root string
---@field files placet.ChangeFile[]
---@field units placet.ReviewUnit[]
---@field counts placet.HunkCounts
---@field is_listing boolean whether the daemon is asked for the list
---@field is_stale boolean whether the running request is too old
---@field follows_event boolean whether the running request was sent for an event
---@field waiting fun(set: placet.ChangeSet)[] callbacks for the next list
---@field after_decision? fun()[] functions to call after the decision that is under way; nil without one

---@type table<string, placet.ChangeSet> by root directory
local shown = {}
---Comments of the user by session and unit. A comment stays until the daemon no longer lists the unit.
---@type table<string, table<string, string>>
local comments = {}

---@param session_id string
---@param root string
---@return placet.ChangeSet
local function set_of(session_id, root)
  local set = shown[root]
  if not set or set.session_id ~= session_id then
    set = {
      session_id = session_id,
      root = root,
      files = {},
      units = {},
      counts = units_of.count({}),
      is_listing = false,
      is_stale = false,
      follows_event = false,
      waiting = {},
    }
    shown[root] = set
  end
  return set
end

---Return the change set of a project's current session.
---@param root string
---@return placet.ChangeSet?
function M.of_root(root)
  return shown[root]
end

---Return the shown change sets.
---@return placet.ChangeSet[]
function M.all()
  return vim.tbl_values(shown)
end

---Return whether any file waits for the user's review.
---@return boolean
function M.has_files()
  return vim.iter(M.all()):any(function(set)
    return #set.files > 0
  end)
end

---Return the change set of a session, if the session is the current session of a project.
---@param session_id string
---@return placet.ChangeSet?
function M.of_session(session_id)
  return vim.iter(M.all()):find(function(set)
    return set.session_id == session_id
  end)
end

---Keep the comments on the units of the present list.
---@param set placet.ChangeSet
local function keep_comments(set)
  comments[set.session_id] = {}
  for _, unit in ipairs(set.units) do
    if unit.comment then
      comments[set.session_id][units_of.key(unit)] = unit.comment
    end
  end
end

---Return a key that a hunk keeps while the user changes its lines.
---@param unit placet.ReviewUnit
---@return string
local function key_of_place(unit)
  return table.concat({ unit.file.place, '\0', unit.hunk and table.concat(unit.hunk.newLines) or '' })
end

---Say once that hunks have come into conflict, and how the user settles a conflict.
---@param units placet.ReviewUnit[]
local function tell_conflicts(units)
  if #units == 0 then
    return
  end
  local file = vim.fn.fnamemodify(vim.uri_to_fname(units[1].file.place), ':t')
  local name = visible_text.plain(file)
  local count = words.counted(#units, 'hunk')
  vim.notify(
    ('Placet: %s: you have changed the lines of %s; `:Placet edit` there'):format(name, count),
    vim.log.levels.WARN
  )
end

---@param set placet.ChangeSet
---@param listed placet.wire.StagedFile[]
local function take(set, listed)
  if #set.units > 0 then
    keep_comments(set)
  end
  local files, units = units_of.of(listed)
  tell_conflicts(conflicts.new(set.units, units, key_of_place))
  set.files, set.units = files, units
  set.counts = units_of.count(set.units)
  local own_comments = comments[set.session_id] or {}
  if next(own_comments) then
    for _, unit in ipairs(set.units) do
      unit.comment = own_comments[units_of.key(unit)]
    end
  end
  events.emit('change_set_listed', set)
end

---@param client vim.lsp.Client
---@param set placet.ChangeSet
local function list(client, set)
  set.is_listing, set.is_stale = true, false
  local ticks = buffers.ticks()
  local function finish()
    set.is_listing = false
    if shown[set.root] ~= set then
      return
    elseif set.is_stale then
      return list(client, set)
    end
    local waiting = set.waiting
    set.waiting = {}
    for _, use in ipairs(waiting) do
      use(set)
    end
  end
  daemon_client.request(client, 'agent/review/list', { sessionId = set.session_id }, function(result)
    if shown[set.root] == set and not set.is_stale then
      take(set, result.files)
      set.is_stale = buffers.is_outdated(set, ticks)
    end
    finish()
  end, function()
    -- The session is gone, or the daemon is older than change sets.
    take(set, {})
    finish()
  end)
end

---Read the change set of a session from the daemon, and show the set.
---@param client vim.lsp.Client
---@param session_id string
---@param use? fun(set: placet.ChangeSet)
---@param is_for_event? boolean
function M.refresh(client, session_id, use, is_for_event)
  local set = set_of(session_id, client.root_dir)
  set.waiting[#set.waiting + 1] = use
  set.follows_event = is_for_event or false
  if set.is_listing then
    set.is_stale = true
  else
    list(client, set)
  end
end

---Read a set again, if its daemon runs.
---@param set placet.ChangeSet
---@param use? fun(set: placet.ChangeSet)
function M.refresh_set(set, use)
  local client = daemon.running(set.root)
  if client then
    M.refresh(client, set.session_id, use)
  end
end

---Draw the set of a project again, after a comment or an edit.
---@param set placet.ChangeSet
function M.redraw(set)
  events.emit('change_set_listed', set)
end

---Apply the event `change_set_update`.
---@param update placet.wire.ChangeSetUpdate
---@param client_id integer
function M.on_update(update, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  local root = client and client.root_dir or ''
  known.on_change_set(update, root)
  local is_current = known.current_in(root) == update.sessionId
  if client and (is_current or (shown[root] and shown[root].session_id == update.sessionId)) then
    M.refresh(client, update.sessionId, nil, true)
  end
end

---Read a set after a decision. The event of the decision comes before the answer, so the request that was
---sent for the event is new enough.
---@param client vim.lsp.Client
---@param session_id string
---@param use fun(set: placet.ChangeSet)
local function refresh_decided(client, session_id, use)
  local set = set_of(session_id, client.root_dir)
  if set.is_listing and set.follows_event then
    set.waiting[#set.waiting + 1] = use
  else
    M.refresh(client, session_id, use)
  end
end

---Show no set for a project any longer: the session was deleted, or the daemon has ended.
---@param root string
function M.clear(root)
  local set = shown[root]
  if set then
    take(set, {})
    shown[root] = nil
  end
end

local DONE = {
  staged = { accept = 'accepted', reject = 'rejected' },
  unreviewed = { accept = 'kept', reject = 'undone' },
}

---Tell the user of a decision on several units. The decision on a single unit is seen on the screen.
---@param outcome 'accept'|'reject'
---@param units placet.ReviewUnit[]
local function tell_success(outcome, units)
  local parts = {}
  for _, state in ipairs({ 'staged', 'unreviewed' }) do
    local files, count = {}, 0
    for _, unit in ipairs(units) do
      if unit.state == state then
        files[unit.file] = true
        count = count + 1
      end
    end
    if count > 0 then
      local hunks, in_files = words.counted(count, 'hunk'), words.counted(vim.tbl_count(files), 'file')
      parts[#parts + 1] = ('%s in %s %s'):format(hunks, in_files, DONE[state][outcome])
    end
  end
  if #units > 1 then
    vim.notify('Placet: ' .. table.concat(parts, ', '))
  end
end

---@param result placet.wire.DecidedFiles
---@return boolean whether all decisions were carried out
local function tell_problems(result)
  local lines = {}
  for _, file in ipairs(result.files) do
    if vim.list_contains({ 'moved', 'conflict', 'failed' }, file.status) then
      local name = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.')
      lines[#lines + 1] = visible_text.plain(('%s: %s'):format(name, file.reason or file.status))
    end
  end
  if #lines > 0 then
    vim.notify('Placet: not done. ' .. table.concat(lines, '\n        '), vim.log.levels.WARN)
  end
  return #lines == 0
end

---Send decisions to the daemon, and read the set again.
---@param set placet.ChangeSet
---@param decisions placet.wire.StagedDecision[]
---@param done fun(set: placet.ChangeSet, is_done: boolean) called with the new set
local function send(set, decisions, done)
  local function settle()
    local uses = set.after_decision or {}
    set.after_decision = nil
    for _, use in ipairs(uses) do
      use()
    end
  end
  sessions.with_client_of(set.session_id, function(client)
    local params = { sessionId = set.session_id, decisions = decisions }
    set.after_decision = set.after_decision or {}
    daemon_client.request(client, 'agent/review/decide', params, function(result)
      local is_done = tell_problems(result)
      local is_shown = shown[client.root_dir] and shown[client.root_dir].session_id == set.session_id
      if is_shown then
        refresh_decided(client, set.session_id, function(renewed)
          done(renewed, is_done)
          settle()
        end)
      end
    end, function(failure)
      daemon_client.complain(failure.message)
      settle()
    end)
  end)
end

---@param set placet.ChangeSet
---@param units placet.ReviewUnit[] in the order of the set
---@param outcome 'accept'|'reject'
---@param done? fun(set: placet.ChangeSet) called with the new set
---@param texts? table<placet.ReviewUnit, string> accepted lines of the user's own
local function decide(set, units, outcome, done, texts)
  send(set, units_of.decisions(units, outcome, texts), function(renewed, is_done)
    if is_done then
      tell_success(outcome, units)
    end
    if done then
      done(renewed)
    end
  end)
end

---Accept (keep) or reject (undo) units of a set. Units in conflict are not accepted, but settled one by one.
---@param set placet.ChangeSet
---@param units placet.ReviewUnit[] in the order of the set
---@param outcome 'accept'|'reject'
---@param done? fun(set: placet.ChangeSet) called with the new set
---@param texts? table<placet.ReviewUnit, string> lines to accept in place of a hunk's new lines
function M.decide(set, units, outcome, done, texts)
  local meant = outcome == 'accept' and conflicts.fitting(units) or units
  if #meant == 0 and #units > 0 then
    local reason = 'nothing accepted: you have changed the same lines. Settle each hunk by itself'
    return vim.notify('Placet: ' .. reason, vim.log.levels.WARN)
  end
  decide(set, meant, outcome, done, texts)
end

---Accept or reject one unit. The acceptance of a unit in conflict replaces the lines of the user.
---@param set placet.ChangeSet
---@param unit placet.ReviewUnit
---@param outcome 'accept'|'reject'
---@param done? fun(set: placet.ChangeSet) called with the new set
function M.decide_one(set, unit, outcome, done)
  decide(set, { unit }, outcome, done)
end

---Send a comment, which the model reads with its next step. The units stay undecided.
---@param set placet.ChangeSet
---@param units placet.ReviewUnit[] one unit, or all units of a file
---@param text string '' sends nothing
function M.send_comment(set, units, text)
  if text == '' then
    return
  end
  send(set, { units_of.comment(units, text) }, function(renewed, is_done)
    if not is_done then
      return
    end
    local keys = vim.tbl_map(units_of.key, units)
    for _, unit in ipairs(renewed.units) do
      unit.comment = not vim.list_contains(keys, units_of.key(unit)) and unit.comment or nil
    end
    events.emit('change_set_listed', renewed)
    vim.notify('Placet: comment sent; the agent reads it with its next step, nothing is decided')
  end)
end

---Accept a file with a text of the user's own.
---@param set placet.ChangeSet
---@param file placet.ChangeFile
---@param text string
---@param done fun(set: placet.ChangeSet, is_done: boolean) called with the new set
function M.accept_text(set, file, text, done)
  local decision = {
    uri = file.place,
    version = file.version,
    outcome = 'accept',
    text = text,
    comment = units_of.joined_comment(file.units),
  }
  send(set, { decision }, done)
end

---Accept a hunk with lines of the user's own.
---@param set placet.ChangeSet
---@param unit placet.ReviewUnit with a hunk
---@param text string
---@param done fun(set: placet.ChangeSet, is_done: boolean) called with the new set
function M.accept_lines(set, unit, text, done)
  send(set, units_of.decisions({ unit }, 'accept', { [unit] = text }), done)
end

---Call a function with the texts of a file, if the file is still listed as the user sees the file.
---@param set placet.ChangeSet
---@param file placet.ChangeFile
---@param use fun(fresh: placet.ChangeFile, client: vim.lsp.Client)
function M.with_texts(set, file, use)
  sessions.with_client_of(set.session_id, function(client)
    local params = { sessionId = set.session_id, contents = true }
    daemon_client.request(client, 'agent/review/list', params, function(result)
      local fresh = vim.iter((units_of.of(result.files))):find(function(candidate)
        return candidate.place == file.place and candidate.version == file.version
      end)
      if fresh then
        return use(fresh, client)
      end
      vim.notify('Placet: the file has changed since you looked; look again', vim.log.levels.WARN)
      M.refresh(client, set.session_id)
    end)
  end)
end

return M
