---Keys of a prompt buffer.
local attachments = require('placet.compose.attachments')
local config = require('placet.config')
local keymaps = require('placet.ui.keymaps')

local api = vim.api
local M = {}

---@param name string function of `placet.compose`, called with the buffer
---@param ... any further arguments of the function
local function compose(name, ...)
  local arguments = { ... }
  return function()
    require('placet.compose')[name](api.nvim_get_current_buf(), unpack(arguments))
  end
end

local function cancel()
  local session_id = require('placet.compose').session_of(api.nvim_get_current_buf()) or ''
  if require('placet.chat.starting').is_provisional(session_id) then
    return require('placet.compose').give_back(session_id)
  end
  require('placet.sessions').with_client_of(session_id, function(daemon)
    daemon:notify('agent/cancel', { sessionId = session_id })
  end)
end

---@type placet.Key[]
local ALL = {
  { action = 'send', does = 'send (during a turn: queue)', run = compose('send') },
  { action = 'send_here', does = 'send', modes = { 'n', 'i' }, run = compose('send') },
  { action = 'steer', does = 'send to the running turn', run = compose('send', 'steer') },
  {
    action = 'steer_here',
    does = 'send to the running turn',
    modes = { 'n', 'i' },
    run = compose('send', 'steer'),
  },
  { action = 'older', does = 'show an older prompt', run = compose('look_back', -1) },
  { action = 'newer', does = 'show a newer prompt', run = compose('look_back', 1) },
  { action = 'add', does = 'attach a buffer, a diff, …', run = compose('choose') },
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
  local keys = config.get().compose.keys
  local all = vim.list_extend({}, ALL)
  all[#all + 1] = {
    action = 'help',
    does = 'show this list',
    run = function()
      keymaps.show('Placet: keys of the prompt', all, keys)
    end,
  }
  keymaps.map(bufnr, all, keys)
end

return M
