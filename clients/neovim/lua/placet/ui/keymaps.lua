---Keys of a Placet buffer: buffer-local mappings, and a floating window that lists the keys.
local centered = require('placet.ui.centered')

local api = vim.api
local M = {}

---@class placet.Key
---@field action string name in the options
---@field modes? string[] modes; nil: Normal mode
---@field does string
---@field run fun()

---@param bufnr integer
---@param all placet.Key[]
---@param keys table<string, string|false> action -> key
function M.map(bufnr, all, keys)
  for _, entry in ipairs(all) do
    local key = keys[entry.action]
    if key then
      -- nowait: Neovim's longer default keys must not delay these keys.
      local options = { buffer = bufnr, nowait = true, desc = 'Placet: ' .. entry.does }
      vim.keymap.set(entry.modes or { 'n' }, key, entry.run, options)
    end
  end
end

---@param all placet.Key[]
---@param keys table<string, string|false>
---@return string[]
local function lines_of(all, keys)
  local lines = {}
  for _, entry in ipairs(all) do
    local key = keys[entry.action]
    if key then
      local also = vim.list_contains(entry.modes or {}, 'i') and ' (also in Insert mode)' or ''
      lines[#lines + 1] = (' %-8s %s%s '):format(key, entry.does, also)
    end
  end
  return lines
end

---@param title string
---@param all placet.Key[]
---@param keys table<string, string|false>
function M.show(title, all, keys)
  local lines, width = lines_of(all, keys), vim.fn.strdisplaywidth(title) + 4
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  local height = math.max(1, math.min(#lines, vim.o.lines - 4))
  width = math.min(width, vim.o.columns - 2)
  local window = api.nvim_open_win(bufnr, true, centered.layout(title, width, height))
  for _, key in ipairs({ 'q', '<Esc>', 'g?', '<CR>' }) do
    vim.keymap.set('n', key, '<Cmd>close<CR>', { buffer = bufnr, nowait = true })
  end
  api.nvim_create_autocmd('WinLeave', {
    buffer = bufnr,
    once = true,
    callback = function()
      pcall(api.nvim_win_close, window, true)
    end,
  })
end

---Map the keys, and the key of the action `help` to the list of all keys under the title.
---@param bufnr integer
---@param title string
---@param own placet.Key[] keys without the help
---@param keys table<string, string|false>
function M.map_with_help(bufnr, title, own, keys)
  local all = vim.list_extend({}, own)
  all[#all + 1] = {
    action = 'help',
    does = 'show this list',
    run = function()
      M.show(title, all, keys)
    end,
  }
  M.map(bufnr, all, keys)
end

return M
