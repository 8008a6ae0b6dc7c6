---Windows of prompts: below the chat, as high as the text, and closed after sending.
local chat = require('placet.chat')
local config = require('placet.config')

local api = vim.api
local M = {}

---Window from which the user came to each prompt window.
---@type table<integer, integer>
local came_from = {}

---Return the window of the current tab page that shows a prompt of any session.
---@return integer?
function M.find()
  return vim.iter(api.nvim_tabpage_list_wins(0)):find(function(window)
    return api.nvim_buf_get_name(api.nvim_win_get_buf(window)):match('^placet://prompt/') ~= nil
  end)
end

---Return the window of the chat above a prompt window.
---@param window integer
---@return integer?
local function page_above(window)
  local column = api.nvim_win_get_position(window)[2]
  return vim.iter(api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(window))):find(function(other)
    return api.nvim_buf_get_name(api.nvim_win_get_buf(other)):match('^placet://chat/') ~= nil
      and api.nvim_win_get_position(other)[2] == column
  end)
end

---Return the height for the text of a prompt: the chat keeps half of the space of both.
---@param window integer
---@return integer
local function height_for(window)
  local bar = api.nvim_get_option_value('winbar', { win = window, scope = 'local' }) ~= '' and 1 or 0
  local page = page_above(window)
  local both = api.nvim_win_get_height(window) + (page and api.nvim_win_get_height(page) or 0)
  local most = page and math.floor(both / 2) or config.get().compose.height
  local text = math.min(api.nvim_win_text_height(window, {}).all, config.get().compose.height)
  return math.max(1 + bar, math.min(text + bar, most))
end

---Fit the height of the windows of a prompt to the text.
---@param bufnr integer
function M.fit(bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local height = height_for(window)
    if api.nvim_win_get_config(window).relative == '' and api.nvim_win_get_height(window) ~= height then
      api.nvim_win_set_height(window, height)
      -- Without this, a window that has grown would still hide the first lines.
      api.nvim_win_call(window, function()
        local view = vim.fn.winsaveview()
        local last = math.max(1, api.nvim_buf_line_count(bufnr) - height + 1)
        vim.fn.winrestview({ topline = math.min(view.topline, last) })
      end)
    end
  end
end

---@param window integer
local function set_up(window)
  for name, value in pairs({
    wrap = true,
    linebreak = true,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    winfixheight = true,
  }) do
    api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
end

---Show a prompt in the prompt window of the current tab page, or below the chat of its session.
---@param bufnr integer
---@param session_id string
---@return integer window
function M.show(bufnr, session_id)
  local window = M.find()
  if window then
    api.nvim_win_set_buf(window, bufnr)
  else
    local page = chat.show(session_id)
    -- The chat may have shown the prompt that belongs to it.
    window = M.find() or api.nvim_open_win(bufnr, false, { split = 'below', win = page, height = 2 })
  end
  set_up(window)
  return window
end

---Move the cursor to a prompt window, unless the user is typing in another window.
---@param window integer
function M.enter(window)
  local here = api.nvim_get_current_win()
  if here ~= window and not api.nvim_get_mode().mode:match('^[iR]') then
    came_from[window] = here
    api.nvim_set_current_win(window)
  end
end

---Close the windows of a sent prompt. The cursor goes back to where the user came from.
---@param bufnr integer
function M.close(bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local back = came_from[window]
    came_from[window] = nil
    local was_here = window == api.nvim_get_current_win()
    local page = page_above(window)
    local both = page and api.nvim_win_get_height(page) + api.nvim_win_get_height(window) + 1
    local is_closed = pcall(api.nvim_win_close, window, false)
    if is_closed and page and api.nvim_win_is_valid(page) then
      -- With 'equalalways', Neovim would also take lines from the windows above.
      api.nvim_win_set_height(page, both)
    end
    if is_closed and was_here and back and api.nvim_win_is_valid(back) then
      api.nvim_set_current_win(back)
    end
  end
end

return M
