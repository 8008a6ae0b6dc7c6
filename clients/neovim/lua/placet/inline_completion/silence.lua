---Reasons of Neovim's own state for which no suggestion is shown. The daemon knows the other reasons.
local api = vim.api
local M = {}

---Return whether a menu of completions is on the screen: Neovim's own, or the menu of a completion plugin.
---@return boolean
local function has_menu()
  local cmp, blink = package.loaded.cmp, package.loaded['blink.cmp']
  return vim.fn.pumvisible() == 1
    or (type(cmp) == 'table' and type(cmp.visible) == 'function' and cmp.visible() == true)
    or (type(blink) == 'table' and type(blink.is_visible) == 'function' and blink.is_visible() == true)
end

---Return whether Neovim 0.12 shows the suggestions itself, because the user has enabled its client.
---@param bufnr integer
---@return boolean
function M.is_left_to_neovim(bufnr)
  local builtin = vim.lsp.inline_completion
  return builtin ~= nil and builtin.is_enabled({ bufnr = bufnr })
end

---Return whether a buffer is a file or a file to be, and not a page of a plugin.
---@param bufnr integer
---@return boolean
function M.is_document(bufnr)
  return vim.bo[bufnr].buftype == '' and not api.nvim_buf_get_name(bufnr):match('^%a[%w+.-]*://')
end

---Return whether the state of Neovim allows a suggestion in the current buffer. A macro must do the same
---with and without an answer of a model, so no suggestion is shown while a macro is recorded.
---@return boolean
function M.may_show()
  local bufnr = api.nvim_get_current_buf()
  return api.nvim_get_mode().mode == 'i'
    and not vim.bo[bufnr].readonly
    and not vim.o.paste
    and vim.fn.reg_recording() == ''
    and not vim.snippet.active()
    and not has_menu()
    and not M.is_left_to_neovim(bufnr)
end

return M
