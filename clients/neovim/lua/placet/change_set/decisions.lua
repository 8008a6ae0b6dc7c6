---Decisions of the user about units of a change set.
local change_set = require('placet.change_set')
local navigation = require('placet.change_set.navigation')
local words = require('placet.ui.words')

local api = vim.api
local M = {}

---Return the function that goes on to the next unit after a decision, unless the user has moved meanwhile.
---@param units placet.ReviewUnit[] decided units
---@return fun(set: placet.ChangeSet)
local function going_on(units)
  local bufnr = api.nvim_get_current_buf()
  local cursor = api.nvim_win_get_cursor(0)
  return function(set)
    local stayed = api.nvim_get_current_buf() == bufnr and vim.deep_equal(api.nvim_win_get_cursor(0), cursor)
    if stayed and api.nvim_get_mode().mode == 'n' then
      navigation.go_on(set, units[1] and units[1].file.waits)
    end
  end
end

---Decide about units, and go on to the next unit. Units in conflict are not accepted.
---@param set placet.ChangeSet
---@param units placet.ReviewUnit[]
---@param outcome 'accept'|'reject'
---@param texts? table<placet.ReviewUnit, string> lines to accept in place of a hunk's new lines
function M.decide(set, units, outcome, texts)
  change_set.decide(set, units, outcome, going_on(units), texts)
end

---Decide about one unit, also in conflict, and go on to the next unit.
---@param set placet.ChangeSet
---@param unit placet.ReviewUnit
---@param outcome 'accept'|'reject'
function M.decide_one(set, unit, outcome)
  change_set.decide_one(set, unit, outcome, going_on({ unit }))
end

---Reject or undo all units, after a question.
---@param set placet.ChangeSet
function M.reject_all(set)
  local hunks = words.counts(set.counts)
  local answers = { 'Reject and undo all', 'Cancel' }
  local prompt = ('Reject all proposed hunks and undo all unreviewed hunks (%s)?'):format(hunks)
  vim.ui.select(answers, { prompt = prompt, kind = 'placet_reject_all' }, function(answer)
    if answer == answers[1] then
      M.decide(set, set.units, 'reject')
    end
  end)
end

return M
