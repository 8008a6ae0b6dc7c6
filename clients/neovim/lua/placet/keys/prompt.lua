---Keys of a prompt buffer.
local attach = require('placet.compose.attach')
local attachments = require('placet.compose.attachments')
local compose = require('placet.compose')
local config = require('placet.config')
local keymaps = require('placet.ui.keymaps')
local sessions = require('placet.sessions')
local slash_commands = require('placet.commands.slash_commands')
local starting = require('placet.chat.starting')

local api = vim.api
local M = {}

---@param queue? 'steer'|'after'
local function send(queue)
  return function()
    compose.send(api.nvim_get_current_buf(), queue, slash_commands.parse)
  end
end

---@param step -1|1
local function look_back(step)
  return function()
    compose.look_back(api.nvim_get_current_buf(), step)
  end
end

local function cancel()
  local session_id = compose.session_of(api.nvim_get_current_buf()) or ''
  if starting.is_provisional(session_id) then
    return compose.give_back(session_id)
  end
  sessions.with_client_of(session_id, function(daemon)
    daemon:notify('agent/cancel', { sessionId = session_id })
  end)
end

---@type placet.Key[]
local ALL = {
  { action = 'send', does = 'send (during a turn: queue)', run = send() },
  { action = 'send_here', does = 'send', modes = { 'n', 'i' }, run = send() },
  { action = 'steer', does = 'send to the running turn', run = send('steer') },
  {
    action = 'steer_here',
    does = 'send to the running turn',
    modes = { 'n', 'i' },
    run = send('steer'),
  },
  { action = 'older', does = 'show an older prompt', run = look_back(-1) },
  { action = 'newer', does = 'show a newer prompt', run = look_back(1) },
  {
    action = 'add',
    does = 'attach a buffer, a diff, …',
    run = function()
      attach.choose(api.nvim_get_current_buf())
    end,
  },
  {
    action = 'remove',
    does = 'remove an attachment',
    run = function()
      attachments.remove(api.nvim_get_current_buf())
    end,
  },
  { action = 'cancel', does = 'cancel the running turn', run = cancel },
  {
    action = 'quit',
    does = 'close this window and keep the draft',
    run = function()
      pcall(vim.cmd.close)
    end,
  },
}

---@param bufnr integer
function M.map(bufnr)
  keymaps.map_with_help(bufnr, 'Placet: keys of the prompt', ALL, config.get().compose.keys)
end

return M
