---Windows of the chat: where a window opens, and its window options.
local config = require('placet.config')
local events = require('placet.events')
local folds = require('placet.chat.folds')

local api = vim.api
local M = {}

---Smallest width in columns of a chat window beside other windows.
local NARROWEST = 40

---With 'conceallevel' 0 Neovim does not search the text for concealed parts each time a piece of text
---arrives.
local OPTIONS = {
  wrap = true,
  linebreak = true,
  breakindent = true,
  number = false,
  relativenumber = false,
  signcolumn = 'no',
  conceallevel = 0,
  spell = false,
  list = false,
}

---@param window integer
local function set_up(window)
  for name, value in pairs(OPTIONS) do
    api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
  folds.set_up(window)
end

---Set the window options of every window that will show the chat of a session.
---@param bufnr integer
---@param session_id string
function M.watch(bufnr, session_id)
  api.nvim_create_autocmd('BufWinEnter', {
    group = api.nvim_create_augroup(('placet.chat.%d'):format(bufnr), { clear = true }),
    buffer = bufnr,
    desc = 'Placet: set the window options of the chat',
    callback = function()
      for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
        set_up(window)
      end
      events.emit('bars_outdated', session_id)
    end,
  })
end

---Return split direction and size for the current screen size.
---@param options placet.ChatConfig
---@return vim.api.keyset.win_config
local function place(options)
  local position = options.position
  if position == 'auto' then
    position = vim.o.columns * options.size >= NARROWEST and 'right' or 'below'
  end
  local upright = position == 'right' or position == 'left'
  return {
    split = position,
    win = -1,
    width = upright and math.max(1, math.floor(vim.o.columns * options.size)) or nil,
    height = not upright and math.max(1, math.floor(vim.o.lines * options.size)) or nil,
  }
end

---Show the buffer in a window, with the cursor on the last line.
---@param window integer
---@param bufnr integer
function M.put(window, bufnr)
  api.nvim_win_set_buf(window, bufnr)
  set_up(window)
  api.nvim_win_set_cursor(window, { api.nvim_buf_line_count(bufnr), 0 })
end

---Return a window of the current tab page that shows the buffer, or open a window. The focus stays.
---@param bufnr integer
---@return integer window
function M.show(bufnr)
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(window) == bufnr then
      return window
    end
  end
  -- Replace the chat of another session in its window.
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_buf_get_name(api.nvim_win_get_buf(window)):match('^placet://chat/') then
      M.put(window, bufnr)
      return window
    end
  end
  local window = api.nvim_open_win(bufnr, false, place(config.get().chat))
  M.put(window, bufnr)
  return window
end

return M
