---Actions on the hunks of a change set by name, for `:Placet accept` and its like, and for the <Plug> keys.
local change_set = require('placet.change_set')
local comment = require('placet.hunks.comment')
local conflicts = require('placet.change_set.conflicts')
local daemon = require('placet.daemon')
local decisions = require('placet.change_set.decisions')
local editing = require('placet.change_set.editing')
local FileView = require('placet.hunks.file_view')
local float = require('placet.change_set.float')
local keys = require('placet.hunks.keys')
local navigation = require('placet.change_set.navigation')
local opening = require('placet.change_set.opening')
local pending_requests = require('placet.permission.pending_requests')
local scope = require('placet.permission.scope')
local units_of = require('placet.change_set.units')
local waiting = require('placet.change_set.waiting')
local words = require('placet.ui.words')

local api = vim.api
local M = {}

---@alias placet.LineRange {first: integer, last: integer} 1-based, both ends included

---@param message string
local function warn(message)
  vim.notify('Placet: ' .. message, vim.log.levels.WARN)
end

---@param use fun(set: placet.ChangeSet, unit: placet.ReviewUnit)
local function with_unit(use)
  local view, unit = navigation.here()
  if view and unit then
    use(view.set, unit)
  else
    warn('no hunk under the cursor; move to a hunk first')
  end
end

---@param use fun(set: placet.ChangeSet, view: placet.BufferView)
local function with_file(use)
  local view = navigation.here()
  if view then
    use(view.set, view)
  else
    warn('this window shows no file of the change set; move to a hunk first')
  end
end

---Return the change set of the current buffer's project.
---@return placet.ChangeSet?
local function set_here()
  local view = navigation.here()
  return view and view.set or change_set.of_root(daemon.root_of(api.nvim_get_current_buf()))
end

---Return the units that `all` means: of the waiting call whose file is in the current window, else of the
---whole set.
---@return placet.ChangeSet?
---@return placet.ReviewUnit[]
---@return boolean is_call
local function all_here()
  local view = navigation.here()
  local change_id = view and view.surface.file.waits
  if view and change_id then
    return view.set, units_of.of_call(view.set.units, change_id), true
  end
  local set = set_here()
  return set, set and set.units or {}, false
end

---Return the request about the file in the current window.
---@return placet.PendingRequest?
local function request_here()
  local view = navigation.here()
  return view and pending_requests.of_change(view.surface.file.waits)
end

---@param use fun(ask: placet.PendingRequest)
local function with_request(use)
  local ask = request_here()
  if ask then
    use(ask)
  else
    warn('no request is open here; `:Placet review` opens pending requests')
  end
end

---@param range placet.LineRange
---@return placet.ReviewUnit[] units that touch the lines of the current buffer
local function units_in(range)
  local view = navigation.here()
  return vim.tbl_filter(function(unit)
    local first, last = FileView.rows(view.surface, unit)
    return first < range.last and last >= range.first - 1
  end, view and view.surface.units or {})
end

---Ask whose lines count: an acceptance never replaces lines of the user without a question.
---@param set placet.ChangeSet
---@param unit placet.ReviewUnit in conflict
local function choose_lines(set, unit)
  local choices = {
    {
      'Take the proposed lines',
      function()
        decisions.decide_one(set, unit, 'accept')
      end,
    },
    {
      'Keep my lines',
      function()
        decisions.decide_one(set, unit, 'reject')
      end,
    },
    {
      'Edit both',
      function()
        editing.edit(set, unit)
      end,
    },
  }
  vim.ui.select(choices, {
    prompt = 'You have changed these lines too:',
    kind = 'placet_conflict',
    format_item = function(choice)
      return choice[1]
    end,
  }, function(choice)
    if choice then
      choice[2]()
    end
  end)
end

---Accept the selected lines of proposed hunks, and whole other units.
---@param range placet.LineRange
local function accept_lines(range)
  local units, texts = {}, {}
  for _, unit in ipairs(units_in(range)) do
    local has_parts = unit.hunk and unit.state == 'staged' and not conflicts.is_listed(unit)
    local surface = navigation.here().surface
    local chosen = has_parts and FileView.selected(surface, unit, range.first - 1, range.last - 1)
    if chosen or not has_parts then
      units[#units + 1] = unit
      local is_part = chosen and not vim.deep_equal(chosen.newLines, unit.hunk.newLines)
      texts[unit] = is_part and table.concat(chosen.newLines) or nil
    end
  end
  if #units == 0 then
    return warn('the change set does not touch these lines')
  end
  decisions.decide(navigation.here().set, units, 'accept', texts)
end

---@param outcome 'accept'|'reject'
---@param range? placet.LineRange
local function decide_here(outcome, range)
  if range and outcome == 'accept' then
    return accept_lines(range)
  elseif range then
    local units = units_in(range)
    if #units == 0 then
      return warn('the change set does not touch these lines')
    end
    return decisions.decide(navigation.here().set, units, outcome)
  end
  with_unit(function(set, unit)
    if unit.file.conflict and outcome == 'accept' and unit.state == 'staged' then
      return editing.side_by_side(set, unit.file)
    end
    if outcome == 'accept' and conflicts.is_listed(unit) then
      return choose_lines(set, unit)
    end
    decisions.decide_one(set, unit, outcome)
  end)
end

---@param outcome 'accept'|'reject'
local function decide_file(outcome)
  with_file(function(set, view)
    decisions.decide(set, view.surface.units, outcome)
  end)
end

---@type table<string, fun(range?: placet.LineRange)>
local ACTIONS = {}

---@param step 1|-1
local function move(step)
  local set = set_here()
  if not set or #set.units == 0 then
    return warn('no changes to review')
  end
  local _, unit, above = navigation.here()
  local number = unit and unit.number + step or (step > 0 and above + 1 or above)
  navigation.go_to(set, set.units[(number - 1) % #set.units + 1])
end

function ACTIONS.next()
  move(1)
end

function ACTIONS.previous()
  move(-1)
end

function ACTIONS.accept(range)
  decide_here('accept', range)
end

function ACTIONS.reject(range)
  decide_here('reject', range)
end

function ACTIONS.accept_file()
  decide_file('accept')
end

function ACTIONS.reject_file()
  decide_file('reject')
end

function ACTIONS.accept_all()
  local set, units = all_here()
  if set then
    decisions.decide(set, units, 'accept')
  end
end

function ACTIONS.reject_all()
  local set, units, is_call = all_here()
  if set and is_call then
    decisions.decide(set, units, 'reject')
  elseif set then
    decisions.reject_all(set)
  end
end

function ACTIONS.reject_with_reason()
  with_request(function(ask)
    vim.ui.input({ prompt = 'Reason for rejecting all hunks: ' }, function(reason)
      if reason then
        waiting.answer(ask, { outcome = 'reject', feedback = reason })
      end
    end)
  end)
end

function ACTIONS.always()
  with_request(function(ask)
    local offers = ask.params.always or {}
    if #offers == 0 then
      return warn('"always allow" is not available for this change')
    end
    local function grant(offer)
      if offer then
        waiting.answer(ask, { outcome = 'always', scope = offer.scope })
      end
    end
    if #offers == 1 then
      return grant(offers[1])
    end
    local options = { prompt = 'Always allow', kind = 'placet_scope', format_item = scope.label }
    vim.ui.select(offers, options, grant)
  end)
end

function ACTIONS.later()
  with_request(waiting.later)
end

function ACTIONS.comment()
  with_unit(function(set, unit)
    comment.ask(unit, function()
      change_set.redraw(set)
    end)
  end)
end

function ACTIONS.send_comment()
  with_unit(function(set, unit)
    comment.input(comment.subject(unit), unit.comment, function(text)
      change_set.send_comment(set, { unit }, text)
    end)
  end)
end

function ACTIONS.edit()
  with_unit(editing.edit)
end

function ACTIONS.side_by_side()
  with_file(function(set, view)
    editing.side_by_side(set, view.surface.file)
  end)
end

function ACTIONS.files()
  local set = set_here()
  if set then
    float.open(set)
  end
end

function ACTIONS.help()
  if request_here() then
    keys.help()
  else
    float.help()
  end
end

---Actions that only show.
local LOOKS = { next = true, previous = true, files = true, help = true }

---Run an action while this Neovim knows no changes to review: the daemon is asked. Hunks that are found are
---shown, and none is decided, because the user has not seen the hunks.
---@param action string
local function fetch(action)
  opening.with_change_set(function(set)
    if LOOKS[action] then
      return ACTIONS[action]()
    end
    local counts = words.counts(set.counts)
    warn(('%s, shown only now: nothing is decided; look, then repeat the command'):format(counts))
  end, 'no changes to review')
end

---Actions on the hunk under the cursor, which wait for the decision that is under way: with that decision the
---cursor goes on to the next hunk.
local ONE_BY_ONE = { accept = true, reject = true }

---Actions that answer or postpone a request.
local ANSWERS = { reject_with_reason = true, always = true, later = true }

---Run an action.
---@param action string
---@param range? placet.LineRange lines to decide about (`accept`, `reject`)
function M.act(action, range)
  local set = set_here()
  if not ACTIONS[action] then
    warn(('unknown review action `%s`'):format(action))
  elseif set and set.after_decision and ONE_BY_ONE[action] and not range then
    local bufnr = api.nvim_get_current_buf()
    table.insert(set.after_decision, function()
      if api.nvim_get_current_buf() == bufnr then
        M.act(action)
      end
    end)
  elseif ANSWERS[action] or navigation.here() or (set and #set.files > 0) then
    ACTIONS[action](range)
  else
    fetch(action)
  end
end

return M
