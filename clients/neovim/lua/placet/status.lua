---What Placet is doing, as one short text for a statusline, and as User autocommands.
local M = {}

---@type table<string, string> running turns: session id -> what it does
local turns = {}
local pending = 0

---@param event 'PlacetTurnStarted'|'PlacetPermission'|'PlacetTurnEnded'
---@param data table
local function fire(event, data)
  vim.api.nvim_exec_autocmds('User', { pattern = event, data = data, modeline = false })
  vim.cmd.redrawstatus()
end

---@param session_id string
---@param turn_id string
function M.turn_started(session_id, turn_id)
  turns[session_id] = 'working'
  fire('PlacetTurnStarted', { sessionId = session_id, turnId = turn_id })
end

---@param session_id string
---@param turn_id string
---@param stop_reason string
function M.turn_ended(session_id, turn_id, stop_reason)
  turns[session_id] = nil
  fire('PlacetTurnEnded', { sessionId = session_id, turnId = turn_id, stopReason = stop_reason })
end

---@param count integer permissions that wait for an answer
---@param asked? table the permission that was just asked for
function M.permissions(count, asked)
  pending = count
  if asked then
    fire('PlacetPermission', { sessionId = asked.sessionId, title = asked.title })
  end
end

---@return string text '' when there is nothing to say
function M.text()
  if pending > 0 then
    return ('Placet: %d to review'):format(pending)
  elseif next(turns) then
    return 'Placet: working'
  end
  return ''
end

---The daemon is gone, and with it all that ran.
function M.reset()
  turns, pending = {}, 0
end

return M
