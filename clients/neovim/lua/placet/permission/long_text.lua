---Text too long for a prompt: the user reads the text in a window, and answers after closing the window.
local words = require('placet.ui.words')
local popup = require('placet.ui.popup')
local visible_text = require('placet.ui.visible_text')

local M = {}

local MOST_LINES, MOST_CHARACTERS, LEAD_CHARACTERS = 15, 1200, 300

---@param lines string[]
---@return boolean
function M.is_long(lines)
  return #lines > MOST_LINES or #table.concat(lines) > MOST_CHARACTERS
end

---Return the first line and the number of further lines.
---@param lines string[]
---@return string
function M.brief(lines)
  local more = #lines > 1 and ('\n  … and %s'):format(words.counted(#lines - 1, 'more line')) or ''
  return visible_text.shortened(lines[1], LEAD_CHARACTERS) .. more
end

---@param lines string[]
---@param use fun() called when the user has closed the window
---@return fun() close closes the window without calling `use`
function M.show(lines, use)
  local is_open = true
  local text = table.concat({ 'Close this window with q to answer.', '', unpack(lines) }, '\n')
  local bufnr = popup.show('ask://whole', text, 'text')
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    once = true,
    callback = function()
      if is_open then
        is_open = false
        vim.schedule(use)
      end
    end,
  })
  return function()
    if is_open then
      is_open = false
      pcall(vim.api.nvim_buf_delete, bufnr, { force = true })
    end
  end
end

return M
