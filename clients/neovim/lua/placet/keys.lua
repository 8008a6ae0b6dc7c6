---Buffer-local keys for as long as a review is open; what was mapped there before comes back.
local api = vim.api
local M = {}

---@class placet.KeyLoan
---@field bufnr integer
---@field before table<string, table|false> key -> the mapping it had in the buffer

---@param bufnr integer
---@param keys table<string, string|false> action -> key
---@param plugs table<string, string> action -> the <Plug> key it stands for
---@return placet.KeyLoan
function M.lend(bufnr, keys, plugs)
  local loan = { bufnr = bufnr, before = {} }
  api.nvim_buf_call(bufnr, function()
    for action, key in pairs(keys) do
      if key and plugs[action] then
        local mapping = vim.fn.maparg(key, 'n', false, true)
        loan.before[key] = mapping.buffer == 1 and mapping or false
        -- nowait: the editor's own longer keys (grn, gra) must not make these wait.
        vim.keymap.set('n', key, plugs[action], { buffer = bufnr, nowait = true, remap = true })
      end
    end
  end)
  return loan
end

---@param loan placet.KeyLoan
function M.give_back(loan)
  if not api.nvim_buf_is_loaded(loan.bufnr) then
    return
  end
  api.nvim_buf_call(loan.bufnr, function()
    for key, mapping in pairs(loan.before) do
      pcall(vim.keymap.del, 'n', key, { buffer = loan.bufnr })
      if mapping then
        vim.fn.mapset('n', false, mapping)
      end
    end
  end)
end

return M
