---Old text and new text of one file in diff mode in a tab page. `:w` accepts the right side of a proposal,
---closing a side postpones the decision. do, dp, ]c and [c are Vim's own commands.
local buffer = require('placet.editor.buffer')

local api = vim.api
local M = {}

---@class placet.SideBySide
---@field buffers integer[] the old text, the proposal
---@field came_from integer window
---@field group integer

---@type placet.SideBySide?
local open

---@param text string
---@return string[]
local function split(text)
  return vim.split((text:gsub('\n$', '')), '\n', { plain = true })
end

---@param scheme string
---@param path string
---@param text string
---@return integer bufnr
local function scratch(scheme, path, text)
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(bufnr, ('%s://%s'):format(scheme, path))
  api.nvim_buf_set_lines(bufnr, 0, -1, true, split(text))
  vim.bo[bufnr].bufhidden = 'wipe'
  return bufnr
end

---Return the text of the right side. The last line ends as in the proposal.
---@param bufnr integer
---@param like string
local function text_in(bufnr, like)
  local text = table.concat(api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n')
  local has_final_ending = like == '' or like:sub(-1) == '\n'
  return (has_final_ending and text ~= '') and text .. '\n' or text
end

---@param right integer
---@param file placet.wire.FileOfChange
---@param write fun(text: string)
local function on_write(right, file, write)
  local like = file.newText ~= '' and file.newText or file.oldText
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = right,
    desc = 'Placet: accept the proposal of this buffer',
    callback = function()
      vim.bo[right].modified = false
      local text = text_in(right, like)
      -- Scheduled, because `:wq` still has to close the window.
      vim.schedule(function()
        M.close()
        write(text)
      end)
    end,
  })
end

---@param file placet.wire.FileOfChange
---@param text string right side
---@param write? fun(text: string) called with the whole text of the right side; nil for a text to read
---@param titles string[] of the left and the right side
function M.open(file, text, write, titles)
  M.close()
  local path = buffer.path(file.newUri or file.uri)
  local left = scratch('placet-old', buffer.path(file.uri), file.oldText or '')
  local right = scratch('placet-proposed', path, text)
  local came_from = api.nvim_get_current_win()
  local filetype = vim.filetype.match({ filename = path, contents = split(text) }) or ''
  vim.bo[left].modifiable = false
  vim.bo[right].buftype = write and 'acwrite' or 'nofile'
  vim.bo[right].modifiable = write ~= nil
  vim.bo[right].modified = false
  open = {
    buffers = { left, right },
    came_from = came_from,
    group = api.nvim_create_augroup('placet.side_by_side', { clear = true }),
  }
  vim.cmd('tab split')
  api.nvim_win_set_buf(0, left)
  api.nvim_open_win(right, true, { split = 'right' })
  for index, bufnr in ipairs(open.buffers) do
    local window = vim.fn.bufwinid(bufnr)
    vim.bo[bufnr].filetype = filetype
    vim.wo[window][0].winbar = titles[index]
    api.nvim_win_call(window, vim.cmd.diffthis)
  end
  if write then
    on_write(right, file, write)
  end
  api.nvim_create_autocmd('WinClosed', {
    group = open.group,
    desc = 'Placet: close both sides together',
    callback = vim.schedule_wrap(function()
      if
        open
        and not vim.iter(open.buffers):all(function(bufnr)
          return #vim.fn.win_findbuf(bufnr) > 0
        end)
      then
        M.close()
      end
    end),
  })
end

---Close both sides. If the cursor was in a side, go back to the previous window.
function M.close()
  local view = open
  if not view then
    return
  end
  open = nil
  api.nvim_del_augroup_by_id(view.group)
  local was_here = vim.list_contains(view.buffers, api.nvim_get_current_buf())
  for _, bufnr in ipairs(view.buffers) do
    if api.nvim_buf_is_valid(bufnr) and vim.bo[bufnr].modified then
      vim.bo[bufnr].buftype = 'nofile'
      vim.notify('Placet: the other side is closed; your unsaved text is still in the buffer')
    elseif api.nvim_buf_is_valid(bufnr) then
      api.nvim_buf_delete(bufnr, { force = true })
    end
  end
  local stays = vim.list_contains(view.buffers, api.nvim_get_current_buf())
  if was_here and not stays and api.nvim_win_is_valid(view.came_from) then
    api.nvim_set_current_win(view.came_from)
  end
end

return M
