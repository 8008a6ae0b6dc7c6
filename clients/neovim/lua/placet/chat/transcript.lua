---Transcript: the page and state of one session, built from events. An event that arrives twice changes
---nothing. Pure.
local format = require('placet.chat.format')
local Page = require('placet.chat.page')
local prompt_text = require('placet.chat.prompt_text')
local todo = require('placet.chat.todo')
local tool_call = require('placet.chat.tool_call')

local M = {}

---@class placet.ModelCall cost and end of one model message
---@field turn string
---@field cost number
---@field completed? integer

---@class placet.TurnOfTranscript
---@field created? integer
---@field prompt? string block id of the prompt

---@class placet.TranscriptOptions: placet.ToolOptions
---@field keys table<string, string|false> keys of the chat

---@class placet.PromptOfTranscript
---@field id string
---@field text string words of the user
---@field created integer

---@class placet.Transcript
---@field page placet.Page
---@field options placet.TranscriptOptions
---@field lengths table<string, integer> code points known of each text part
---@field calls table<string, placet.ToolCall> by message and call id
---@field changes table<string, string> key of the tool call, by change id
---@field messages table<string, placet.ModelCall>
---@field turns table<string, placet.TurnOfTranscript>
---@field turn? string turn of the current events
---@field message? string message of the current events
---@field doing? string current activity of the running turn
---@field start? string how far the start of the session has come
---@field agent? string
---@field model? string
---@field title? string
---@field context_used? integer tokens
---@field context_size? integer
---@field todos? placet.wire.PlanEntry[]
---@field prompts placet.PromptOfTranscript[] oldest first
---@field way_forward? string key of the block with the way forward

local THINKING = '> *Thinking*'
local BACK = '> *You went back to here. Later messages are hidden until your next prompt; '
  .. '`%s` brings them back.*'
local FILES_BACK = '> *The files went back; the talk stayed. `%s` brings the files forth again.*'

---@param options placet.TranscriptOptions
---@return placet.Transcript
function M.new(options)
  return {
    page = Page.new(),
    options = options,
    lengths = {},
    calls = {},
    changes = {},
    messages = {},
    turns = {},
    prompts = {},
  }
end

---@param transcript placet.Transcript
---@param id string
---@param kind placet.BlockKind
---@param prefix? string
---@return placet.Block
local function block_of(transcript, id, kind, prefix)
  local block = Page.block(transcript.page, id, kind, prefix)
  block.turn = block.turn or transcript.turn
  block.message = block.message or transcript.message
  return block
end

---@param transcript placet.Transcript
---@param id string
---@param text string of Markdown
---@param fold? integer
local function note(transcript, id, text, fold)
  local lines = vim.split(text, '\n', { plain = true })
  Page.replace(transcript.page, block_of(transcript, id, 'note'), lines, fold)
end

---Add streamed text to a block. `offset` is the number of code points before the text. Repeated text replaces
---the earlier text from that offset.
---@param transcript placet.Transcript
---@param update placet.wire.AgentMessageChunk|placet.wire.AgentThoughtChunk
---@param kind 'text'|'thought'
local function grow(transcript, update, kind)
  local text, length = update.text or '', transcript.lengths[update.partId] or 0
  local skipped = kind == 'thought' and 1 or 0
  if text == '' and (length == 0 or update.offset == length) then
    return
  end
  local page = transcript.page
  local block = block_of(transcript, update.partId, kind, kind == 'thought' and '> ' or nil)
  transcript.lengths[update.partId] = update.offset + vim.str_utfindex(text, 'utf-32')
  if update.offset == length then
    if length == 0 and kind == 'thought' then
      Page.append(page, block, THINKING:sub(3) .. '\n')
      block.fold = 1
    end
    return Page.append(page, block, text)
  end
  local before = Page.text(block, skipped)
  local whole = before:sub(1, vim.str_byteindex(before, 'utf-32', update.offset, false)) .. text
  local lines = vim.tbl_map(function(line)
    return block.prefix .. line
  end, vim.split(whole, '\n', { plain = true }))
  if kind == 'thought' then
    table.insert(lines, 1, THINKING)
  end
  Page.replace(page, block, lines, block.fold)
end

---@param transcript placet.Transcript
---@param call placet.ToolCall
local function draw(transcript, call)
  local lines, fold, targets = tool_call.lines(call, transcript.options)
  Page.replace(transcript.page, block_of(transcript, call.block, 'tool'), lines, fold, targets)
end

---Show the way forward at the end of the page while the user is back at an earlier prompt.
---@param transcript placet.Transcript
---@param back_to? string prompt to which the user went back in the talk
---@param files_back? boolean whether the user last went back in the files alone
function M.note_way_forward(transcript, back_to, files_back)
  local page = transcript.page
  local shown = page.index[transcript.way_forward or '']
  if shown then
    Page.replace(page, shown, {})
  end
  -- A block stays at its place, so the block of the files is another block after each prompt.
  local last = transcript.prompts[#transcript.prompts]
  local files_key = files_back and 'back:files:' .. (last and last.id or '') or nil
  transcript.way_forward = back_to and 'back:' .. back_to or files_key
  if transcript.way_forward then
    local key = transcript.options.keys.redo_back
    local text = (back_to and BACK or FILES_BACK):format(key or ':Placet back redo')
    Page.replace(page, Page.block(page, transcript.way_forward, 'note'), { text })
  end
end

---Return the effect of a change on the diagnostics, as in `Pyright: 1 fixed, 1 new`, or nil without a
---difference.
---@param update placet.wire.DiagnosticsDelta
---@return string?
local function diagnosed(update)
  local sources = {}
  local diagnostics = vim.list_extend(vim.list_extend({}, update.removed or {}), update.added or {})
  for _, diagnostic in ipairs(diagnostics) do
    if (diagnostic.source or '') ~= '' and not vim.list_contains(sources, diagnostic.source) then
      sources[#sources + 1] = diagnostic.source
    end
  end
  local counts = {}
  for word, list in vim.spairs({ fixed = update.removed or {}, new = update.added or {} }) do
    if #list > 0 then
      counts[#counts + 1] = ('%d %s'):format(#list, word)
    end
  end
  if #counts == 0 then
    return not update.fresh and 'diagnostics timed out' or nil
  end
  local prefix = #sources > 0 and table.concat(sources, ', ') .. ': ' or ''
  return prefix .. table.concat(counts, ', ') .. (update.fresh and '' or ', may be outdated')
end

local ENDINGS = {
  end_turn = 'Done',
  cancelled = 'Cancelled',
  max_steps = 'Stopped at the step limit of a turn',
  refused = 'The model declined',
  rejected = 'Stopped, because you rejected the request',
  error = 'Failed',
}

---Return the line at the end of a turn with duration and cost, or nil if the line would be empty.
---@param transcript placet.Transcript
---@param update placet.wire.TurnEnded
---@return string?
local function ending(transcript, update)
  local turn = transcript.turns[update.turnId] or {}
  local cost, completed = 0, nil
  for _, message in pairs(transcript.messages) do
    if message.turn == update.turnId then
      cost = cost + message.cost
      completed = math.max(completed or 0, message.completed or 0)
    end
  end
  local took = {}
  if turn.created and completed and completed > turn.created then
    took[1] = format.duration(completed - turn.created)
  end
  if cost > 0 then
    took[#took + 1] = format.cost(cost)
  end
  local text = #took > 0 and (' (%s)'):format(table.concat(took, ', ')) or ''
  local failure = update.error
  if failure then
    local hint = failure.hint and failure.hint ~= '' and ('\n> ' .. failure.hint:gsub('\n', ' ')) or ''
    return ('> **%s**%s%s'):format(tool_call.first_line(failure.message), text, hint)
  elseif update.stopReason == 'end_turn' and text == '' then
    return nil
  end
  return ('> *%s%s*'):format(ENDINGS[update.stopReason] or update.stopReason, text)
end

---@type table<string, fun(transcript: placet.Transcript, update: table)>
local KINDS = {
  user_message = function(transcript, update)
    local message = update.message
    local heading = message.steers and '## You (during the turn)' or '## You'
    transcript.turn = message.steers or message.id
    local is_new = not transcript.turns[message.id]
    transcript.turns[message.id] = { created = message.created, prompt = message.id }
    transcript.agent, transcript.model = message.agent or transcript.agent, message.model or transcript.model
    local words = prompt_text.words(message.parts or {})
    if is_new then
      table.insert(transcript.prompts, { id = message.id, text = words, created = message.created or 0 })
    end
    local text = heading .. '\n\n' .. prompt_text.of(message.parts or {}) .. '\n\n## Placet'
    local lines = vim.split(text:gsub('[%z\r]', ''), '\n', { plain = true })
    Page.replace(transcript.page, block_of(transcript, message.id, 'prompt'), lines)
  end,
  agent_message = function(transcript, update)
    local message = update.message
    transcript.turn = message.parentId or transcript.turn
    transcript.messages[message.id] = {
      turn = message.parentId,
      cost = message.cost or 0,
      completed = message.completed,
    }
    local tokens = message.tokens
    local used = tokens and tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite or 0
    if used > 0 and not message.summary then
      transcript.context_used = used
    end
  end,
  agent_message_chunk = function(transcript, update)
    transcript.doing = 'writing'
    grow(transcript, update, 'text')
  end,
  agent_thought_chunk = function(transcript, update)
    transcript.doing = 'thinking'
    grow(transcript, update, 'thought')
  end,
  tool_call = function(transcript, update)
    local part = update.part
    local key = ('%s/%s'):format(update.messageId, part.callId)
    local call = transcript.calls[key] or { block = 'tool:' .. key }
    call.part = part
    transcript.calls[key] = call
    local metadata = part.state.metadata or {}
    if type(metadata.changeId) == 'string' then
      transcript.changes[metadata.changeId] = key
    end
    if type(metadata.sessionId) == 'string' then
      call.session = metadata.sessionId
    end
    transcript.doing = part.state.status == 'running' and 'running ' .. part.tool or 'working'
    draw(transcript, call)
  end,
  plan = function(transcript, update)
    transcript.todos = update.entries
    -- Each turn has one list. The list of an earlier turn stays unchanged.
    local block = block_of(transcript, 'plan:' .. (transcript.turn or ''), 'plan')
    Page.replace(transcript.page, block, todo.lines(update.entries))
  end,
  change_applied = function(transcript, update)
    local key = ('%s/%s'):format(update.messageId, update.callId)
    local call = not update.madeIn and transcript.calls[key]
    if not call then
      return
    end
    transcript.changes[update.changeId] = key
    call.changed, call.is_undone = tool_call.files_of_event(update), nil
    draw(transcript, call)
  end,
  change_reverted = function(transcript, update)
    local call = transcript.calls[transcript.changes[update.changeId]]
    if call and not update.madeIn then
      call.is_undone = true
      draw(transcript, call)
    end
  end,
  diagnostics_delta = function(transcript, update)
    local call = transcript.calls[transcript.changes[update.changeId]]
    local text = call and diagnosed(update)
    if text then
      call.diagnosed = text
      draw(transcript, call)
    end
  end,
  retry = function(transcript, update)
    transcript.doing = 'waiting to retry'
    local text = ('> *Attempt %d failed (%s); next attempt in %.0f s.*'):format(
      update.attempt,
      tool_call.first_line(update.error.message),
      update.waitSeconds
    )
    note(transcript, ('retry:%s:%d'):format(update.messageId, update.attempt), text)
  end,
  notice = function(transcript, update)
    local text = vim.trim(('%s %s'):format(update.message, update.hint or '')):gsub('%s*\n%s*', ' ')
    note(transcript, ('notice:%s:%s'):format(update.turnId, update.code), ('> *%s*'):format(text))
  end,
  compaction = function(transcript, update)
    local part = update.part or {}
    local text = '> *The conversation was compacted.*'
    if (part.tokensBefore or 0) > 0 then
      local sizes = '> *The conversation was compacted: about %s of %s tokens remain.*'
      text = sizes:format(format.tokens(part.tokensAfter), format.tokens(part.tokensBefore))
    end
    local summary = vim.trim(part.summary or '')
    if summary ~= '' then
      text = ('%s\n>\n> %s'):format(text, (summary:gsub('\r', ''):gsub('\n', '\n> ')))
    end
    note(transcript, 'compaction:' .. update.messageId, text, summary ~= '' and 1 or nil)
  end,
  session_back = function(transcript, update)
    local first = update.messageId
    M.note_way_forward(transcript, first, update.filesBack)
    if not first then
      return
    end
    -- A redo tells the messages again, and each block gets its text back at its place.
    for _, block in ipairs(transcript.page.blocks) do
      if block.message and block.message >= first then
        Page.replace(transcript.page, block, {})
        transcript.lengths[block.id] = nil
      end
    end
    for _, known in ipairs({ transcript.messages, transcript.turns }) do
      for id in pairs(known) do
        known[id] = id < first and known[id] or nil
      end
    end
    for key in pairs(transcript.calls) do
      transcript.calls[key] = key < first and transcript.calls[key] or nil
    end
    transcript.prompts = vim.tbl_filter(function(prompt)
      return prompt.id < first
    end, transcript.prompts)
  end,
  usage_update = function(transcript, update)
    transcript.context_used = update.contextUsed
    transcript.context_size = update.contextSize or transcript.context_size
  end,
  session_info_update = function(transcript, update)
    transcript.title = update.title
  end,
  current_mode_update = function(transcript, update)
    transcript.agent, transcript.model = update.agent, update.model or transcript.model
  end,
  turn_started = function(transcript)
    transcript.doing = 'waiting for the model'
  end,
  turn_ended = function(transcript, update)
    transcript.doing = nil
    transcript.turn = update.turnId
    local text = ending(transcript, update)
    if text then
      note(transcript, 'end:' .. update.turnId, text)
    end
  end,
}
KINDS.tool_call_update = KINDS.tool_call

---Apply one event. Events of unknown kinds change nothing.
---@param transcript placet.Transcript
---@param update placet.wire.Update
function M.apply(transcript, update)
  local change = KINDS[update.kind]
  local message = update.messageId and transcript.messages[update.messageId]
  if message then
    transcript.turn = message.turn
  end
  local current = update.messageId or (update.message and update.message.id)
  if current and update.kind ~= 'session_back' then
    transcript.message = current
  end
  if change then
    change(transcript, update)
  end
end

---Show the progress of a subagent below its call.
---@param transcript placet.Transcript
---@param call placet.ToolCall
---@param progress string[]
function M.progress(transcript, call, progress)
  call.progress = progress
  draw(transcript, call)
end

---Return the text of a turn's answer, without thinking and tool calls.
---@param transcript placet.Transcript
---@param turn? string
---@return string
function M.answer(transcript, turn)
  local texts = {}
  for _, block in ipairs(transcript.page.blocks) do
    if block.kind == 'text' and block.turn == turn then
      texts[#texts + 1] = Page.text(block, 0)
    end
  end
  return table.concat(texts, '\n\n')
end

return M
