---`editor/requestPermission`: a change is reviewed where it is meant, all else is put by `vim.ui.select`.
local review = require('placet.review')
local scope = require('placet.scope')
local selection = require('placet.selection')
local waiting = require('placet.waiting')

local M = {}

local ACTIONS = { allow = 'allowed', ask = 'asked', deny = 'denied' }

---@param params placet.wire.RequestPermission
---@return string
local function prompt_of(params)
  local lines = { params.title }
  if params.command then
    lines[#lines + 1] = '  ' .. params.command:gsub('\n', '\n  ')
  end
  if params.cwd then
    lines[#lines + 1] = '  in ' .. vim.fn.fnamemodify(params.cwd, ':~')
  end
  if params.url then
    lines[#lines + 1] = '  ' .. params.url
  end
  if #(params.parts or {}) > 1 then
    for _, part in ipairs(params.parts) do
      lines[#lines + 1] = ('  %s: %s'):format(ACTIONS[part.action] or part.action, part.pattern)
    end
  end
  if params.rule and params.rule ~= '' then
    lines[#lines + 1] = ('  asked by: %s'):format(params.rule)
  end
  return table.concat(lines, '\n')
end

---@param params placet.wire.RequestPermission
---@return table[]
local function choices_of(params)
  local choices = { { label = 'Allow once', answer = { outcome = 'once' } } }
  for _, offer in ipairs(params.always or {}) do
    choices[#choices + 1] = {
      label = scope.label(offer),
      answer = { outcome = 'always', scope = offer.scope },
    }
  end
  choices[#choices + 1] = { label = 'Reject', answer = { outcome = 'reject' } }
  choices[#choices + 1] = { label = 'Reject with a reason', wants_reason = true }
  return choices
end

---@param ask placet.Ask
local function choose(ask)
  ask.close = selection.open(choices_of(ask.params), {
    prompt = prompt_of(ask.params),
    kind = 'placet_permission',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if not choice then
      return waiting.put_off(ask)
    elseif not choice.wants_reason then
      return ask.answer(choice.answer)
    end
    vim.ui.input({ prompt = 'Reject, because: ' }, function(reason)
      if not reason then
        return waiting.put_off(ask)
      end
      ask.answer({ outcome = 'reject', feedback = reason })
    end)
  end)
end

---@type placet.Serve
function M.serve(params, _, answer)
  local is_change = #((params.change or {}).files or {}) > 0
  ---@type placet.Ask
  local ask
  ask = {
    params = params,
    kind = 'permission',
    title = params.title,
    is_shown = false,
    answer = function() end,
    close = function()
      review.close(ask)
    end,
    fits = function()
      if is_change then
        return review.fits_here(ask)
      end
      return waiting.is_idle()
    end,
    show = function(by_user)
      if is_change then
        review.open(ask, by_user)
      else
        choose(ask)
      end
    end,
  }
  return waiting.add(ask, answer)
end

---A turn has ended: nothing it asked can still be answered.
---@param session_id string
function M.close_session(session_id)
  waiting.close_session(session_id)
end

---`:Placet review`: open what waits.
function M.review()
  waiting.review()
end

return M
