---Window bars of the chat and the prompt: title and activity of the session, agent, model and context size.
local chat = require('placet.chat')
local compose = require('placet.compose')
local format = require('placet.chat.format')
local known = require('placet.sessions.known')
local option_words = require('placet.sessions.option_words')
local todo = require('placet.chat.todo')
local words = require('placet.ui.words')

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
  return known.info(session_id) or {}
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
  texts[#texts + 1] = transcript.start or transcript.doing
  return table.concat(texts, ' · ')
end

---Return the window bar of a prompt: whole, or shorter for a narrow window.
---@param session_id string
---@param transcript placet.Transcript
---@param waiting integer number of queued prompts
---@param width 'wide'|'medium'|'narrow' wide: with the way of reviewing; narrow: without the model's provider
---@return string
function M.of_prompt(session_id, transcript, waiting, width)
  local info = info_of(session_id)
  local agent, model = transcript.agent or info.agent or '', transcript.model or info.model or ''
  local texts = { agent, width == 'narrow' and model:match('[^/]+$') or model }
  if info.effort then
    texts[#texts + 1] = 'effort ' .. option_words.effort(info.effort)
  end
  if info.profile then
    texts[#texts + 1] = 'profile ' .. info.profile
  end
  texts[#texts + 1] = option_words.caution_brief(info.caution)
  if width == 'wide' then
    texts[#texts + 1] = words.mode(known.review_of(session_id))
  end
  texts[#texts + 1] = context_of(transcript)
  texts[#texts + 1] = transcript.start or transcript.doing
  if waiting > 0 then
    texts[#texts + 1] = ('%d queued'):format(waiting)
  end
  texts = vim.tbl_filter(function(text)
    return text ~= ''
  end, texts)
  return #texts > 0 and table.concat(texts, ' · ') or 'Placet'
end

---Fit the window bars to the windows after a change of their size. Repeated calls have no effect.
local function watch()
  local group = api.nvim_create_augroup('placet.winbar', { clear = true })
  api.nvim_create_autocmd('WinResized', {
    group = group,
    desc = 'Placet: fit the window bars of the chat',
    callback = function()
      for _, window in ipairs(vim.v.event.windows) do
        local session_id = api.nvim_win_is_valid(window)
          and api.nvim_buf_get_name(api.nvim_win_get_buf(window)):match('^placet://%a+/(.+)$')
        if session_id then
          M.refresh(session_id)
        end
      end
    end,
  })
  watch = function() end
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
  local transcript = chat.transcript(session_id)
  if not transcript then
    return
  end
  watch()
  local page = chat.buffer_of(session_id)
  if page then
    set(page, { M.of_page(session_id, transcript) })
  end
  local prompt = compose.buffer_of(session_id)
  if prompt then
    local waiting = compose.waiting(session_id)
    set(prompt, {
      M.of_prompt(session_id, transcript, waiting, 'wide'),
      M.of_prompt(session_id, transcript, waiting, 'medium'),
      M.of_prompt(session_id, transcript, waiting, 'narrow'),
    })
  end
end

return M
