---What a session said, as Markdown blocks. Pure: an update in, what to write out. A replay changes nothing.
local M = {}

---@class placet.Transcript
---@field lengths table<string, integer> code points known of each text part
---@field tools table<string, table> what is known of each tool call, by call id
---@field calls table<string, string> the tool call that made a change, by change id

---@class placet.BlockChange
---@field block string which block; a new one goes to the end
---@field kind 'text'|'tool'|'note'
---@field append? string more text for the block
---@field replace? string its whole text

---@return placet.Transcript
function M.new()
  return { lengths = {}, tools = {}, calls = {} }
end

local MARKS = { pending = '…', running = '…', completed = '✓', error = '✗' }

---@param path string
local function short(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

---The first line of a text, cut to a readable length.
---@param text string
local function first_line(text)
  local line = text:match('[^\r\n]*') or ''
  return vim.fn.strcharlen(line) > 120 and vim.fn.strcharpart(line, 0, 119) .. '…' or line
end

---What stands in a chunk beyond what is known already. Offsets count code points.
---@param transcript placet.Transcript
---@param update table
---@return string
local function news_of(transcript, update)
  local text = update.text or ''
  local known = transcript.lengths[update.partId] or 0
  local length = vim.str_utfindex(text, 'utf-32')
  local skip = math.max(0, known - update.offset)
  if skip >= length then
    return ''
  end
  transcript.lengths[update.partId] = update.offset + length
  return text:sub(vim.str_byteindex(text, 'utf-32', skip) + 1)
end

---@param input table
---@return string
local function subject(input)
  for _, name in ipairs({ 'filePath', 'command', 'pattern', 'path', 'url' }) do
    local value = input[name]
    if type(value) == 'string' then
      return name == 'filePath' and short(value) or first_line(value)
    end
  end
  return ''
end

---What a change did to the diagnostics: `Pyright: 1 fixed, 1 new`; nothing where nothing is different.
---@param update table
---@return string?
local function diagnosed(update)
  local sources = {}
  for _, one in ipairs(vim.list_extend(vim.list_extend({}, update.removed or {}), update.added or {})) do
    if one.source ~= '' and not vim.list_contains(sources, one.source) then
      sources[#sources + 1] = one.source
    end
  end
  local counts = {}
  for word, list in vim.spairs({ fixed = update.removed or {}, new = update.added or {} }) do
    if #list > 0 then
      counts[#counts + 1] = ('%d %s'):format(#list, word)
    end
  end
  if #counts == 0 then
    return not update.fresh and 'not judged in time' or nil
  end
  local who = #sources > 0 and table.concat(sources, ', ') .. ': ' or ''
  return who .. table.concat(counts, ', ') .. (update.fresh and '' or ', perhaps outdated')
end

---@param tool {part: table, added?: integer, deleted?: integer, diagnosed?: string}
---@return string
local function tool_line(tool)
  local part = tool.part
  local state = part.state
  local title = state.title
  if type(title) ~= 'string' or title == '' then
    title = subject(state.input or {})
  end
  local line = ('- %s `%s` %s'):format(MARKS[state.status] or '…', part.tool, first_line(title))
  if tool.added then
    line = ('%s (+%d -%d)'):format(line, tool.added, tool.deleted)
  end
  if tool.diagnosed then
    line = ('%s %s'):format(line, tool.diagnosed)
  end
  if state.status == 'error' then
    line = ('%s: %s'):format(line, first_line(state.error or ''))
  end
  return (line:gsub('%s+$', ''))
end

---@param transcript placet.Transcript
---@param call_id string
local function tool_change(transcript, call_id)
  local tool = transcript.tools[call_id]
  return { { block = 'tool:' .. call_id, kind = 'tool', replace = tool_line(tool) } }
end

---@param message table
---@return string
local function user_text(message)
  local texts = {}
  for _, part in ipairs(message.parts or {}) do
    if part.type == 'text' and not part.synthetic then
      texts[#texts + 1] = part.text
    elseif part.type == 'file' and vim.startswith(part.uri, 'data:') then
      -- The content of an image stands behind the file that it is of, or alone if it was pasted.
      local name = ('`%s`'):format(part.name or part.mime or 'data')
      if not (texts[#texts] or ''):find(name:sub(2), 1, true) then
        texts[#texts + 1] = name
      end
    elseif part.type == 'file' then
      local range = part.range
      local lines = range and (':%d-%d'):format(range.start, range['end']):gsub('^:(%d+)-%1$', ':%1') or ''
      texts[#texts + 1] = ('`%s%s`'):format(short(vim.uri_to_fname(part.uri)), lines)
    end
  end
  return table.concat(texts, '\n')
end

---@param entries table[]
local function plan_text(entries)
  return table.concat(
    vim.tbl_map(function(entry)
      local mark = ({ completed = 'x', in_progress = '-' })[entry.status] or ' '
      return ('- [%s] %s'):format(mark, entry.content)
    end, entries),
    '\n'
  )
end

---@param update table
---@return string?
local function ending(update)
  local failure = update.error
  if failure then
    local hint = failure.hint and failure.hint ~= '' and ('\n> ' .. failure.hint) or ''
    return ('> **%s**%s'):format(first_line(failure.message), hint)
  end
  local reason = update.stopReason
  return reason ~= 'end_turn' and ('> *%s*'):format(reason:gsub('_', ' ')) or nil
end

---@type table<string, fun(transcript: placet.Transcript, update: table): placet.BlockChange[]?>
local KINDS = {
  user_message = function(_, update)
    local message = update.message
    return {
      { block = message.id, kind = 'text', replace = '## You\n\n' .. user_text(message) .. '\n\n## Placet' },
    }
  end,
  agent_message_chunk = function(transcript, update)
    return { { block = update.partId, kind = 'text', append = news_of(transcript, update) } }
  end,
  agent_thought_chunk = function(transcript, update)
    local is_first = not transcript.lengths[update.partId]
    local text = news_of(transcript, update):gsub('\n', '\n> ')
    return { { block = update.partId, kind = 'text', append = (is_first and '> ' or '') .. text } }
  end,
  tool_call = function(transcript, update)
    local tool = transcript.tools[update.part.callId] or {}
    tool.part = update.part
    transcript.tools[update.part.callId] = tool
    return tool_change(transcript, update.part.callId)
  end,
  plan = function(_, update)
    return { { block = 'plan', kind = 'text', replace = plan_text(update.entries) } }
  end,
  change_applied = function(transcript, update)
    local tool = update.callId and transcript.tools[update.callId]
    if not tool then
      return nil
    end
    transcript.calls[update.changeId] = update.callId
    tool.added, tool.deleted = 0, 0
    for _, file in ipairs(update.files) do
      tool.added = tool.added + (file.additions or 0)
      tool.deleted = tool.deleted + (file.deletions or 0)
    end
    return tool_change(transcript, update.callId)
  end,
  diagnostics_delta = function(transcript, update)
    local call_id = transcript.calls[update.changeId]
    local text = call_id and diagnosed(update)
    if not text then
      return nil
    end
    transcript.tools[call_id].diagnosed = text
    return tool_change(transcript, call_id)
  end,
  retry = function(_, update)
    local text = ('> *Attempt %d failed (%s); again in %.0f s.*'):format(
      update.attempt,
      first_line(update.error.message),
      update.waitSeconds
    )
    return {
      { block = ('retry:%s:%d'):format(update.messageId, update.attempt), kind = 'note', replace = text },
    }
  end,
  notice = function(_, update)
    local text = ('> *%s %s*'):format(update.message, update.hint or '')
    return { { block = ('notice:%s:%s'):format(update.turnId, update.code), kind = 'note', replace = text } }
  end,
  compaction = function(_, update)
    local text = '> *The earlier conversation was summed up.*'
    return { { block = 'compaction:' .. update.messageId, kind = 'note', replace = text } }
  end,
  turn_ended = function(_, update)
    local text = ending(update)
    return text and { { block = 'end:' .. update.turnId, kind = 'note', replace = text } } or nil
  end,
}
KINDS.tool_call_update = KINDS.tool_call

---What an update adds to the page. Kinds that are not shown give nothing.
---@param transcript placet.Transcript
---@param update table
---@return placet.BlockChange[]
function M.apply(transcript, update)
  local change = KINDS[update.kind]
  return change and change(transcript, update) or {}
end

return M
