---A proposed change under review, hunk by hunk. Nothing is written here: what is decided is the answer.
local config = require('placet.config')
local decision = require('placet.decision')
local hint = require('placet.hint')
local hunk_list = require('placet.hunk_list')
local keys = require('placet.keys')
local scope = require('placet.scope')
local surface_of = require('placet.surface')
local visit = require('placet.visit')

local api = vim.api
local M = {}

---@class placet.Review
---@field ask placet.Ask
---@field units placet.Unit[]
---@field surfaces placet.Surface[]
---@field loans placet.KeyLoan[]
---@field group integer
---@field list? integer the quickfix list's id
---@field visit placet.Visit

---@type placet.Review?
local current

local PLUGS = {
  next = '<Plug>(placet-next-hunk)',
  previous = '<Plug>(placet-previous-hunk)',
  accept = '<Plug>(placet-accept)',
  reject = '<Plug>(placet-reject)',
  accept_all = '<Plug>(placet-accept-all)',
  reject_all = '<Plug>(placet-reject-all)',
  reject_with_reason = '<Plug>(placet-reject-with-reason)',
  always = '<Plug>(placet-always)',
  later = '<Plug>(placet-later)',
  send = '<Plug>(placet-send)',
}

---@param review placet.Review
---@param bufnr integer
---@return placet.Surface?
local function surface_in(review, bufnr)
  for _, surface in ipairs(review.surfaces) do
    if surface.bufnr == bufnr then
      return surface
    end
  end
end

---@param review placet.Review
local function draw(review)
  local decided = decision.count(review.units)
  for _, surface in ipairs(review.surfaces) do
    surface_of.draw(surface, #review.units)
    for _, window in ipairs(vim.fn.win_findbuf(surface.bufnr)) do
      hint.show(window, review.ask.params.title, decided, #review.units)
    end
  end
end

---Whether the change can be shown where the user is, without taking anything from them.
---@param ask placet.Ask
function M.fits_here(ask)
  local bufnr = api.nvim_get_current_buf()
  return api.nvim_get_mode().mode == 'n'
    and vim.iter(ask.params.change.files):any(function(file)
      return surface_of.buffer_in_place(file) == bufnr
    end)
end

---@param review placet.Review
local function watch(review)
  for _, surface in ipairs(review.surfaces) do
    api.nvim_create_autocmd('BufWinEnter', {
      group = review.group,
      buffer = surface.bufnr,
      callback = function()
        draw(review)
      end,
    })
    api.nvim_create_autocmd({ 'BufWipeout', 'BufUnload' }, {
      group = review.group,
      buffer = surface.bufnr,
      callback = vim.schedule_wrap(function()
        if current == review then
          M.later()
        end
      end),
    })
    if not surface.in_place then
      api.nvim_create_autocmd('BufWinLeave', {
        group = review.group,
        buffer = surface.bufnr,
        desc = 'Placet: closing the review is "later"',
        callback = vim.schedule_wrap(function()
          local visible = vim.iter(review.surfaces):any(function(other)
            return #vim.fn.win_findbuf(other.bufnr) > 0
          end)
          if current == review and not visible then
            M.later()
          end
        end),
      })
    end
  end
end

---Put the cursor on a unit.
---@param review placet.Review
---@param unit placet.Unit
local function go_to(review, unit)
  local surface = assert(vim.iter(review.surfaces):find(function(one)
    return one.file == unit.file
  end))
  local window = visit.go_to(review.visit, surface.bufnr)
  draw(review)
  surface_of.reveal(surface, unit, window)
end

---@param review placet.Review
---@return placet.Unit? under the cursor
---@return integer number of the last unit above the cursor in this file, or just before the file's first
local function at_cursor(review)
  local surface = surface_in(review, api.nvim_get_current_buf())
  if not surface then
    return nil, 0
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local above = surface.units[1].number - 1
  for _, unit in ipairs(surface.units) do
    local first, last = surface_of.rows(surface, unit)
    if row >= first and row <= last then
      return unit, unit.number
    elseif first < row then
      above = unit.number
    end
  end
  return nil, above
end

---Open the review of a change. Decisions made before it was put off are kept.
---@param ask placet.Ask
---@param by_user boolean only then may the cursor and the window change
function M.open(ask, by_user)
  M.close()
  ---@type placet.Review
  local review = {
    ask = ask,
    units = {},
    surfaces = {},
    loans = {},
    group = api.nvim_create_augroup('placet.review', { clear = true }),
    visit = visit.begin(),
  }
  current = review
  for _, file in ipairs(ask.params.change.files) do
    local surface = surface_of.open(file, decision.units_of(file, review.units, ask.decisions))
    review.surfaces[#review.surfaces + 1] = surface
    review.loans[#review.loans + 1] = keys.lend(surface.bufnr, config.get().review.keys, PLUGS)
  end
  if #review.surfaces > 1 then
    review.list = hunk_list.open(ask.params.title, review.surfaces)
  end
  watch(review)
  draw(review)
  if by_user then
    go_to(review, decision.next_open(review.units, 0) or review.units[1])
  end
end

---Take the review off the screen; the question stays as it is.
---@param ask? placet.Ask only when this one is on the screen
function M.close(ask)
  local review = current
  if not review or (ask and review.ask ~= ask) then
    return
  end
  current = nil
  api.nvim_del_augroup_by_id(review.group)
  for _, unit in ipairs(review.units) do
    review.ask.decisions[unit.number] = unit.decision
  end
  for _, loan in ipairs(review.loans) do
    keys.give_back(loan)
  end
  hint.hide()
  if review.list then
    hunk_list.close(review.list)
  end
  visit.finish(review.visit)
  for _, surface in ipairs(review.surfaces) do
    surface_of.close(surface)
  end
end

---Put it off: the question stays unanswered, and `:Placet review` opens it again.
function M.later()
  if current then
    M.close()
    vim.notify('Placet: kept for later; :Placet review opens it again')
  end
end

---@param review placet.Review
---@param answer table
local function finish(review, answer)
  M.close()
  review.ask.answer(answer)
end

---@param review placet.Review
---@param unit placet.Unit?
---@param choice 'accepted'|'rejected'
local function decide(review, unit, choice)
  if not unit then
    vim.notify('Placet: no hunk under the cursor; go to one first', vim.log.levels.WARN)
    return
  end
  unit.decision = choice
  draw(review)
  local next_open = decision.next_open(review.units, unit.number)
  if next_open then
    go_to(review, next_open)
  elseif config.get().review.auto_send then
    finish(review, decision.answer_of(review.units))
  end
end

---@param review placet.Review
---@param choice 'accepted'|'rejected'
local function decide_all(review, choice)
  for _, unit in ipairs(review.units) do
    unit.decision = choice
  end
  finish(review, decision.answer_of(review.units))
end

---@type table<string, fun(review: placet.Review)>
local ACTIONS = {
  next = function(review)
    local unit, above = at_cursor(review)
    go_to(review, review.units[(unit and unit.number or above) % #review.units + 1])
  end,
  previous = function(review)
    local unit, above = at_cursor(review)
    local number = unit and unit.number - 1 or above
    go_to(review, review.units[(number - 1) % #review.units + 1])
  end,
  accept = function(review)
    decide(review, (at_cursor(review)), 'accepted')
  end,
  reject = function(review)
    decide(review, (at_cursor(review)), 'rejected')
  end,
  accept_all = function(review)
    decide_all(review, 'accepted')
  end,
  reject_all = function(review)
    decide_all(review, 'rejected')
  end,
  reject_with_reason = function(review)
    vim.ui.input({ prompt = 'Reject all, because: ' }, function(reason)
      if reason and current == review then
        finish(review, { outcome = 'reject', feedback = reason })
      end
    end)
  end,
  always = function(review)
    local offers = review.ask.params.always or {}
    if #offers == 0 then
      vim.notify('Placet: this cannot be allowed for good', vim.log.levels.WARN)
      return
    end
    local function grant(offer)
      if offer and current == review then
        finish(review, { outcome = 'always', scope = offer.scope })
      end
    end
    if #offers == 1 then
      return grant(offers[1])
    end
    vim.ui.select(offers, {
      prompt = 'Allow for good',
      kind = 'placet_scope',
      format_item = scope.label,
    }, grant)
  end,
  later = M.later,
  send = function(review)
    local open = decision.next_open(review.units, 0)
    if open then
      go_to(review, open)
      vim.notify('Placet: this hunk is not decided yet')
    else
      finish(review, decision.answer_of(review.units))
    end
  end,
}

---What the <Plug> keys do.
---@param action string
function M.act(action)
  if not current then
    vim.notify('Placet: nothing is under review', vim.log.levels.WARN)
    return
  end
  ACTIONS[action](current)
end

---@return boolean
function M.is_open()
  return current ~= nil
end

return M
