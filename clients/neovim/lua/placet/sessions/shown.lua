---Sessions whose chats or prompts are on the screen.
local api = vim.api
local M = {}

---Return the session of a chat or prompt buffer, unless the session belongs to a subagent.
---@param bufnr integer
---@return string?
function M.session_of(bufnr)
  local chat, compose = package.loaded['placet.chat'], package.loaded['placet.compose']
  local session_id = chat and chat.session_of(bufnr) or compose and compose.session_of(bufnr) or nil
  return session_id and not require('placet.chat.subagents').is_subagent(session_id) and session_id or nil
end

---Return the fitting session of the current buffer, else of a chat in the current tab page.
---@param fits fun(session_id: string): boolean?
---@return string?
function M.here(fits)
  local windows = { api.nvim_get_current_win() }
  vim.list_extend(windows, package.loaded['placet.chat'] and api.nvim_tabpage_list_wins(0) or {})
  for _, window in ipairs(windows) do
    local session_id = M.session_of(api.nvim_win_get_buf(window))
    if session_id and fits(session_id) then
      return session_id
    end
  end
end

return M
