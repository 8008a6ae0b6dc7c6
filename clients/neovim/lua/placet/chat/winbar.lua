---Window bars of the chat and the prompt: title and activity of the session, agent, model and context size.
local format = require('placet.chat.format')
local todo = require('placet.chat.todo')

local api = vim.api
local M = {}

local KEYS = 'g? keys '

---@param text string
local function plain(text)
  return (text:gsub('%%', '%%%%'):gsub('[%c]', ' '))
end

---@param session_id string
---@return table info SessionInfo; empty for an unknown session
local function info_of(session_id)
  return require('placet.sessions').info(session_id) or {}
end

---@param transcript placet.Transcript
---@return string?
local function context_of(transcript)
  local used, size = transcript.context_used, transcript.context_size
  if not used then
    return nil
  end
  return size and ('%s of %s tokens'):format(format.tokens(used), format.tokens(size))
    or format.tokens(used) .. ' tokens'
end

---@param session_id string
---@param transcript placet.Transcript
---@return string
function M.of_page(session_id, transcript)
  local title = transcript.title or info_of(session_id).title or ''
  local texts = { title ~= '' and title or 'Placet' }
  local progress = todo.progress(transcript.todos)
  if progress then
    texts[#texts + 1] = progress .. ' done'
  end
  texts[#texts + 1] = transcript.doing
  return table.concat(texts, ' · ')
end

---@param session_id string
---@param transcript placet.Transcript
---@param waiting integer number of queued prompts
---@param names_review boolean whether to name the way of reviewing
---@return string
function M.of_prompt(session_id, transcript, waiting, names_review)
  local info = info_of(session_id)
  local texts = {}
  for _, name in ipairs({ 'agent', 'model' }) do
    local value = transcript[name] or info[name]
    if value and value ~= '' then
      texts[#texts + 1] = value
    end
  end
  if names_review then
    local review = require('placet.sessions').review_of(session_id)
    texts[#texts + 1] = require('placet.change_set.words').mode(review)
  end
  texts[#texts + 1] = context_of(transcript)
  texts[#texts + 1] = transcript.doing
  if waiting > 0 then
    texts[#texts + 1] = ('%d queued'):format(waiting)
  end
  return #texts > 0 and table.concat(texts, ' · ') or 'Placet'
end

---@param bufnr integer
---@param texts string[] the first text that fits is shown, else the last text
local function set(bufnr, texts)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local fitting = vim.iter(texts):find(function(text)
      return vim.fn.strdisplaywidth(text) + #KEYS < api.nvim_win_get_width(window)
    end)
    local bar = (' %s%%<%s'):format(plain(fitting or texts[#texts]), fitting and '%=' .. KEYS or '')
    local options = { win = window, scope = 'local' }
    if api.nvim_get_option_value('winbar', options) ~= bar then
      -- Setting 'winbar' fails in a window that is too low.
      pcall(api.nvim_set_option_value, 'winbar', bar, options)
    end
  end
end

---Update the window bars of a session.
---@param session_id string
function M.refresh(session_id)
  local chat = require('placet.chat')
  local transcript = chat.transcript(session_id)
  if not transcript then
    return
  end
  local page = chat.buffer_of(session_id)
  if page then
    set(page, { M.of_page(session_id, transcript) })
  end
  local compose = package.loaded['placet.compose']
  local prompt = compose and compose.buffer_of(session_id)
  if prompt then
    local waiting = compose.waiting(session_id)
    set(prompt, {
      M.of_prompt(session_id, transcript, waiting, true),
      M.of_prompt(session_id, transcript, waiting, false),
    })
  end
end

return M
