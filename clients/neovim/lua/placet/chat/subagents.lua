---Which session works for which call of `task`. While one runs, the call does not name its session: it is
---known by the prompt that the call gave it.
local Page = require('placet.chat.page')
local prompt_text = require('placet.compose.prompt_text')
local Transcript = require('placet.chat.transcript')

local M = {}

local LAST_CALLS = 3

---@class placet.SubagentTask
---@field transcript placet.Transcript of the session that has the work done
---@field call placet.ToolCall

---@type table<string, placet.SubagentTask> by the subagent's session id
local employed = {}

---@param call placet.ToolCall
---@param text string
---@param session_id string
local function has_given(call, text, session_id)
  local input = call.part.state.input or {}
  return call.part.tool == 'task'
    and call.part.state.status == 'running'
    and (call.session == nil or call.session == session_id)
    and (input.task_id == nil or input.task_id == session_id)
    and input.prompt == text
end

---A prompt has reached a session: if a call gave it, the session works for that call.
---@param session_id string
---@param message table
---@param transcripts table<string, placet.Transcript> all that are known, by session
function M.prompted(session_id, message, transcripts)
  local text = prompt_text.words(message.parts or {})
  for id, transcript in pairs(transcripts) do
    for _, call in pairs(id ~= session_id and transcript.calls or {}) do
      if has_given(call, text, session_id) then
        call.session = session_id
        employed[session_id] = { transcript = transcript, call = call }
        return
      end
    end
  end
end

---@param session_id string
---@return boolean
function M.is_one(session_id)
  return employed[session_id] ~= nil
end

---What it did last, as lines below its call.
---@param transcript placet.Transcript
---@return string[]
local function progress_of(transcript)
  local lines, count = {}, 0
  for index = #transcript.page.blocks, 1, -1 do
    local block = transcript.page.blocks[index]
    if block.kind == 'tool' then
      count = count + 1
      if count <= LAST_CALLS then
        table.insert(lines, 1, '  ' .. block.lines[1])
      end
    end
  end
  if count > LAST_CALLS then
    table.insert(lines, 1, ('  - %d calls before'):format(count - LAST_CALLS))
  end
  if transcript.doing == 'writing' or transcript.doing == 'thinking' then
    lines[#lines + 1] = ('  - … %s'):format(transcript.doing)
  end
  return lines
end

---A session has moved on: show it where it is waited for.
---@param session_id string
---@param transcript placet.Transcript
---@return placet.Transcript? transcript of the session in which it is shown
function M.moved_on(session_id, transcript)
  local work = employed[session_id]
  if not work or work.call.part.state.status ~= 'running' then
    return nil
  end
  local progress = progress_of(transcript)
  if vim.deep_equal(progress, work.call.progress) then
    return nil
  end
  Transcript.progress(work.transcript, work.call, progress)
  return next(work.transcript.page.dirty) and work.transcript or nil
end

---@param session_id string
function M.forget(session_id)
  employed[session_id] = nil
end

---The session that works, or worked, for what stands in a line of a page.
---@param page placet.Page
---@param row integer 0-based
---@return string?
function M.session_at(page, row)
  local block, line = Page.at(page, row)
  local target = block and block.targets and block.targets[line]
    or block and block.targets and block.targets[1]
  return target and target.session
end

return M
