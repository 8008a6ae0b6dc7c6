---Chat buffers: one Markdown buffer for each session, written as events arrive. A chat buffer never takes the
---focus.
local chat_window = require('placet.chat.window')
local config = require('placet.config')
local events = require('placet.events')
local folds = require('placet.chat.folds')
local page_buffer = require('placet.chat.page_buffer')
local Page = require('placet.chat.page')
local subagents = require('placet.chat.subagents')
local Transcript = require('placet.chat.transcript')

local api = vim.api
local M = {}

---Streamed text is written at most every 30 ms. The end of a message, call or turn is written at once.
local FLUSH_EVERY_MS = 30

---@class placet.Chat
---@field session_id string
---@field transcript placet.Transcript
---@field bufnr? integer nil until the chat is first shown
---@field flushed_at integer
---@field is_flush_planned? boolean whether a timer will write the buffer
---@field shows_thinking? boolean

---@type table<string, placet.Chat> by session id
local chats = {}
---@type table<string, placet.Transcript> by session id
local transcripts = {}

---@param session_id string
---@return placet.Chat
local function chat_of(session_id)
  local chat = chats[session_id]
  if not chat then
    local options = config.get().chat
    local transcript = Transcript.new(options)
    transcript.page.hides.thought = options.thinking == 'hidden' or nil
    local shows = options.thinking == 'shown'
    chat = { session_id = session_id, transcript = transcript, flushed_at = 0, shows_thinking = shows }
    chats[session_id], transcripts[session_id] = chat, transcript
  end
  return chat
end

---@param chat placet.Chat
local function flush(chat)
  chat.flushed_at = vim.uv.now()
  if chat.bufnr and api.nvim_buf_is_loaded(chat.bufnr) then
    page_buffer.write(chat.bufnr, chat.transcript.page)
    page_buffer.limit_highlighting(chat.bufnr)
  end
  events.emit('bars_outdated', chat.session_id)
end

---@param chat placet.Chat
---@param at_once boolean
local function flush_soon(chat, at_once)
  local elapsed_ms = vim.uv.now() - chat.flushed_at
  if at_once or (elapsed_ms >= FLUSH_EVERY_MS and not chat.is_flush_planned) then
    return flush(chat)
  elseif chat.is_flush_planned then
    return
  end
  chat.is_flush_planned = true
  vim.defer_fn(function()
    chat.is_flush_planned = false
    flush(chat)
  end, FLUSH_EVERY_MS - elapsed_ms)
end

local ENDS =
  { turn_ended = true, user_message = true, agent_message = true, change_applied = true, session_back = true }

---@param update placet.wire.Update
local function is_ending(update)
  local state = update.part and update.part.state
  return ENDS[update.kind] or (state ~= nil and (state.status == 'completed' or state.status == 'error'))
end

---@param chat placet.Chat
---@param update placet.wire.Update
local function apply(chat, update)
  if update.kind == 'user_message' and not chat.transcript.page.index[update.message.id] then
    subagents.link(chat.session_id, update.message, transcripts)
    events.emit('prompt_arrived', chat.session_id, update.message)
  end
  Transcript.apply(chat.transcript, update)
end

---Apply one event to a session's chat.
---@param session_id string
---@param update placet.wire.Update
function M.update(session_id, update)
  local chat = chat_of(session_id)
  apply(chat, update)
  flush_soon(chat, is_ending(update))
  local parent = subagents.show_progress(session_id, chat.transcript)
  for _, other in pairs(parent and chats or {}) do
    if other.transcript == parent then
      flush_soon(other, false)
    end
  end
end

---Apply the answer to `agent/session/load`. Events that the chat already holds change nothing.
---@param session_id string
---@param replayed placet.wire.SessionEvent[]
---@param session? placet.wire.SessionInfo
function M.replay(session_id, replayed, session)
  local is_new = chats[session_id] == nil
  local chat = chat_of(session_id)
  for _, event in ipairs(replayed) do
    apply(chat, event.update)
  end
  local transcript = chat.transcript
  if is_new then
    -- The daemon may have died in a turn without an end. If the turn still runs, the next event says so.
    transcript.doing = nil
  end
  if session then
    transcript.title, transcript.agent, transcript.model = session.title, session.agent, session.model
    Transcript.note_way_forward(transcript, session.backTo, session.filesBack)
  end
  flush(chat)
end

---Apply the answer to `agent/changes`: replayed events do not say which changes were reverted.
---@param session_id string
---@param changes table[]
function M.changes(session_id, changes)
  local chat = chat_of(session_id)
  for _, change in ipairs(changes) do
    if change.state == 'reverted' then
      Transcript.apply(chat.transcript, { kind = 'change_reverted', changeId = change.id })
    end
  end
  flush(chat)
end

---Mark sessions as idle after their daemon has ended.
---@param _ string root of the daemon's project
---@param session_ids string[]
function M.stopped(_, session_ids)
  for _, session_id in ipairs(session_ids) do
    local chat = chats[session_id]
    if chat then
      chat.transcript.doing = nil
      flush(chat)
    end
  end
end

---Show how far the start of a session has come in its window bars.
---@param session_id string
---@param start? string nil for a session that has started
function M.set_start(session_id, start)
  local chat = chats[session_id] or (start and chat_of(session_id))
  if chat and chat.transcript.start ~= start then
    chat.transcript.start = start
    events.emit('bars_outdated', session_id)
  end
end

---Show a prompt that waits for the start of its session.
---@param session_id string provisional id
---@param parts placet.wire.PromptPart[]
function M.note_prompt(session_id, parts)
  local chat = chat_of(session_id)
  if #parts > 0 then
    local id = ('unsent-%d'):format(#chat.transcript.prompts + 1)
    local message = { id = id, role = 'user', created = os.time() * 1000, parts = parts }
    Transcript.apply(chat.transcript, { kind = 'user_message', message = message })
    flush(chat)
  end
end

---Show a session that has started in the windows of its provisional chat.
---@param provisional string
---@param session_id string
function M.adopt(provisional, session_id)
  local bufnr = M.buffer_of(provisional)
  for _, window in ipairs(bufnr and vim.fn.win_findbuf(bufnr) or {}) do
    M.show_in(session_id, window)
  end
  M.forget(provisional)
end

---Show the new title of a session.
---@param session_id string
---@param title string
function M.rename(session_id, title)
  local chat = chats[session_id]
  if chat then
    chat.transcript.title = title
    events.emit('bars_outdated', session_id)
  end
end

---Delete the chat of a deleted session.
---@param session_id string
function M.forget(session_id)
  local chat = chats[session_id]
  chats[session_id], transcripts[session_id] = nil, nil
  subagents.forget(session_id)
  events.emit('chat_forgotten', session_id)
  if chat and chat.bufnr and api.nvim_buf_is_valid(chat.bufnr) then
    folds.forget(chat.bufnr)
    api.nvim_buf_delete(chat.bufnr, { force = true })
  end
end

---@param session_id string
---@return boolean
function M.is_known(session_id)
  return chats[session_id] ~= nil
end

---Return the transcript of a session, or nil before the session's first event.
---@param session_id string
---@return placet.Transcript?
function M.transcript(session_id)
  return transcripts[session_id]
end

---Return the session that a chat buffer belongs to.
---@param bufnr integer
---@return string?
function M.session_of(bufnr)
  for session_id, chat in pairs(chats) do
    if chat.bufnr == bufnr then
      return session_id
    end
  end
end

---Return the session's chat buffer if the buffer is loaded.
---@param session_id string
---@return integer?
function M.buffer_of(session_id)
  local bufnr = chats[session_id] and chats[session_id].bufnr
  return bufnr and api.nvim_buf_is_loaded(bufnr) and bufnr or nil
end

---Return the session's chat buffer. The first call creates and writes the buffer.
---@param session_id string
---@return integer
function M.buffer(session_id)
  local chat = chat_of(session_id)
  if M.buffer_of(session_id) then
    return M.buffer_of(session_id)
  elseif chat.bufnr and api.nvim_buf_is_valid(chat.bufnr) then
    api.nvim_buf_delete(chat.bufnr, { force = true })
  end
  local bufnr = api.nvim_create_buf(false, true)
  chat.bufnr = bufnr
  api.nvim_buf_set_name(bufnr, 'placet://chat/' .. session_id)
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = 'markdown'
  folds.watch(bufnr, chat.transcript.page)
  Page.unwritten(chat.transcript.page)
  page_buffer.write(bufnr, chat.transcript.page)
  page_buffer.start_highlighting(bufnr)
  page_buffer.limit_highlighting(bufnr)
  events.emit('chat_created', bufnr)
  chat_window.watch(bufnr, session_id)
  return bufnr
end

---Show the session's chat in a window of the current tab page. The cursor stays in the current window.
---@param session_id string
---@return integer window
function M.show(session_id)
  local window = chat_window.show(M.buffer(session_id))
  events.emit('chat_shown', session_id)
  return window
end

---Show a session's chat in the given window.
---@param session_id string
---@param window integer
function M.show_in(session_id, window)
  chat_window.put(window, M.buffer(session_id))
end

---Show or hide the model's thinking in all windows of a session.
---@param session_id string
function M.toggle_thinking(session_id)
  local chat = chat_of(session_id)
  local page, windows = chat.transcript.page, vim.fn.win_findbuf(M.buffer(session_id))
  if page.hides.thought then
    Page.hide(page, 'thought', false)
    flush(chat)
    chat.shows_thinking = true
  elseif config.get().chat.thinking == 'hidden' then
    Page.hide(page, 'thought', true)
    flush(chat)
    return
  else
    chat.shows_thinking = not chat.shows_thinking
  end
  for _, window in ipairs(windows) do
    folds.set(window, 'thought', chat.shows_thinking)
  end
end

return M
