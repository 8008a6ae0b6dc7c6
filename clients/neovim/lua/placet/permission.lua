---`editor/requestPermission`: one question at a time, never in the way of typing, open until it is answered.
local review = require('placet.review')
local scope = require('placet.scope')
local status = require('placet.status')

local api = vim.api
local M = {}

---@class placet.Ask
---@field params table
---@field answer fun(result: table) answers it and takes it off the list
---@field close fun() takes it off the screen
---@field decisions table<integer, 'accepted'|'rejected'> of a review that was put off

---@type placet.Ask[]
local queue = {}

local ACTIONS = { allow = 'allowed', ask = 'asked', deny = 'denied' }

---@param params table
---@return string
local function prompt_of(params)
  local lines = { params.title }
  if params.command then
    lines[#lines + 1] = '  ' .. params.command
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

---@param params table
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

---Close what a replacement of vim.ui.select opened; the built-in one is left by <Esc>.
---@param windows table<integer, boolean> those that were there before
local function close_selection(windows)
  local closed = false
  for _, window in ipairs(api.nvim_list_wins()) do
    if not windows[window] and api.nvim_win_get_config(window).relative ~= '' then
      closed = pcall(api.nvim_win_close, window, true) or closed
    end
  end
  local mode = api.nvim_get_mode().mode
  if not closed and (mode:sub(1, 1) == 'c' or mode:sub(1, 1) == 'r') then
    api.nvim_input('<Esc>')
  end
end

---@param ask placet.Ask
local function choose(ask)
  local open = true
  local windows = {}
  for _, window in ipairs(api.nvim_list_wins()) do
    windows[window] = true
  end
  ask.close = function()
    if open then
      open = false
      close_selection(windows)
    end
  end
  local function put_off()
    open = false
    if vim.list_contains(queue, ask) then
      vim.notify('Placet: not answered yet; :Placet review asks again')
    end
  end
  vim.ui.select(choices_of(ask.params), {
    prompt = prompt_of(ask.params),
    kind = 'placet_permission',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if not choice or not open then
      return put_off()
    elseif not choice.wants_reason then
      open = false
      return ask.answer(choice.answer)
    end
    vim.ui.input({ prompt = 'Reject, because: ' }, function(reason)
      if not reason then
        return put_off()
      end
      open = false
      ask.answer({ outcome = 'reject', feedback = reason })
    end)
  end)
end

---Put a question on the screen, or say that it waits when it would be in the way.
---@param ask placet.Ask
---@param by_user boolean
local function present(ask, by_user)
  local change = ask.params.change
  local is_change = change and #(change.files or {}) > 0
  local fits = is_change and review.fits_here(ask) or (not is_change and api.nvim_get_mode().mode == 'n')
  if not by_user and not fits then
    vim.notify(('Placet asks: %s. :Placet review'):format(ask.params.title))
  elseif is_change then
    ask.close = function()
      review.close(ask)
    end
    review.open(ask, by_user)
  else
    -- Scheduled, as the built-in vim.ui.select waits for its answer.
    vim.schedule(function()
      if vim.list_contains(queue, ask) then
        choose(ask)
      end
    end)
  end
end

---@param ask placet.Ask
local function remove(ask)
  for index, one in ipairs(queue) do
    if one == ask then
      table.remove(queue, index)
      status.permissions(#queue)
      if index == 1 and queue[1] then
        vim.schedule(function()
          if queue[1] and not review.is_open() then
            present(queue[1], false)
          end
        end)
      end
      return true
    end
  end
  return false
end

---@type placet.Serve
function M.serve(params, _, answer)
  ---@type placet.Ask
  local ask = { params = params, decisions = {}, close = function() end, answer = function() end }
  ask.answer = function(result)
    if remove(ask) then
      answer(result)
    end
  end
  queue[#queue + 1] = ask
  status.permissions(#queue, params)
  if #queue == 1 then
    present(ask, false)
  end
  return function()
    remove(ask)
    ask.close()
  end
end

---A turn has ended: nothing it asked can still be answered.
---@param session_id string
function M.close_session(session_id)
  for _, ask in ipairs(vim.list_slice(queue)) do
    if ask.params.sessionId == session_id then
      remove(ask)
      ask.close()
    end
  end
end

---`:Placet review`: the question that waits longest.
function M.review()
  if queue[1] then
    present(queue[1], true)
  else
    vim.notify('Placet: nothing waits for your answer')
  end
end

return M
