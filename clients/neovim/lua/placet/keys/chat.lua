---Keys of a chat buffer.
local chat = require('placet.chat')
local commands = require('placet.commands.sessions')
local compose = require('placet.compose')
local config = require('placet.config')
local daemon_client = require('placet.daemon.client')
local going_back = require('placet.going_back')
local keymaps = require('placet.ui.keymaps')
local open_file = require('placet.editor.open_file')
local Page = require('placet.chat.page')
local pending_requests = require('placet.permission.pending_requests')
local sessions = require('placet.sessions')
local subagents = require('placet.chat.subagents')
local switching = require('placet.chat.switching')
local Transcript = require('placet.chat.transcript')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')

local api = vim.api
local M = {}

---@return string session_id of the current buffer
---@return placet.Transcript
local function here()
  local session_id = assert(chat.session_of(api.nvim_get_current_buf()), 'not a chat buffer of Placet')
  return session_id, assert(chat.transcript(session_id))
end

---@return integer row 0-based
local function row()
  return api.nvim_win_get_cursor(0)[1] - 1
end

---@return placet.LinkTarget?
local function target_here()
  local _, transcript = here()
  local block, line = Page.at(transcript.page, row())
  return block and block.targets and block.targets[line]
end

local function write()
  compose.open((here()))
end

local function open_subagent()
  local session_id, transcript = here()
  local session = subagents.session_at(transcript.page, row())
  if not session then
    return vim.notify('Placet: no subagent on this line')
  elseif chat.is_known(session) then
    return chat.show_in(session, api.nvim_get_current_win())
  end
  local window = api.nvim_get_current_win()
  sessions.with_client_of(session_id, function(daemon)
    daemon_client.request(daemon, 'agent/session/load', { sessionId = session }, function(result)
      chat.replay(session, result.events, result.session)
      chat.show_in(session, window)
    end)
  end)
end

---@param target placet.LinkTarget
local function go_to(target)
  if target.session then
    open_subagent()
  else
    open_file.open(target)
  end
end

local function open_or_compose()
  local target = target_here()
  if target then
    go_to(target)
  else
    write()
  end
end

local function open_target()
  local target = target_here()
  if target then
    go_to(target)
  else
    vim.cmd('normal! gF')
  end
end

---@param step 1|-1
local function to_prompt(step)
  local _, transcript = here()
  local page, at = transcript.page, row()
  local target_row
  for _, block in ipairs(page.blocks) do
    local first = Page.row(page, block.number)
    if block.kind == 'prompt' and block.height > 0 then
      if step > 0 and first > at then
        target_row = first
        break
      elseif step < 0 and first < at then
        target_row = first
      end
    end
  end
  if target_row then
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(0, { target_row + 1, 0 })
  end
end

---@return string? turn
local function turn_here()
  local _, transcript = here()
  local block = Page.at(transcript.page, row())
  return block and block.turn
end

local function fork()
  local session_id, transcript = here()
  local turn = turn_here()
  local prompt = vim.iter(transcript.prompts):find(function(candidate)
    return candidate.id == turn
  end)
  if not prompt then
    return vim.notify('Placet: no prompt at the cursor to fork from')
  end
  sessions.with_client_of(session_id, function(daemon)
    switching.fork(daemon, session_id, turn, function(forked)
      compose.put(forked, prompt.text)
    end)
  end)
end

---Go back to the prompt of the user at or above the cursor.
local function back()
  local session_id, transcript = here()
  local page, at, message_id = transcript.page, row(), nil
  for _, block in ipairs(page.blocks) do
    if block.kind == 'prompt' and block.height > 0 and Page.row(page, block.number) <= at then
      message_id = block.id
    end
  end
  local prompt = vim.iter(transcript.prompts):find(function(candidate)
    return candidate.id == message_id
  end)
  if not prompt then
    return vim.notify('Placet: no prompt at the cursor to go back to')
  end
  going_back.open(session_id, prompt)
end

local function undo_turn()
  local session_id, turn = (here()), turn_here()
  if not turn then
    return vim.notify('Placet: no turn at the cursor to undo')
  end
  sessions.with_client_of(session_id, function(daemon)
    daemon_client.request(daemon, 'agent/undo', { sessionId = session_id, turnId = turn }, function(result)
      local lines = vim.tbl_map(function(file)
        return ('%s: %s'):format(vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.'), file.status)
      end, result.files or {})
      local text = #lines > 0 and table.concat(lines, ', ') or 'the turn has changed no files'
      vim.notify('Placet undo: ' .. visible_text.plain(text))
    end)
  end)
end

local function copy_answer()
  local _, transcript = here()
  local text = Transcript.answer(transcript, turn_here())
  if text == '' then
    return vim.notify('Placet: no answer at the cursor to copy')
  end
  vim.fn.setreg('"', text)
  pcall(vim.fn.setreg, '+', text)
  local lines = words.counted(#vim.split(text, '\n', { plain = true }), 'line')
  vim.notify(('Placet: answer copied (%s)'):format(lines))
end

---@type placet.Key[]
local ALL = {
  { action = 'compose', does = 'write a prompt', run = write },
  { action = 'append', does = 'write a prompt', run = write },
  {
    action = 'open',
    does = 'open the file or subagent on this line, or write a prompt',
    run = open_or_compose,
  },
  { action = 'open_file', does = 'open the file on this line', run = open_target },
  {
    action = 'cancel',
    does = 'cancel the running turn',
    run = function()
      local session_id = here()
      sessions.with_client_of(session_id, function(daemon)
        daemon:notify('agent/cancel', { sessionId = session_id })
      end)
    end,
  },
  {
    action = 'next_prompt',
    does = 'go to the next prompt',
    run = function()
      to_prompt(1)
    end,
  },
  {
    action = 'previous_prompt',
    does = 'go to the previous prompt',
    run = function()
      to_prompt(-1)
    end,
  },
  {
    action = 'toggle_fold',
    does = 'open or close the fold (also zo zc zR zM …)',
    run = function()
      pcall(vim.cmd --[[@as function]], 'normal! za')
    end,
  },
  {
    action = 'toggle_thinking',
    does = 'show or hide thinking',
    run = function()
      chat.toggle_thinking((here()))
    end,
  },
  { action = 'subagent', does = "open the subagent's session", run = open_subagent },
  { action = 'fork', does = 'fork the session before this prompt', run = fork },
  { action = 'back', does = 'go back to here: to this prompt, in talk and files', run = back },
  {
    action = 'redo_back',
    does = 'redo: take back the last going back',
    run = function()
      going_back.redo((here()))
    end,
  },
  { action = 'undo_turn', does = 'undo the file changes of this turn', run = undo_turn },
  { action = 'copy_answer', does = 'copy the answer of this turn', run = copy_answer },
  {
    action = 'review',
    does = 'open a pending request',
    run = function()
      pending_requests.review()
    end,
  },
  {
    action = 'sessions',
    does = 'switch to another session',
    run = function()
      commands.pick('', function() end)
    end,
  },
  {
    action = 'quit',
    does = 'close this window',
    run = function()
      pcall(vim.cmd.close)
    end,
  },
}

---@param bufnr integer
function M.map(bufnr)
  keymaps.map_with_help(bufnr, 'Placet: keys of the chat', ALL, config.get().chat.keys)
end

return M
