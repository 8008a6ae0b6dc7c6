---Folds of the chat buffers: ordinary Neovim folds by 'foldexpr', in every window that shows a chat buffer.
local Page = require('placet.chat.page')

local api = vim.api
local M = {}

---@type table<integer, placet.Page> buffer -> page
local pages = {}

---@param bufnr integer
---@param page placet.Page
function M.watch(bufnr, page)
  pages[bufnr] = page
end

---@param bufnr integer
function M.forget(bufnr)
  pages[bufnr] = nil
end

---Return the 'foldexpr' value for a line of the current buffer.
---@param number integer 1-based
---@return string
function M.level(number)
  local page = pages[api.nvim_get_current_buf()]
  local block, line = nil, 0
  if page then
    block, line = Page.at(page, number - 1)
  end
  if not block or not block.fold or line < block.fold or line > block.height then
    return '0'
  end
  return line == block.fold and '>1' or '1'
end

---@param window integer
function M.set_up(window)
  for name, value in pairs({
    foldmethod = 'expr',
    foldexpr = "v:lua.require'placet.chat.folds'.level(v:lnum)",
    foldtext = '',
    foldlevel = 0,
    foldenable = true,
    foldminlines = 1,
  }) do
    api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
end

---Open or close the folds of all blocks of a kind in a window.
---@param window integer
---@param kind placet.BlockKind
---@param open boolean
function M.set(window, kind, open)
  local page = pages[api.nvim_win_get_buf(window)]
  api.nvim_win_call(window, function()
    for _, block in ipairs(page and page.blocks or {}) do
      if block.kind == kind and block.fold and block.height > block.fold then
        local first = Page.row(page, block.number) + block.fold
        pcall(vim.cmd --[[@as function]], ('%dfold%s'):format(first, open and 'open' or 'close'))
      end
    end
  end)
end

return M
