---Map subagent sessions to their `task` calls. A running call does not name its session. The session is found
---by the prompt of the call.
local Page = require('placet.chat.page')
local shown = require('placet.sessions.shown')
local prompt_text = require('placet.chat.prompt_text')
local Transcript = require('placet.chat.transcript')

local M = {}

local LAST_CALLS = 3

---@class placet.SubagentTask
---@field transcript placet.Transcript of the session that started the subagent
---@field call placet.ToolCall

---@type table<string, placet.SubagentTask> by the subagent's session id
local tasks = {}

---@param call placet.ToolCall
---@param text string
---@param session_id string
local function is_prompt_of(call, text, session_id)
  local input = call.part.state.input or {}
  return call.part.tool == 'task'
    and call.part.state.status == 'running'
    and (call.session == nil or call.session == session_id)
    and (input.task_id == nil or input.task_id == session_id)
    and input.prompt == text
end

---Link a session to a `task` call if its first prompt is the prompt of the call.
---@param session_id string
---@param message table
---@param transcripts table<string, placet.Transcript> all transcripts by session id
function M.link(session_id, message, transcripts)
  local text = prompt_text.words(message.parts or {})
  for id, transcript in pairs(transcripts) do
    for _, call in pairs(id ~= session_id and transcript.calls or {}) do
      if is_prompt_of(call, text, session_id) then
        call.session = session_id
        tasks[session_id] = { transcript = transcript, call = call }
        shown.note_subagent(session_id, true)
        return
      end
    end
  end
end

---Return the last tool calls of a subagent as lines for the `task` call.
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
    table.insert(lines, 1, ('  - %d earlier calls'):format(count - LAST_CALLS))
  end
  if transcript.doing == 'writing' or transcript.doing == 'thinking' then
    lines[#lines + 1] = ('  - … %s'):format(transcript.doing)
  end
  return lines
end

---Show the progress of a subagent below its `task` call.
---@param session_id string
---@param transcript placet.Transcript
---@return placet.Transcript? transcript that shows the progress, if the progress changed
function M.show_progress(session_id, transcript)
  local task = tasks[session_id]
  if not task or task.call.part.state.status ~= 'running' then
    return nil
  end
  local progress = progress_of(transcript)
  if vim.deep_equal(progress, task.call.progress) then
    return nil
  end
  Transcript.progress(task.transcript, task.call, progress)
  return next(task.transcript.page.dirty) and task.transcript or nil
end

---@param session_id string
function M.forget(session_id)
  tasks[session_id] = nil
  shown.note_subagent(session_id, false)
end

---Return the subagent session of a line in a page.
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
