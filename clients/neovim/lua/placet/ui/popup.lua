---Window for a text to read. `q` closes the window.
local api = vim.api
local M = {}

---@param name string buffer name after `placet-`: `help://commands`
---@param text string
---@param filetype string
---@return integer bufnr
function M.show(name, text, filetype)
  local uri = 'placet-' .. name
  local bufnr = vim.fn.bufnr('^' .. vim.fn.escape(uri, '?*[],{}') .. '$')
  if bufnr < 0 then
    bufnr = api.nvim_create_buf(false, true)
    api.nvim_buf_set_name(bufnr, uri)
    vim.bo[bufnr].bufhidden = 'wipe'
    vim.bo[bufnr].undolevels = -1
    vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Placet: close' })
  end
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(text, '\n', { plain = true, trimempty = true }))
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  vim.bo[bufnr].filetype = filetype
  local window = vim.fn.bufwinid(bufnr)
  if window < 0 then
    window = api.nvim_open_win(bufnr, true, { split = 'below', win = -1 })
    api.nvim_set_option_value('spell', false, { win = window, scope = 'local' })
  end
  api.nvim_set_current_win(window)
  api.nvim_win_set_cursor(window, { 1, 0 })
  return bufnr
end

return M
