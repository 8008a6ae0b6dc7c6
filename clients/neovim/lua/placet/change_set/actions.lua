---Actions on the hunks of a change set by name, for `:Placet accept` and its like, and for the <Plug> keys.
---The names are the names of the actions of a review.
local change_set = require('placet.change_set')
local comment = require('placet.hunks.comment')
local conflicts = require('placet.change_set.conflicts')
local daemon = require('placet.daemon')
local decisions = require('placet.change_set.decisions')
local editing = require('placet.change_set.editing')
local FileView = require('placet.hunks.file_view')
local float = require('placet.change_set.float')
local navigation = require('placet.change_set.navigation')
local opening = require('placet.change_set.opening')
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

---@param outcome 'accept'|'reject'
---@param range? placet.LineRange
local function decide_here(outcome, range)
  if range then
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
  local set = set_here()
  if set then
    decisions.decide(set, set.units, 'accept')
  end
end

function ACTIONS.reject_all()
  local set = set_here()
  if set then
    decisions.reject_all(set)
  end
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
  float.help()
end

---Return whether an action concerns the change set: a file of the set is in the current window, or no review
---is open and the set has files.
---@param action string
---@param is_review_open boolean
---@return boolean
function M.is_meant(action, is_review_open)
  if not ACTIONS[action] then
    return false
  elseif navigation.here() then
    return true
  end
  local set = not is_review_open and set_here()
  return set and #set.files > 0 or false
end

---@param action string
---@param range? placet.LineRange
function M.act(action, range)
  ACTIONS[action](range)
end

---Actions that only show.
local LOOKS = { next = true, previous = true, files = true, help = true }

---Run an action while this Neovim knows no changes to review: the daemon is asked. Hunks that are found are
---shown, and none is decided, because the user has not seen the hunks.
---@param action string
function M.fetch(action)
  if not ACTIONS[action] then
    return warn('no request is open; `:Placet review` opens pending requests')
  end
  opening.with_change_set(function(set)
    if LOOKS[action] then
      return M.act(action)
    end
    local counts = words.counts(set.counts)
    warn(('%s, shown only now: nothing is decided; look, then repeat the command'):format(counts))
  end, 'no changes to review')
end

return M
