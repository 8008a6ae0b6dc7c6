---`:Placet completion`: switch inline completion on or off, snooze the suggestions, and show the state.
local daemon = require('placet.daemon')
local daemon_client = require('placet.daemon.client')
local inline_completion = require('placet.inline_completion')
local visible_text = require('placet.ui.visible_text')

local M = {}

local SNOOZE_MINUTES = 10
---Longest snooze that the daemon accepts.
local MOST_MINUTES = 1440

---Return the minutes of `snooze MINUTES`, or nil for another argument.
---@param argument string
---@return integer?
local function minutes_of(argument)
  if argument == 'snooze' then
    return SNOOZE_MINUTES
  end
  local minutes = tonumber(argument:match('^snooze%s+(%d+)$'))
  return minutes and minutes <= MOST_MINUTES and minutes or nil
end

---@param argument string
---@return boolean
function M.takes(argument)
  return vim.list_contains({ 'on', 'off', 'status' }, argument) or minutes_of(argument) ~= nil
end

---@return string[]
function M.candidates()
  return { 'off', 'on', 'snooze', 'snooze 60', 'status' }
end

---Show the state, after a change of the daemon's state if the params name a change.
---@param params placet.wire.SetInlineCompletion
local function show(params)
  daemon.with(function(client)
    daemon_client.request(client, 'agent/inlineCompletion', params, function(state)
      local status = visible_text.plain(state.status)
      if not inline_completion.is_on() then
        status = 'off in this Neovim (`:Placet completion on`). State of the daemon: ' .. status
      end
      vim.notify('Placet completion: ' .. status)
    end)
  end)
end

---@param argument string '' for the state
function M.command(argument)
  local minutes = minutes_of(argument)
  if argument == 'off' then
    inline_completion.switch(false)
    vim.notify('Placet completion: off in this Neovim')
  elseif argument == 'on' then
    inline_completion.switch(true)
    show({ snoozeMinutes = 0 })
  elseif minutes then
    show({ snoozeMinutes = minutes })
  else
    show(vim.empty_dict() --[[@as placet.wire.SetInlineCompletion]])
  end
end

return M
