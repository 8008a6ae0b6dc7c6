---Editor for the proposed lines of one hunk in a small buffer. `:w` changes the proposal.
local buffer = require('placet.editor.buffer')
local proposal = require('placet.hunks.proposal')

local api = vim.api
local M = {}

---@type integer? the buffer that is open
local open

---@param unit placet.ReviewUnit
---@param bufnr integer
---@return placet.wire.Hunk hunk
local function hunk_in(unit, bufnr)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local is_empty = #lines == 1 and lines[1] == ''
  if is_empty and not vim.deep_equal(unit.hunk.newLines, { '\n' }) then
    lines = {}
  end
  return proposal.with_lines(unit.hunk, lines)
end

---Open the editor below the current window.
---@param unit placet.ReviewUnit with a hunk
---@param filetype string
---@param write fun(hunk: placet.wire.Hunk) called with the edited hunk
---@param effect string effect of `:w`, in the window bar
function M.open(unit, filetype, write, effect)
  M.close()
  local bufnr = api.nvim_create_buf(false, true)
  open = bufnr
  local name = ('placet-proposal://%s#%d'):format(buffer.path(unit.file.uri), unit.number)
  api.nvim_buf_set_name(bufnr, name)
  local lines = vim.tbl_map(function(line)
    return (line:gsub('[\r\n]+$', ''))
  end, unit.hunk.newLines)
  api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].buftype = 'acwrite'
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modified = false
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    desc = 'Placet: change the proposed lines',
    callback = function()
      vim.bo[bufnr].modified = false
      write(hunk_in(unit, bufnr))
    end,
  })
  local height = math.min(math.max(#lines + 1, 4), 15)
  local came_from = api.nvim_get_current_win()
  local window = api.nvim_open_win(bufnr, true, { split = 'below', height = height })
  api.nvim_create_autocmd('WinClosed', {
    pattern = tostring(window),
    once = true,
    desc = 'Placet: go back to the window of the hunk',
    callback = function()
      local was_here = api.nvim_get_current_win() == window
      vim.schedule(function()
        if was_here and api.nvim_win_is_valid(came_from) then
          api.nvim_set_current_win(came_from)
        end
      end)
    end,
  })
  vim.wo[window][0].winbar = (' proposed lines of hunk %d: :w %s '):format(unit.number, effect)
  -- Set the filetype last, so that the user's FileType autocommands run in the window. No language server
  -- attaches, because the buffer is no file.
  vim.bo[bufnr].filetype = filetype
end

---Close the editor. A buffer with unsaved text stays open, but the text can no longer be accepted.
function M.close()
  local bufnr = open
  open = nil
  if not bufnr or not api.nvim_buf_is_valid(bufnr) then
    return
  elseif vim.bo[bufnr].modified then
    api.nvim_clear_autocmds({ event = 'BufWriteCmd', buffer = bufnr })
    vim.bo[bufnr].buftype = 'nofile'
    vim.notify('Placet: the editor of the hunk is closed; your unsaved text is still in the buffer')
  else
    api.nvim_buf_delete(bufnr, { force = true })
  end
end

return M
