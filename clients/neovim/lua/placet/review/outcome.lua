---Outcome of an accepted change: an answer that has applied nothing is told to the user.
local visible_text = require('placet.ui.visible_text')

local M = {}

---@type table<string, string> message and call id -> title of the accepted change
local expected = {}

---Watch the tool call of a change that the user has accepted, wholly or in part.
---@param params placet.wire.RequestPermission
---@param answer placet.wire.Permission
function M.expect(params, answer)
  local call = params.toolCall
  if call and call.messageId and call.callId and answer.outcome ~= 'reject' then
    expected[call.messageId .. '/' .. call.callId] = params.title
  end
end

---Apply an event of a session.
---@param update placet.wire.Update
function M.on_update(update)
  local key = update.kind == 'tool_call_update' and ('%s/%s'):format(update.messageId, update.part.callId)
  local title, state = expected[key or ''], update.part and update.part.state
  if not title or (state.status ~= 'error' and state.status ~= 'completed') then
    return
  end
  expected[key] = nil
  if state.status == 'error' then
    local reason = vim.split(state.error or '', '\n', { plain = true })[1]
    local text = visible_text.plain(('nothing applied. %s: %s'):format(title, reason))
    vim.notify('Placet: ' .. text, vim.log.levels.WARN)
  end
end

return M
