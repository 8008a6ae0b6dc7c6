---Sending of prompts: the chat of the session is shown, and the daemon receives the parts of the prompt.
local chat = require('placet.chat')
local daemon_client = require('placet.daemon.client')
local known = require('placet.sessions.known')
local sessions = require('placet.sessions')
local starting = require('placet.chat.starting')

local M = {}

---@class placet.Range lines of a buffer, 1-based, both ends included
---@field bufnr integer
---@field first integer
---@field last integer

---@class placet.PromptOptions
---@field queue? 'steer'|'after' during a turn: join the turn, or wait for its end (default)
---@field parts? placet.wire.PromptPart[] more parts for the prompt
---@field session_id? string by default the current session of the project

---Return the prompt part for a range: file and lines, or the text of a buffer without name.
---@param range placet.Range
---@return placet.wire.PromptPart
function M.part_of(range)
  if vim.api.nvim_buf_get_name(range.bufnr) == '' then
    local lines = vim.api.nvim_buf_get_lines(range.bufnr, range.first - 1, range.last, false)
    return { type = 'text', text = '```\n' .. table.concat(lines, '\n') .. '\n```' }
  end
  local lines = { start = range.first, ['end'] = range.last }
  return { type = 'file', uri = vim.uri_from_bufnr(range.bufnr), range = lines }
end

---Send a prompt. The answer appears in the chat.
---@param text string
---@param range? placet.Range
---@param options? placet.PromptOptions
function M.prompt(text, range, options)
  options = options or {}
  local parts = text ~= '' and { { type = 'text', text = text } } or {}
  vim.list_extend(parts, range and { M.part_of(range) } or {})
  vim.list_extend(parts, options.parts or {})
  local function ask(daemon, session_id)
    chat.show(session_id)
    local waits = not options.session_id and options.queue ~= 'steer' and known.running_turn(session_id)
    local params = { sessionId = session_id, parts = parts, queue = options.queue }
    daemon_client.request(daemon, 'agent/prompt', params, function(result)
      if type(result.error) == 'table' then
        daemon_client.complain(result.error.message)
      end
    end)
    if waits then
      vim.notify('Placet: prompt queued until the running turn ends; `:Placet! …` steers the running turn')
    end
  end
  if not options.session_id then
    local _, root = starting.show(parts)
    return sessions.with(ask, root)
  end
  sessions.with_client_of(options.session_id, function(daemon)
    ask(daemon, options.session_id)
  end)
end

return M
