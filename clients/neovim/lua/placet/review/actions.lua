---Actions of a review by name. Each action gets the review module and the review.
local comment = require('placet.hunks.comment')
local config = require('placet.config')
local decision = require('placet.review.decision')
local keys = require('placet.hunks.keys')
local hunk_editor = require('placet.hunks.hunk_editor')
local proposal = require('placet.hunks.proposal')
local picker = require('placet.picker')
local scope = require('placet.permission.scope')
local side_by_side = require('placet.hunks.side_by_side')
local FileView = require('placet.hunks.file_view')
local words = require('placet.ui.words')

local api = vim.api

---@param review placet.Review
---@return placet.FileView? in the current window
local function surface_here(review)
  local bufnr = api.nvim_get_current_buf()
  return vim.iter(review.surfaces):find(function(surface)
    return surface.bufnr == bufnr
  end)
end

---@param review placet.Review
---@return placet.ReviewUnit? under the cursor
---@return integer number of the last unit above the cursor in this file, or before its first
local function at_cursor(review)
  local surface = surface_here(review)
  if not surface then
    return nil, 0
  end
  return FileView.at(surface, api.nvim_win_get_cursor(0)[1] - 1, review.current_unit)
end

---@param review placet.Review
---@param use fun(unit: placet.ReviewUnit)
local function with_unit(review, use)
  local unit = at_cursor(review)
  if unit then
    use(unit)
  else
    vim.notify('Placet: no hunk under the cursor; move to a hunk first', vim.log.levels.WARN)
  end
end

---@param message string
local function warn(message)
  vim.notify('Placet: ' .. message, vim.log.levels.WARN)
end

local UNDO = 'undo your change of the lines, or reject the hunk'

---Send the decisions. Hunks in conflict with the user's text are left out, and the user is told.
---@param page table the review's module
---@param review placet.Review
---@param scope_offer? {scope: string} "always allow" in this scope
local function finish(page, review, scope_offer)
  local conflicting = decision.leave_out_conflicts(review.units)
  local answer = decision.answer_of(review.change, review.units)
  if scope_offer and answer.outcome ~= 'reject' then
    answer.outcome, answer.scope = 'always', scope_offer.scope
  end
  page.finish(review, answer)
  if #conflicting > 0 then
    local name = vim.fn.fnamemodify(vim.uri_to_fname(conflicting[1].file.uri), ':~:.')
    warn(
      ('%d of %s not applied, because you have changed the same lines: hunk %d in %s'):format(
        #conflicting,
        words.counted(#review.units, 'hunk'),
        conflicting[1].number,
        name
      ) .. (#conflicting > 1 and ', …' or '')
    )
  end
end

---Return whether all of the units are in conflict, which is told to the user.
---@param units placet.ReviewUnit[]
---@param choice 'accepted'|'rejected'
local function are_all_in_conflict(units, choice)
  local is_blocked = choice == 'accepted'
    and #units > 0
    and vim.iter(units):all(function(unit)
      return unit.in_conflict == true
    end)
  if is_blocked then
    warn('nothing applied: you have changed the same lines; ' .. UNDO)
  end
  return is_blocked
end

---@param page table the review's module
---@param review placet.Review
---@param from integer number of the last decided unit
local function go_on(page, review, from)
  local open = decision.next_open(review.units, from)
  if open then
    page.go_to(review, open)
  elseif config.get().review.auto_send then
    finish(page, review)
  else
    page.renew(review)
  end
end

---@param page table
---@param review placet.Review
---@param units placet.ReviewUnit[]
---@param choice 'accepted'|'rejected'
local function decide(page, review, units, choice)
  for _, unit in ipairs(units) do
    decision.decide(review.units, unit, choice)
  end
  page.renew(review)
  go_on(page, review, units[#units].number)
end

---@param page table
---@param review placet.Review
---@param choice 'accepted'|'rejected'
local function decide_here(page, review, choice)
  with_unit(review, function(unit)
    if not are_all_in_conflict({ unit }, choice) then
      decide(page, review, { unit }, choice)
    end
  end)
end

---@param page table
---@param review placet.Review
---@param choice 'accepted'|'rejected'
local function decide_file(page, review, choice)
  local surface = surface_here(review)
  if surface then
    local blocked = are_all_in_conflict(surface.units, choice)
    return not blocked and decide(page, review, surface.units, choice)
  else
    vim.notify('Placet: this window shows no file of the review; move to a hunk first', vim.log.levels.WARN)
  end
end

---@param page table
---@param review placet.Review
---@param choice 'accepted'|'rejected'
local function decide_all(page, review, choice)
  if are_all_in_conflict(review.units, choice) then
    return
  end
  for _, unit in ipairs(review.units) do
    unit.decision = choice
  end
  finish(page, review)
end

---Change the proposed lines of a unit.
---@param unit placet.ReviewUnit
---@param hunk placet.wire.Hunk
local function edit(unit, hunk)
  unit.proposed = unit.proposed or unit.hunk
  unit.is_edited = not vim.deep_equal(hunk.newLines, unit.proposed.newLines)
  unit.hunk = hunk
end

---Accept only the lines inside the range, of each hunk in the range.
---@param page table
---@param review placet.Review
---@param range {first: integer, last: integer}
local function accept_lines(page, review, range)
  local surface, accepted = surface_here(review), {}
  for _, unit in ipairs(surface and surface.units or {}) do
    local hunk = FileView.selected(surface, unit, range.first - 1, range.last - 1)
    if hunk then
      edit(unit, hunk)
      accepted[#accepted + 1] = unit
    end
  end
  if #accepted == 0 then
    return vim.notify('Placet: the change does not touch these lines', vim.log.levels.WARN)
  end
  page.renew(review, surface.file)
  decide(page, review, accepted, 'accepted')
end

---@type table<string, fun(page: table, review: placet.Review, range?: {first: integer, last: integer})>
local ACTIONS = {}

function ACTIONS.next(page, review)
  local unit, above = at_cursor(review)
  page.go_to(review, review.units[(unit and unit.number or above) % #review.units + 1])
end

function ACTIONS.previous(page, review)
  local unit, above = at_cursor(review)
  local number = unit and unit.number - 1 or above
  page.go_to(review, review.units[(number - 1) % #review.units + 1])
end

function ACTIONS.accept(page, review, range)
  if range then
    accept_lines(page, review, range)
  else
    decide_here(page, review, 'accepted')
  end
end

function ACTIONS.reject(page, review)
  decide_here(page, review, 'rejected')
end

function ACTIONS.accept_file(page, review)
  decide_file(page, review, 'accepted')
end

function ACTIONS.reject_file(page, review)
  decide_file(page, review, 'rejected')
end

function ACTIONS.accept_all(page, review)
  decide_all(page, review, 'accepted')
end

function ACTIONS.reject_all(page, review)
  decide_all(page, review, 'rejected')
end

function ACTIONS.reject_with_reason(page, review)
  vim.ui.input({ prompt = 'Reason for rejecting all hunks: ' }, function(reason)
    if reason then
      for _, unit in ipairs(review.units) do
        unit.decision = 'rejected'
      end
      local answer = decision.answer_of(review.change, review.units)
      answer.feedback = reason
      page.finish(review, answer)
    end
  end)
end

function ACTIONS.comment(page, review)
  with_unit(review, function(unit)
    comment.ask(unit, function()
      if page.is_current(review) then
        page.renew(review)
      end
    end)
  end)
end

---The agent waits for the answer to an asked change, so the comment goes with the answer.
ACTIONS.send_comment = ACTIONS.comment

function ACTIONS.edit(page, review)
  with_unit(review, function(unit)
    if not unit.hunk then
      return ACTIONS.side_by_side(page, review)
    end
    hunk_editor.open(unit, vim.bo.filetype, function(hunk)
      if page.is_current(review) then
        edit(unit, hunk)
        unit.decision = nil
        page.renew(review, unit.file)
      end
    end, 'changes the proposal', 'review')
  end)
end

function ACTIONS.restore(page, review)
  with_unit(review, function(unit)
    if unit.proposed then
      unit.hunk, unit.proposed, unit.is_edited, unit.decision = unit.proposed, nil, false, nil
    else
      decision.retext(review.units, unit.file, unit.file.newText)
    end
    page.renew(review, unit.file)
  end)
end

function ACTIONS.side_by_side(page, review)
  local surface = surface_here(review)
  if not surface then
    return vim.notify(
      'Placet: this window shows no file of the review; move to a hunk first',
      vim.log.levels.WARN
    )
  end
  local file, units_here = surface.file, surface.units
  local accepted = vim.tbl_filter(function(unit)
    return unit.decision ~= 'rejected'
  end, units_here)
  local proposed = file.kind == 'delete' and #units_here == 1 and '' or proposal.text(file, accepted)
  side_by_side.open(file, proposed, function(text)
    if not page.is_current(review) then
      return
    end
    local is_refused = text == file.oldText and file.kind ~= 'create'
    decision.retext(review.units, file, is_refused and file.newText or text)
    local units = decision.of_file(review.units, file)
    for _, unit in ipairs(units) do
      unit.decision = is_refused and 'rejected' or 'accepted'
    end
    page.renew(review, file)
    go_on(page, review, units[#units].number)
  end, { ' old text ', ' proposal: :w accepts, :q postpones ' }, 'review')
end

function ACTIONS.always(page, review)
  local offers = review.ask.params.always or {}
  if #offers == 0 then
    return vim.notify('Placet: "always allow" is not available for this change', vim.log.levels.WARN)
  end
  local function grant(offer)
    if not offer then
      return
    end
    for _, unit in ipairs(review.units) do
      unit.decision = 'accepted'
    end
    finish(page, review, offer)
  end
  if #offers == 1 then
    return grant(offers[1])
  end
  vim.ui.select(offers, { prompt = 'Always allow', kind = 'placet_scope', format_item = scope.label }, grant)
end

function ACTIONS.later(page)
  page.later()
end

function ACTIONS.send(page, review)
  local open = decision.next_open(review.units, 0)
  if open then
    page.go_to(review, open)
    vim.notify('Placet: decide this hunk first')
  else
    finish(page, review)
  end
end

---Let the user choose a file of the review, and go to its first undecided hunk.
function ACTIONS.files(page, review)
  picker.pick({
    items = review.change.files,
    prompt = 'Files of the change',
    kind = 'placet_review_file',
    format = function(file)
      local units, added, removed = decision.of_file(review.units, file), 0, 0
      for _, unit in ipairs(units) do
        added = added + (unit.hunk and #unit.hunk.newLines or 0)
        removed = removed + (unit.hunk and #unit.hunk.oldLines or 0)
      end
      local name = vim.fn.fnamemodify(vim.uri_to_fname(file.newUri or file.uri), ':~:.')
      local kind = file.kind ~= 'modify' and (', ' .. file.kind) or ''
      local decided = ('%d of %d decided'):format(decision.count(units), #units)
      return ('%s  +%d -%d  %s%s'):format(name, added, removed, decided, kind)
    end,
  }, function(file)
    if page.is_current(review) then
      local units = decision.of_file(review.units, file)
      page.go_to(review, decision.next_open(units, 0) or units[1])
    end
  end)
end

function ACTIONS.help()
  keys.help()
end

return ACTIONS
