---Sessions whose chats or prompts are on the screen.
local api = vim.api
local M = {}

---@type table<string, true> ids of the sessions that belong to subagents
local subagents = {}

---@param session_id string
---@param is_subagent boolean
function M.note_subagent(session_id, is_subagent)
  subagents[session_id] = is_subagent or nil
end

---@param session_id string
---@return boolean
function M.is_subagent(session_id)
  return subagents[session_id] ~= nil
end

---Return the session of a chat or prompt buffer, unless the session belongs to a subagent.
---@param bufnr integer
---@return string?
function M.session_of(bufnr)
  local kind, session_id = api.nvim_buf_get_name(bufnr):match('^placet://(%a+)/(.+)$')
  local is_shown = kind == 'chat' or kind == 'prompt'
  return is_shown and not M.is_subagent(session_id) and session_id or nil
end

---Return the fitting session of the current buffer, else of a chat in the current tab page.
---@param fits fun(session_id: string): boolean?
---@return string?
function M.here(fits)
  local windows = { api.nvim_get_current_win() }
  vim.list_extend(windows, api.nvim_tabpage_list_wins(0))
  for _, window in ipairs(windows) do
    local session_id = M.session_of(api.nvim_win_get_buf(window))
    if session_id and fits(session_id) then
      return session_id
    end
  end
end

return M
