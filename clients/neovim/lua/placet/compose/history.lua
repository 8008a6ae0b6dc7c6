---Prompt history of this Neovim and its open sessions, oldest prompt first. Each text occurs only once, at
---its last use.
local prompt_text = require('placet.chat.prompt_text')
local shown = require('placet.sessions.shown')

local M = {}

---@type {text: string, created: integer}[]
local entries = {}

local MOST = 500

---@param text string
---@param created integer milliseconds since the epoch
function M.add(text, created)
  text = vim.trim(text)
  if text == '' then
    return
  end
  for index, entry in ipairs(entries) do
    if entry.text == text then
      created = math.max(created, entry.created)
      table.remove(entries, index)
      break
    end
  end
  local place = #entries + 1
  while place > 1 and entries[place - 1].created > created do
    place = place - 1
  end
  table.insert(entries, place, { text = text, created = created })
  if #entries > MOST then
    table.remove(entries, 1)
  end
end

---Add the prompt of a user message, unless an agent wrote the prompt for a subagent.
---@param session_id string
---@param message table
function M.note(session_id, message)
  if not shown.is_subagent(session_id) then
    M.add(prompt_text.words(message.parts or {}), message.created or 0)
  end
end

---@return integer
function M.count()
  return #entries
end

---@param index integer 1 is the oldest
---@return string?
function M.at(index)
  return entries[index] and entries[index].text
end

return M
