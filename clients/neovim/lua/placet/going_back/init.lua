---Going back: to an earlier prompt of a session in talk and files, and forward again.
local chat = require('placet.chat')
local compose = require('placet.compose')
local daemon_client = require('placet.daemon.client')
local known = require('placet.sessions.known')
local picker = require('placet.picker')
local preview_window = require('placet.going_back.preview')
local sessions = require('placet.sessions')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.going_back.words')

local M = {}

---@class placet.RestoredPrompt a prompt that going back has put into the input
---@field id string
---@field text string

---Restored prompts by session. When the talk goes forward again, an unchanged prompt leaves the input.
---@type table<string, placet.RestoredPrompt>
local restored = {}

---@param text string
---@param level? integer
local function notify(text, level)
  vim.notify('Placet: ' .. visible_text.plain(text), level)
end

---Return the prompts of a session.
---@param session_id string
---@return placet.PromptOfTranscript[] oldest first
local function prompts_of(session_id)
  local transcript = chat.transcript(session_id)
  return transcript and transcript.prompts or {}
end

---Tell the user why going back is not possible while a turn runs.
---@param session_id string
---@return boolean whether a turn runs
local function is_busy(session_id)
  local is_running = known.running_turn(session_id) ~= nil
  if is_running then
    notify('the agent is at work; cancel the turn with `:Placet cancel`, then go back', vim.log.levels.WARN)
  end
  return is_running
end

---@param done string what was done
---@param result placet.wire.BackResult
local function tell(done, result)
  notify(('%s: %s'):format(done, words.outcome(result)))
  local names = words.left_alone(result)
  if #names > 0 then
    notify('left as they are: ' .. table.concat(names, ', '), vim.log.levels.WARN)
  end
end

---@param session_id string
---@param prompt placet.PromptOfTranscript
---@param share placet.BackShare
local function go(session_id, prompt, share)
  if is_busy(session_id) then
    return
  end
  sessions.with_client_of(session_id, function(client)
    local params = { sessionId = session_id, messageId = prompt.id, what = share }
    daemon_client.request(client, 'agent/back/go', params, function(result)
      tell('back in ' .. words.share(share):lower(), result)
      if share == 'files' then
        return notify('`:Placet back redo` takes this back')
      end
      local text = compose.restore(session_id, result.parts or {})
      restored[session_id] = { id = prompt.id, text = text }
    end)
  end)
end

---Show a preview of going back to a prompt, and go back if the user chooses to.
---@param session_id string
---@param prompt placet.PromptOfTranscript
function M.open(session_id, prompt)
  if is_busy(session_id) then
    return
  end
  sessions.with_client_of(session_id, function(client)
    local params = { sessionId = session_id, messageId = prompt.id }
    daemon_client.request(client, 'agent/back/preview', params, function(preview)
      preview_window.open(prompt, preview, function(share)
        go(session_id, prompt, share)
      end)
    end)
  end)
end

---Take back the last act of going back.
---@param session_id string
function M.redo(session_id)
  if is_busy(session_id) then
    return
  end
  sessions.with_client_of(session_id, function(client)
    daemon_client.request(client, 'agent/back/redo', { sessionId = session_id }, function(result)
      tell('forward again', result)
      local prompt = restored[session_id]
      if prompt and (known.info(session_id) or {}).backTo ~= prompt.id then
        compose.take_away(session_id, prompt.text)
        restored[session_id] = nil
      end
    end)
  end)
end

---Let the user choose a prompt of the session to go back to, the newest prompt first.
---@param session_id string
local function choose(session_id)
  local prompts = vim.iter(prompts_of(session_id)):rev():totable()
  if #prompts == 0 then
    return notify('the session has no prompt to go back to')
  end
  picker.pick({
    items = prompts,
    prompt = 'Go back to',
    kind = 'placet_back',
    format = words.title,
  }, function(prompt)
    M.open(session_id, prompt)
  end)
end

---Return the session of the current buffer or project, as far as the session is loaded.
---@return string?
local function current_session()
  return select(2, known.session())
end

---Return the arguments of `:Placet back`: the way forward, and the prompts with their numbers, newest first.
---@return string[]
function M.candidates()
  local session_id = current_session()
  local candidates = { 'redo' }
  local prompts = session_id and prompts_of(session_id) or {}
  for number = #prompts, 1, -1 do
    candidates[#candidates + 1] = words.numbered(number, prompts[number])
  end
  return candidates
end

---Return whether a line after `:Placet back` is an argument and not part of a prompt.
---@param argument string
---@return boolean
function M.takes(argument)
  return argument:match('^%d+$') ~= nil or vim.list_contains(M.candidates(), argument)
end

---Run `:Placet back`.
---@param argument string '' to choose a prompt
function M.command(argument)
  sessions.with_current(function(_, session_id)
    local number = tonumber(argument:match('^%d+'))
    local prompt = prompts_of(session_id)[number or 0]
    if argument == 'redo' then
      M.redo(session_id)
    elseif prompt then
      M.open(session_id, prompt)
    elseif number then
      notify(('the session has no prompt %d'):format(number), vim.log.levels.WARN)
    elseif not is_busy(session_id) then
      choose(session_id)
    end
  end)
end

return M
