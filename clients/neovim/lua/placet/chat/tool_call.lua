---Tool call as Markdown: a heading line, then the changed files, the feedback and the output. Pure.
local format = require('placet.chat.format')
local tool_output = require('placet.chat.tool_output')
local words = require('placet.ui.words')

local M = {}

---@class placet.ToolCall one tool call of a transcript
---@field part placet.wire.ToolPart
---@field block string
---@field changed? placet.wire.ChangedFile[] files of `change_applied`
---@field is_undone? boolean
---@field diagnosed? string
---@field progress? string[] last calls of the subagent, while the subagent runs
---@field session? string the subagent's

---@class placet.ToolOptions
---@field marks table<string, string> by status
---@field fold_above integer longest output in lines that is not folded
---@field live_lines integer lines of output to show while a command runs

---Words for the place of a shell command, by `metadata.sandbox`.
local SANDBOXES = { inside = 'sandboxed', outside = 'outside the sandbox' }
local SUBJECTS = { 'filePath', 'command', 'pattern', 'query', 'url', 'path', 'description', 'name' }

---@param path string
local function short(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

---Return the first line of a text, cut to 120 characters.
---@param text string
---@return string
function M.first_line(text)
  local line = text:match('^%s*([^\r\n]*)') or ''
  return vim.fn.strcharlen(line) > 120 and vim.fn.strcharpart(line, 0, 119) .. '…' or line
end

---@param part placet.wire.ToolPart
---@return string
local function title_of(part)
  local title = part.state.title
  if type(title) == 'string' and title ~= '' then
    return title
  end
  local input = part.state.input or {}
  for _, name in ipairs(SUBJECTS) do
    if type(input[name]) == 'string' then
      return name == 'filePath' and short(input[name]) or input[name]
    end
  end
  return ''
end

---Return the files of `change_applied`, with their rejected hunks, in the form of a completed tool call.
---@param update table
---@return table[]
function M.files_of_event(update)
  local files = vim.deepcopy(update.files)
  for _, rejected in ipairs(update.refused or {}) do
    local file = vim.iter(files):find(function(candidate)
      return candidate.uri == rejected.uri
    end)
    if not file then
      file = { uri = rejected.uri, kind = rejected.kind, newUri = rejected.newUri, status = 'refused' }
      files[#files + 1] = file
    end
    file.refusedHunks = rejected.hunks
  end
  return files
end

---Return the files that a call changed, each with its diff. A completed call carries the files itself, also
---in a replay.
---@param call placet.ToolCall
---@return table[]
local function files_of(call)
  local files = (call.part.state.metadata or {}).files
  if type(files) == 'table' and vim.islist(files) and files[1] and files[1].uri then
    return files
  end
  return call.changed or {}
end

---Count the hunks of a file that the user rejected.
---@param file table
---@return integer
local function rejected_in(file)
  local count = type(file.refusedHunks) == 'table' and #file.refusedHunks or 0
  return file.status == 'refused' and math.max(count, 1) or count
end

---@param files table[]
---@return string?
local function counted(files)
  if #files == 0 then
    return nil
  end
  local added, deleted, rejected, is_edited = 0, 0, 0, false
  for _, file in ipairs(files) do
    added, deleted = added + (file.additions or 0), deleted + (file.deletions or 0)
    rejected = rejected + rejected_in(file)
    is_edited = is_edited or (file.edited ~= nil and file.edited ~= false and file.edited ~= '')
  end
  local texts = { ('+%d -%d'):format(added, deleted) }
  if rejected > 0 then
    texts[2] = ('%d hunk%s rejected'):format(rejected, rejected == 1 and '' or 's')
  end
  if is_edited then
    texts[#texts + 1] = 'edited by you'
  end
  return table.concat(texts, ', ')
end

---@param call placet.ToolCall
---@param files table[]
---@param folded integer lines
---@return string
local function details(call, files, folded)
  local state = call.part.state
  local metadata = state.metadata or {}
  local texts = {}
  if type(metadata.agent) == 'string' and call.part.tool == 'task' then
    texts[#texts + 1] = '@' .. metadata.agent
  end
  texts[#texts + 1] = counted(files)
  if call.is_undone then
    texts[#texts + 1] = 'undone'
  end
  texts[#texts + 1] = SANDBOXES[metadata.sandbox]
  if type(metadata.exit) == 'number' and metadata.exit ~= 0 then
    texts[#texts + 1] = ('exit %d'):format(metadata.exit)
  end
  -- The time that the call waited for the user is not the call's work.
  local waited = type(metadata.waited) == 'number' and metadata.waited or 0
  if state['end'] and state.start and state['end'] - state.start - waited >= 1000 then
    texts[#texts + 1] = format.duration(state['end'] - state.start - waited)
  end
  if folded > 0 then
    texts[#texts + 1] = words.counted(folded, 'line')
  end
  return #texts > 0 and (' (%s)'):format(table.concat(texts, ', ')) or ''
end

---Return the user's feedback on a permission request as lines: on the request, on a file, or on a hunk.
---@param state table
---@return string[] lines
---@return placet.LinkTarget[] targets file and line of each comment, or false
local function said(state)
  local remarks = (state.metadata or {}).said
  local lines, targets = {}, {}
  for _, remark in ipairs(type(remarks) == 'table' and vim.islist(remarks) and remarks or {}) do
    local path = type(remark.uri) == 'string' and vim.uri_to_fname(remark.uri)
    local line = path and type(remark.hunk) == 'table' and remark.hunk.newStart + 1 or nil
    local about = path and (', on `%s`%s'):format(short(path), line and ', line ' .. line or '') or ''
    for index, text in ipairs(vim.split(tostring(remark.text or ''), '\n', { plain = true })) do
      lines[#lines + 1] = index == 1 and ('  - You%s: %s'):format(about, text) or '    ' .. text
      targets[#lines] = path and { path = path, line = line } or false
    end
  end
  return lines, targets
end

---Words about a failure whose error is written for the model, by the kind of the failure.
local FAILURES = {
  conflict = 'the same lines were changed meanwhile, so nothing was changed; the agent is told the lines',
  mistake = 'the call did not fit, so nothing was done; the agent is told why',
  rejected = 'rejected by you',
}

---@param call placet.ToolCall
---@param files table[]
---@param folded integer
---@param options placet.ToolOptions
---@return string
local function heading(call, files, folded, options)
  local part = call.part
  local state = part.state
  local line = ('- %s `%s` %s'):format(
    options.marks[state.status] or options.marks.running,
    part.tool,
    M.first_line(title_of(part))
  )
  line = line:gsub('%s+$', '') .. details(call, files, folded)
  if call.diagnosed then
    line = ('%s %s'):format(line, call.diagnosed)
  end
  if state.status == 'error' then
    local failure = #said(state) > 0 and 'rejected' or (state.metadata or {}).failure
    line = ('%s: %s'):format(line, FAILURES[failure] or M.first_line(state.error or ''))
  end
  return (line:gsub('%s+$', ''))
end

---Return the first changed line of a file.
---@param file table
---@return placet.LinkTarget
local function place_of(file)
  local diff = file.diff or ''
  local line = tonumber(diff:match('@@ %-%d+,?%d* %+(%d+)')) or 1
  local above = diff:match('\n@@[^\n]*\n(.*)') or ''
  for text in above:gmatch('[^\n]+') do
    if text:sub(1, 1) ~= ' ' then
      break
    end
    line = line + 1
  end
  return { path = vim.uri_to_fname(file.newUri or file.uri), line = math.max(line, 1) }
end

---@param call placet.ToolCall
---@param files table[]
---@return placet.LinkTarget?
local function target_of(call, files)
  local input = call.part.state.input or {}
  if call.part.tool == 'task' then
    local session = call.session or (call.part.state.metadata or {}).sessionId
    return type(session) == 'string' and { path = '', session = session } or nil
  elseif files[1] then
    return place_of(files[1])
  elseif type(input.filePath) == 'string' then
    return {
      path = input.filePath,
      line = type(input.offset) == 'number' and math.max(input.offset, 1) or nil,
    }
  end
end

---@param file table
---@return string
local function file_line(file)
  local name = short(vim.uri_to_fname(file.uri))
  if file.status == 'refused' then
    return ('  - `%s` rejected'):format(name)
  elseif file.status == 'conflict' then
    return ('  - `%s` left as you have it, as you changed the same lines'):format(name)
  elseif file.kind == 'delete' then
    return ('  - `%s` deleted'):format(name)
  elseif file.newUri then
    name = ('%s` → `%s'):format(name, short(vim.uri_to_fname(file.newUri)))
  end
  return ('  - `%s` (%s)'):format(name, counted({ file }))
end

---@param call placet.ToolCall
---@param options placet.ToolOptions
---@return string[] lines
---@return integer? fold first folded line; the fold ends at the last line
---@return table<integer, placet.LinkTarget> targets by line
function M.lines(call, options)
  local status = call.part.state.status
  local has_ended = status == 'completed' or status == 'error'
  local files = files_of(call)
  local body = has_ended and tool_output.body(call.part, files)
    or tool_output.live(call.part, options.live_lines)
  local is_folded = has_ended and #body.lines > options.fold_above
  local lines = { heading(call, files, is_folded and body.language ~= 'diff' and #body.lines or 0, options) }
  local targets = { target_of(call, files) }
  for _, text in ipairs(not has_ended and call.progress or {}) do
    lines[#lines + 1] = text
    targets[#lines] = targets[1]
  end
  for _, file in ipairs(#files > 1 and files or {}) do
    lines[#lines + 1] = file_line(file)
    targets[#lines] = place_of(file)
  end
  local remarks, abouts = said(call.part.state)
  for index, text in ipairs(remarks) do
    lines[#lines + 1] = text
    targets[#lines] = abouts[index] or nil
  end
  local fold = is_folded and (#lines > 1 and #lines + 1 or 1) or nil
  if #body.lines > 0 then
    local first = #lines + 1
    vim.list_extend(lines, tool_output.fenced(body))
    for index, target in pairs(body.targets) do
      targets[first + index] = target
    end
  end
  return lines, fold, targets
end

return M
