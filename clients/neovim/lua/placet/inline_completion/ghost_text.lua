---Text of a suggestion as virtual text: the first line at the cursor, the other lines below. A hint counts
---the lines that the window has no room for.
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')

local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace('placet.inline_completion')
local GROUP = 'PlacetSuggestion'
---Marks of the drawing. One suggestion is on the screen at a time.
local TEXT, HINT = 1, 2

---Return the line with its tabs as spaces: Neovim draws no tabs in virtual text. Invisible characters are
---escaped.
---@param line string
---@param column integer screen column of the first character, 0-based
---@param tabstop integer
---@return string
local function drawn(line, column, tabstop)
  local parts, width = {}, column
  for index, part in ipairs(vim.split(line, '\t', { plain = true })) do
    if index > 1 then
      local spaces = tabstop - width % tabstop
      parts[#parts + 1] = (' '):rep(spaces)
      width = width + spaces
    end
    parts[#parts + 1] = visible_text.spelled(part)
    width = width + api.nvim_strwidth(parts[#parts])
  end
  return table.concat(parts)
end

---Count the lines below the cursor's line that the current window does not show.
---@param bufnr integer current buffer
---@param row integer 0-based row of the cursor
---@param column integer
---@param count integer
local function hint_at_hidden_lines(bufnr, row, column, count)
  local hidden = math.min(count - (api.nvim_win_get_height(0) - vim.fn.winline()), count)
  if hidden <= 0 then
    return api.nvim_buf_del_extmark(bufnr, NAMESPACE, HINT)
  end
  api.nvim_buf_set_extmark(bufnr, NAMESPACE, row, column, {
    id = HINT,
    virt_text = { { (' +%s below '):format(words.counted(hidden, 'line')), 'PlacetHint' } },
    virt_text_pos = 'eol',
    undo_restore = false,
  })
end

---Draw the text at the cursor of the current window, in place of an older drawing.
---@param bufnr integer current buffer
---@param text string
function M.draw(bufnr, text)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local tabstop, lines = vim.bo[bufnr].tabstop, vim.split(text, '\n', { plain = true })
  local before = api.nvim_buf_get_lines(bufnr, row - 1, row, true)[1]:sub(1, column)
  local below = {}
  for index = 2, #lines do
    below[#below + 1] = { { drawn(lines[index], 0, tabstop), GROUP } }
  end
  local first = drawn(lines[1], vim.fn.strdisplaywidth(before), tabstop)
  api.nvim_buf_set_extmark(bufnr, NAMESPACE, row - 1, column, {
    id = TEXT,
    virt_text = first ~= '' and { { first, GROUP } } or nil,
    virt_text_pos = 'inline',
    virt_lines = #below > 0 and below or nil,
    undo_restore = false,
  })
  hint_at_hidden_lines(bufnr, row - 1, column, #below)
end

---@param bufnr integer
function M.clear(bufnr)
  if api.nvim_buf_is_valid(bufnr) then
    api.nvim_buf_del_extmark(bufnr, NAMESPACE, TEXT)
    api.nvim_buf_del_extmark(bufnr, NAMESPACE, HINT)
  end
end

return M
