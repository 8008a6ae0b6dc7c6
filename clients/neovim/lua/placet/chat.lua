---The answer as it comes, in an ordinary Markdown scratch buffer. It never takes the focus.
local config = require('placet.config')
local transcript_of = require('placet.transcript')

local api = vim.api
local M = {}

local blocks = api.nvim_create_namespace('placet.chat.blocks')

---@class placet.Chat
---@field bufnr integer
---@field transcript placet.Transcript
---@field marks table<string, integer> block -> extmark over its text
---@field last? string the block at the end
---@field last_kind? string

---@type table<string, placet.Chat> by session id
local chats = {}
local made = 0

---@param session_id string
---@return placet.Chat
local function chat_of(session_id)
  local chat = chats[session_id]
  if chat and api.nvim_buf_is_valid(chat.bufnr) then
    return chat
  end
  local bufnr = api.nvim_create_buf(false, true)
  made = made + 1
  api.nvim_buf_set_name(bufnr, ('placet://chat/%d'):format(made))
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = 'markdown'
  pcall(vim.treesitter.start, bufnr, 'markdown')
  chat = { bufnr = bufnr, transcript = transcript_of.new(), marks = {} }
  chats[session_id] = chat
  return chat
end

---@param chat placet.Chat
---@param block string
---@return integer row
---@return integer column
---@return integer end_row
---@return integer end_column
local function extent(chat, block)
  local mark = api.nvim_buf_get_extmark_by_id(chat.bufnr, blocks, chat.marks[block], { details = true })
  return mark[1], mark[2], mark[3].end_row, mark[3].end_col
end

---@param chat placet.Chat
---@param block string
---@param row integer
---@param column integer
---@param end_row integer
---@param end_column integer
local function mark(chat, block, row, column, end_row, end_column)
  chat.marks[block] = api.nvim_buf_set_extmark(chat.bufnr, blocks, row, column, {
    id = chat.marks[block],
    end_row = end_row,
    end_col = end_column,
    right_gravity = false,
    end_right_gravity = true,
  })
end

---@param bufnr integer
---@return integer row
---@return integer column
local function end_of(bufnr)
  local row = api.nvim_buf_line_count(bufnr) - 1
  return row, #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

---@param chat placet.Chat
---@param change placet.BlockChange
local function add_block(chat, change)
  local bufnr = chat.bufnr
  local row, column = end_of(bufnr)
  local last = chat.last
  local last_extent = last and { extent(chat, last) }
  if last then
    local gap = change.kind == 'tool' and chat.last_kind == 'tool' and { '', '' } or { '', '', '' }
    api.nvim_buf_set_text(bufnr, row, column, row, column, gap)
    row, column = end_of(bufnr)
  end
  local lines = vim.split(change.append or change.replace or '', '\n', { plain = true })
  api.nvim_buf_set_text(bufnr, row, column, row, column, lines)
  if last_extent then
    mark(chat, last, unpack(last_extent)) -- it must not grow over what was added behind it
  end
  mark(chat, change.block, row, column, end_of(bufnr))
  chat.last, chat.last_kind = change.block, change.kind
end

---@param chat placet.Chat
---@param change placet.BlockChange
local function write(chat, change)
  if (change.append or change.replace) == '' then
    return
  end
  if not chat.marks[change.block] then
    return add_block(chat, change)
  end
  local row, column, end_row, end_column = extent(chat, change.block)
  local lines = vim.split(change.append or change.replace, '\n', { plain = true })
  if change.append then
    api.nvim_buf_set_text(chat.bufnr, end_row, end_column, end_row, end_column, lines)
  else
    api.nvim_buf_set_text(chat.bufnr, row, column, end_row, end_column, lines)
    local last_column = #lines == 1 and column + #lines[1] or #lines[#lines]
    mark(chat, change.block, row, column, row + #lines - 1, last_column)
  end
end

---Windows whose cursor stands on the last line, and so follow the text.
---@param bufnr integer
local function following(bufnr)
  local last = api.nvim_buf_line_count(bufnr)
  return vim.tbl_filter(function(window)
    return api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(bufnr))
end

---@param session_id string
---@param update table
function M.update(session_id, update)
  local chat = chat_of(session_id)
  local changes = transcript_of.apply(chat.transcript, update)
  if #changes == 0 then
    return
  end
  local windows = following(chat.bufnr)
  vim.bo[chat.bufnr].modifiable = true
  for _, change in ipairs(changes) do
    write(chat, change)
  end
  vim.bo[chat.bufnr].modifiable = false
  vim.bo[chat.bufnr].modified = false
  local last = api.nvim_buf_line_count(chat.bufnr)
  for _, window in ipairs(windows) do
    api.nvim_win_set_cursor(window, { last, 0 })
  end
end

---Show the session's page beside what the user is doing; the cursor stays where it is.
---@param session_id string
function M.show(session_id)
  local chat = chat_of(session_id)
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(window) == chat.bufnr then
      return
    end
  end
  local options = config.get().chat
  local upright = options.position == 'right' or options.position == 'left'
  local window = api.nvim_open_win(chat.bufnr, false, {
    split = options.position,
    win = -1,
    width = upright and math.floor(vim.o.columns * options.size) or nil,
    height = not upright and math.floor(vim.o.lines * options.size) or nil,
  })
  for name, value in pairs({
    wrap = true,
    linebreak = true,
    breakindent = true,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    conceallevel = 2,
    spell = false,
  }) do
    api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
end

return M
