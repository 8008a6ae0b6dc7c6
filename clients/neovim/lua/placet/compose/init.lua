---Prompt buffers: one ordinary buffer for each session, below the chat. A draft stays until the prompt is
---sent.
local attachments = require('placet.compose.attachments')
local chat = require('placet.chat')
local completion = require('placet.compose.completion')
local config = require('placet.config')
local events = require('placet.events')
local history = require('placet.compose.history')
local known = require('placet.sessions.known')
local prompt_text = require('placet.chat.prompt_text')
local sender = require('placet.compose.send')
local sessions = require('placet.sessions')
local starting = require('placet.chat.starting')
local switching = require('placet.chat.switching')
local window_of_prompt = require('placet.compose.window')

local api = vim.api
local M = {}

---@class placet.Draft
---@field session_id string
---@field bufnr integer
---@field queue? 'steer'|'after' for the next prompt
---@field is_reported? boolean whether the daemon knows of the typing
---@field entry? integer shown entry of the history
---@field own? string[] draft before the user looked through the history
---@field waiting integer sent prompts that have not started
---@field unsent fun()[] prompts that wait for the start of the session
---@field unsent_text string[]

---@type table<string, placet.Draft> by session id
local drafts = {}

---@param bufnr integer
---@return placet.Draft?
local function draft_in(bufnr)
  return vim.iter(vim.tbl_values(drafts)):find(function(draft)
    return draft.bufnr == bufnr
  end)
end

---@param bufnr integer
---@return placet.Draft
local function draft_of(bufnr)
  return assert(draft_in(bufnr), 'not a prompt buffer of Placet')
end

---@param draft placet.Draft
---@param text string|string[]
local function set_text(draft, text)
  local lines = type(text) == 'table' and text or vim.split(text, '\n', { plain = true })
  api.nvim_buf_set_lines(draft.bufnr, 0, -1, true, lines)
  vim.bo[draft.bufnr].modified = false
  attachments.draw(draft.bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(draft.bufnr)) do
    api.nvim_win_set_cursor(window, { #lines, #lines[#lines] })
  end
end

---Tell the daemon once for each prompt that the user is typing, so that the daemon prepares the model.
---@param draft placet.Draft
local function changed(draft)
  vim.bo[draft.bufnr].modified = false
  attachments.draw(draft.bufnr)
  local client = vim.lsp.get_clients({ name = 'placet', bufnr = draft.bufnr })[1]
  if client and not draft.is_reported then
    draft.is_reported = true
    client:notify('agent/didType', { sessionId = draft.session_id })
  end
end

---@param draft placet.Draft
local function attach(draft)
  if starting.is_provisional(draft.session_id) then
    return
  end
  sessions.with_client_of(draft.session_id, function(client)
    if api.nvim_buf_is_loaded(draft.bufnr) and not vim.lsp.buf_is_attached(draft.bufnr, client.id) then
      vim.lsp.buf_attach_client(draft.bufnr, client.id)
      completion.enable(draft.bufnr, client)
    end
  end)
end

---@param draft placet.Draft
local function watch(draft)
  local bufnr = draft.bufnr
  local group = api.nvim_create_augroup(('placet.prompt.%d'):format(bufnr), { clear = true })
  api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      changed(draft)
    end,
  })
  api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    buffer = bufnr,
    callback = function()
      attach(draft)
      events.emit('bars_outdated', draft.session_id)
    end,
  })
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = bufnr,
    desc = 'Placet: keep the draft of an unloaded buffer',
    callback = function()
      draft.own = api.nvim_buf_get_lines(bufnr, 0, -1, true)
    end,
  })
end

---@param session_id string
---@return placet.Draft
local function draft_for(session_id)
  local draft = drafts[session_id]
  if draft and api.nvim_buf_is_loaded(draft.bufnr) then
    return draft
  end
  local draft_lines = draft and draft.own
  local old_attachments = draft and attachments.of(draft.bufnr) or {}
  if draft and api.nvim_buf_is_valid(draft.bufnr) then
    api.nvim_buf_delete(draft.bufnr, { force = true })
  end
  local bufnr = api.nvim_create_buf(false, true)
  local waiting = draft and draft.waiting or 0
  draft = { session_id = session_id, bufnr = bufnr, waiting = waiting, unsent = {}, unsent_text = {} }
  drafts[session_id] = draft
  api.nvim_buf_set_name(bufnr, 'placet://prompt/' .. session_id)
  vim.bo[bufnr].filetype = 'placet-prompt'
  pcall(vim.treesitter.start, bufnr, 'markdown')
  events.emit('prompt_created', bufnr)
  watch(draft)
  if draft_lines then
    set_text(draft, draft_lines)
  end
  for _, attachment in ipairs(old_attachments) do
    attachments.add(bufnr, attachment)
  end
  return draft
end

---@param draft placet.Draft
local function clear(draft)
  draft.entry, draft.own, draft.queue, draft.is_reported = nil, nil, nil, nil
  attachments.clear(draft.bufnr)
  set_text(draft, '')
end

---@param draft placet.Draft
---@return integer
local function show(draft)
  local window = window_of_prompt.show(draft.bufnr, draft.session_id)
  attach(draft)
  events.emit('bars_outdated', draft.session_id)
  window_of_prompt.fit(draft.bufnr)
  return window
end

---Return the prompt buffer of a session if the buffer is loaded.
---@param session_id string
---@return integer?
function M.buffer_of(session_id)
  local draft = drafts[session_id]
  return draft and api.nvim_buf_is_loaded(draft.bufnr) and draft.bufnr or nil
end

---Return the number of queued prompts of a session.
---@param session_id string
---@return integer
function M.waiting(session_id)
  return drafts[session_id] and drafts[session_id].waiting or 0
end

---Count a queued prompt as started.
---@param session_id string
function M.prompt_started(session_id)
  local draft = drafts[session_id]
  if draft then
    draft.waiting = math.max(0, draft.waiting - 1)
  end
end

---@class placet.ComposeOptions
---@field parts? placet.wire.PromptPart[] parts to attach
---@field queue? 'steer'|'after' for the next prompt
---@field stay? boolean whether the cursor stays in its window

---Open the prompt of a session below its chat. The cursor moves there, unless the user is typing.
---@param session_id string
---@param options? placet.ComposeOptions
function M.open(session_id, options)
  options = options or {}
  local draft = draft_for(session_id)
  draft.queue = options.queue or draft.queue
  local window = show(draft)
  for _, part in ipairs(options.parts or {}) do
    attachments.add(draft.bufnr, { label = prompt_text.of({ part }):gsub('`', ''), part = part })
  end
  if not options.stay then
    window_of_prompt.enter(window)
  end
end

---Send a prompt, or open the prompt buffer if the text is empty.
---@param text string
---@param range? placet.Range
---@param queue? 'steer'|'after'
function M.ask(text, range, queue)
  if text ~= '' then
    return sender.prompt(text, range, { queue = queue })
  end
  local parts = range and { sender.part_of(range) } or nil
  local session_id, root = starting.show()
  M.open(session_id, { parts = parts, queue = queue })
  sessions.with(function() end, root)
end

---Put a text into the prompt of a session for editing.
---@param session_id string
---@param text string
function M.put(session_id, text)
  M.open(session_id)
  set_text(draft_for(session_id), text)
end

---@return integer milliseconds since the epoch
local function now_ms()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds * 1000 + math.floor(microseconds / 1000)
end

---Return the input's text.
---@param draft placet.Draft
---@return string
local function text_of(draft)
  return table.concat(api.nvim_buf_get_lines(draft.bufnr, 0, -1, true), '\n')
end

---Put a sent prompt into the input of a session, to be edited and sent again. A draft goes to the history.
---@param session_id string
---@param parts placet.wire.Part[]
---@return string text of the input
function M.restore(session_id, parts)
  local draft = draft_for(session_id)
  history.add(text_of(draft), now_ms())
  clear(draft)
  local attached = vim.deepcopy(vim.tbl_filter(function(part)
    return part.type ~= 'text' or part.synthetic
  end, parts))
  for _, part in ipairs(attached) do
    part.id = nil
  end
  M.open(session_id, { parts = attached })
  set_text(draft, prompt_text.words(parts))
  return text_of(draft)
end

---Empty the input of a session, unless the user has changed the given text.
---@param session_id string
---@param text string
function M.take_away(session_id, text)
  local draft = drafts[session_id]
  if draft and api.nvim_buf_is_loaded(draft.bufnr) and text_of(draft) == text then
    clear(draft)
  end
end

---Show the prompt of the session whose chat is now shown.
---@param session_id string
function M.follow(session_id)
  local window = window_of_prompt.find()
  if window and api.nvim_win_get_buf(window) ~= M.buffer_of(session_id) then
    show(draft_for(session_id))
  end
end

---Move the cursors of the chat windows to the end, where the answer will appear.
---@param session_id string
local function scroll_to_end(session_id)
  local page = chat.buffer_of(session_id)
  for _, window in ipairs(page and vim.fn.win_findbuf(page) or {}) do
    api.nvim_win_set_cursor(window, { api.nvim_buf_line_count(page), 0 })
  end
end

---@param draft placet.Draft
---@param command placet.Subcommand
---@param argument string
local function run(draft, command, argument)
  local function now()
    command.run({ argument = argument, bang = false, as_prompt = function() end })
  end
  sessions.with_client_of(draft.session_id, function(client)
    if known.current(client) == draft.session_id then
      now()
    else
      switching.switch(client, draft.session_id, now)
    end
  end)
end

---@param draft placet.Draft
---@param text string
---@param parts placet.wire.PromptPart[]
---@param queue? 'steer'|'after'
local function send_prompt(draft, text, parts, queue)
  local is_busy = known.running_turn(draft.session_id) ~= nil
  draft.waiting = draft.waiting + (is_busy and 1 or 0)
  scroll_to_end(draft.session_id)
  sender.prompt(text, nil, { queue = queue, parts = parts, session_id = draft.session_id })
  events.emit('bars_outdated', draft.session_id)
end

---Keep a prompt until its session has started, and start the session if an earlier start has failed.
---@param draft placet.Draft
---@param text string
---@param parts placet.wire.PromptPart[]
---@param send fun()
local function send_later(draft, text, parts, send)
  table.insert(draft.unsent, send)
  table.insert(draft.unsent_text, text)
  local root = starting.root_of(draft.session_id)
  starting.show(vim.list_extend({ { type = 'text', text = text } }, parts))
  sessions.with(function() end, root)
end

---Return no command: every text is a prompt.
---@return placet.Subcommand?
---@return string argument
local function no_command()
  return nil, ''
end

---Send the prompt. A prompt that does not steer waits for the end of a running turn. The window closes,
---unless the user is in Insert mode and may write on.
---@param bufnr integer
---@param queue? 'steer'|'after'
---@param command_of? fun(text: string): placet.Subcommand?, string returns the command that a text names
function M.send(bufnr, queue, command_of)
  local draft = draft_of(bufnr)
  local text = vim.trim(text_of(draft))
  local attached = attachments.of(bufnr)
  if text == '' and #attached == 0 then
    return vim.notify('Placet: the prompt is empty')
  end
  history.add(text, now_ms())
  local command, argument = (command_of or no_command)(text)
  local parts = vim.tbl_map(function(attachment)
    return attachment.part
  end, attached)
  queue = queue or draft.queue
  clear(draft)
  if not config.get().compose.keep_open and not api.nvim_get_mode().mode:match('^[iR]') then
    window_of_prompt.close(bufnr)
  end
  local function send()
    if command and #parts == 0 then
      run(draft, command, argument)
    else
      send_prompt(draft, text, parts, queue)
    end
  end
  if starting.is_provisional(draft.session_id) then
    send_later(draft, text, parts, send)
  else
    send()
  end
end

---Give the prompt of a session to come to the session that has started, and send the prompts that wait.
---@param provisional string
---@param session_id string
function M.adopt(provisional, session_id)
  local draft, other = drafts[provisional], drafts[session_id]
  drafts[provisional] = nil
  if not draft then
    return
  end
  if other then
    history.add(text_of(draft), now_ms())
    for _, window in ipairs(vim.fn.win_findbuf(draft.bufnr)) do
      api.nvim_win_set_buf(window, draft_for(session_id).bufnr)
    end
    api.nvim_buf_delete(draft.bufnr, { force = true })
  else
    drafts[session_id] = draft
    local before = api.nvim_buf_get_name(draft.bufnr)
    api.nvim_buf_set_name(draft.bufnr, 'placet://prompt/' .. session_id)
    -- Neovim keeps the old name in a buffer of its own.
    pcall(api.nvim_buf_delete, vim.fn.bufnr(before), { force = true })
  end
  draft.session_id = session_id
  local unsent = draft.unsent
  draft.unsent, draft.unsent_text = {}, {}
  if not other then
    attach(draft)
  end
  for _, send in ipairs(unsent) do
    send()
  end
end

---Put the prompts that wait back into the input, because the session has not started.
---@param provisional string
function M.give_back(provisional)
  local draft = drafts[provisional]
  if draft and #draft.unsent > 0 then
    local texts = vim.list_extend(draft.unsent_text, { text_of(draft) })
    draft.unsent, draft.unsent_text = {}, {}
    set_text(draft, vim.trim(table.concat(texts, '\n')))
  end
end

---Show an older or newer prompt of the history. The draft follows the newest prompt.
---@param bufnr integer
---@param step -1|1
function M.look_back(bufnr, step)
  local draft = draft_of(bufnr)
  local count = history.count()
  local entry = (draft.entry or count + 1) + step
  if entry < 1 or entry > count + 1 then
    return
  end
  draft.own = draft.entry and draft.own or api.nvim_buf_get_lines(bufnr, 0, -1, true)
  draft.entry = entry <= count and entry or nil
  set_text(draft, history.at(entry) or draft.own)
end

---Return the session that a prompt buffer belongs to.
---@param bufnr integer
---@return string?
function M.session_of(bufnr)
  local draft = draft_in(bufnr)
  return draft and draft.session_id
end

---Delete the draft of a deleted session.
---@param session_id string
function M.forget(session_id)
  local draft = drafts[session_id]
  drafts[session_id] = nil
  if draft and api.nvim_buf_is_valid(draft.bufnr) then
    attachments.clear(draft.bufnr)
    api.nvim_buf_delete(draft.bufnr, { force = true })
  end
end

return M
