---Undo blocks: all edits of a turn in a buffer form one undo block, unless another change lies between.
local api = vim.api
local M = {}

---@type table<integer, {turn: string, sequence: integer}> buffer -> the last edit of a turn
local last = {}

---Close the current undo block. Setting 'undolevels' is the documented way.
---@param bufnr integer
local function cut(bufnr)
  api.nvim_buf_call(bufnr, function()
    vim.cmd('let &l:undolevels = &l:undolevels')
  end)
end

---Join the next change with the previous undo block.
---@param bufnr integer
function M.join(bufnr)
  api.nvim_buf_call(bufnr, function()
    pcall(vim.cmd, 'undojoin') -- not allowed directly after an undo
  end)
end

---Begin an edit: in the turn's undo block if no other change followed, else in a new block.
---@param bufnr integer
---@param turn? string an edit without turn has its own undo block
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

---End an edit, so that the next change of the user starts a new undo block.
---@param bufnr integer
---@param turn? string
function M.finish(bufnr, turn)
  cut(bufnr)
  for known_bufnr in pairs(last) do
    if not api.nvim_buf_is_valid(known_bufnr) then
      last[known_bufnr] = nil
    end
  end
  last[bufnr] = turn and { turn = turn, sequence = vim.fn.undotree(bufnr).seq_last } or nil
end

return M
