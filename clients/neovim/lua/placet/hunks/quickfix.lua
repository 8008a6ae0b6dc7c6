---Quickfix list of hunks. The lists of the user stay in the stack of lists.
local M = {}

---@type integer? id of our list; the stack holds ten and drops the oldest
local id

---@return integer number of our list in the stack, 0 if the list is gone
local function number()
  return id and vim.fn.getqflist({ id = id, nr = 0 }).nr or 0
end

---Make our list, which is new if necessary, the current list.
---@param title string
---@param items vim.quickfix.entry[]
function M.open(title, items)
  local list = { title = 'Placet: ' .. title, items = items }
  if number() > 0 then
    list.id = id
    vim.fn.setqflist({}, 'r', list)
  else
    list.nr = '$'
    vim.fn.setqflist({}, ' ', list)
    id = vim.fn.getqflist({ nr = '$', id = 0 }).id
  end
  if vim.fn.getqflist({ nr = 0 }).nr ~= number() then
    vim.cmd(('silent %dchistory'):format(number()))
  end
end

---Update the entries. The current list stays current.
---@param items vim.quickfix.entry[]
function M.renew(items)
  if number() > 0 then
    vim.fn.setqflist({}, 'r', { id = id, items = items })
  end
end

return M
