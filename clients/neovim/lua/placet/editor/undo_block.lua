---One step of Vim's undo for all that a turn does to a buffer, as long as nobody else changes it in between.
local api = vim.api
local M = {}

---@type table<integer, {turn: string, sequence: integer}> buffer -> the last edit of a turn
local last = {}

---What is changed from here on is a step of its own. Setting the option is how Vim documents it.
---@param bufnr integer
local function cut(bufnr)
  api.nvim_buf_call(bufnr, function()
    vim.cmd('let &l:undolevels = &l:undolevels')
  end)
end

---The next change goes with the one before.
---@param bufnr integer
function M.join(bufnr)
  api.nvim_buf_call(bufnr, function()
    pcall(vim.cmd, 'undojoin') -- not allowed where the last thing was an undo
  end)
end

---An edit begins: in the turn's step, if that is still the last there is, else in a new one.
---@param bufnr integer
---@param turn? string without one it stands alone
function M.begin(bufnr, turn)
  local mine, tree = last[bufnr], vim.fn.undotree(bufnr)
  if
    turn
    and mine
    and mine.turn == turn
    and tree.seq_last == mine.sequence
    and tree.seq_cur == mine.sequence
  then
    M.join(bufnr)
  else
    cut(bufnr)
  end
end

---It is done, and what the user changes now is the user's own step.
---@param bufnr integer
---@param turn? string
function M.finish(bufnr, turn)
  cut(bufnr)
  for one in pairs(last) do
    if not api.nvim_buf_is_valid(one) then
      last[one] = nil
    end
  end
  last[bufnr] = turn and { turn = turn, sequence = vim.fn.undotree(bufnr).seq_last } or nil
end

return M
