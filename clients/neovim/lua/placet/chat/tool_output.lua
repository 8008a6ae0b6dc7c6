---Output of a tool call below its heading: text, diff or answers. Pure.
local M = {}

local MOST_LINES = 1000

---@class placet.ToolOutput
---@field lines string[]
---@field language string of the code fence; '' for none
---@field targets table<integer, placet.LinkTarget>

---The todo list shows the result of these tools.
local SAID_OTHERWISE = { todowrite = true, todoread = true }

---@param text string
---@return string[]
local function split(text)
  local lines = vim.split(text:gsub('\r\n?', '\n'):gsub('%z', ''), '\n', { plain = true })
  while #lines > 0 and lines[#lines]:match('^%s*$') do
    lines[#lines] = nil
  end
  return lines
end

---@param files table[] files with `uri` and `diff`
---@return placet.ToolOutput
local function diff_body(files)
  local body = { lines = {}, language = 'diff', targets = {} }
  for _, file in ipairs(files) do
    local path, line = vim.uri_to_fname(file.newUri or file.uri), 1
    for _, text in ipairs(split(file.diff or '')) do
      local start = text:match('^@@ %-%d+,?%d* %+(%d+)')
      line = start and tonumber(start) or line
      body.lines[#body.lines + 1] = text
      body.targets[#body.lines] = { path = path, line = math.max(line, 1) }
      if not start and not text:match('^[-\\]') and not text:match('^%+%+%+ ') then
        line = line + 1
      end
    end
  end
  return body
end

---@param metadata table
---@return string?
local function answers(metadata)
  local questions, given = metadata.questions, metadata.answers
  if type(questions) ~= 'table' or type(given) ~= 'table' then
    return nil
  end
  local texts = {}
  for index, question in ipairs(questions) do
    local chosen = type(given[index]) == 'table' and given[index] or {}
    texts[#texts + 1] = ('%s %s'):format(
      question,
      #chosen > 0 and table.concat(chosen, ', ') or '(no answer)'
    )
  end
  return table.concat(texts, '\n')
end

---@param text string
local function without_task_tags(text)
  return (
    text:gsub('^<task [^\n]*\n', ''):gsub('^<task_result>\n', ''):gsub('\n</task_result>\n</task>%s*$', '')
  )
end

---@param part placet.wire.ToolPart
---@return string
local function text_of(part)
  local state = part.state
  local metadata = state.metadata or {}
  if SAID_OTHERWISE[part.tool] then
    return ''
  elseif type(metadata.output) == 'string' then
    return metadata.output
  elseif state.status == 'error' and (metadata.said or metadata.failure) then
    return '' -- The heading says all that is for the user.
  elseif state.status == 'error' then
    return (state.error or ''):match('\n(.*)') or ''
  elseif state.status ~= 'completed' then
    return ''
  elseif part.tool == 'question' then
    return answers(metadata) or state.output or ''
  elseif part.tool == 'task' then
    return without_task_tags(state.output or '')
  end
  return state.output or ''
end

---Limit the output to about MOST_LINES lines: keep the end for a command, else the beginning.
---@param lines string[]
---@param wants_end boolean
---@return string[]
local function bounded(lines, wants_end)
  local left_out = #lines - MOST_LINES
  if left_out <= 1 then -- A single line takes no more room than its count.
    return lines
  elseif wants_end then
    return vim.list_extend({ ('… %d earlier lines'):format(left_out) }, lines, left_out + 1)
  end
  return vim.list_extend(vim.list_slice(lines, 1, MOST_LINES), { ('… %d more lines'):format(left_out) })
end

---Return the last lines of a text without splitting the whole text.
---@param text string
---@param count integer
---@return string[]
local function last_lines(text, count)
  local start, newlines = #text, -1
  while start > 0 do
    if text:byte(start) == 10 then
      newlines = newlines + 1
      if newlines >= count then
        break
      end
    end
    start = start - 1
  end
  local lines = split(text:sub(start + 1))
  return vim.list_slice(lines, math.max(1, #lines - count + 1))
end

---Return the whole output of a completed call.
---@param part placet.wire.ToolPart
---@param files table[] files that the call changed
---@return placet.ToolOutput
function M.body(part, files)
  local with_diff = vim.tbl_filter(function(file)
    return type(file.diff) == 'string' and file.diff ~= ''
  end, files)
  if #with_diff > 0 and part.tool ~= 'bash' then
    return diff_body(with_diff)
  end
  local language = part.tool == 'task' and 'markdown' or 'text'
  return { lines = bounded(split(text_of(part)), part.tool == 'bash'), language = language, targets = {} }
end

---Return the last lines of the output of a running call.
---@param part placet.wire.ToolPart
---@param count integer
---@return placet.ToolOutput
function M.live(part, count)
  local output = (part.state.metadata or {}).output
  local lines = type(output) == 'string' and last_lines(output, count) or {}
  return { lines = lines, language = 'text', targets = {} }
end

---Return the output as a fenced code block inside a list item. The fence is longer than any fence in the
---output.
---@param body placet.ToolOutput
---@return string[]
function M.fenced(body)
  local longest = 2
  for _, line in ipairs(body.lines) do
    longest = math.max(longest, #(line:match('^%s*(`+)') or ''))
  end
  local fence = ('`'):rep(longest + 1)
  local lines = { ('  %s%s'):format(fence, body.language) }
  for _, line in ipairs(body.lines) do
    lines[#lines + 1] = line == '' and '' or '  ' .. line
  end
  lines[#lines + 1] = '  ' .. fence
  return lines
end

return M
