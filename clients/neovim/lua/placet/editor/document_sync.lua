---Keep the daemon's copy of a buffer correct where the change notifications of vim.lsp are wrong: lines added
---after a last line without line ending, single carriage returns, renamed buffers.
local buffer = require('placet.editor.buffer')
local text_utils = require('placet.editor.text')

local api = vim.api
local M = {}

---@param text string
local function has_single_returns(text)
  return text:find('\r[^\n]') ~= nil or text:sub(-1) == '\r'
end

---Return whether vim.lsp sends the change from the buffer's text to the new text correctly.
---@param bufnr integer
---@param text string
---@return boolean
function M.is_faithful(bufnr, text)
  local _, final = text_utils.to_lines(text, vim.bo[bufnr].fileformat)
  return final == true
    and vim.bo[bufnr].eol
    and not has_single_returns(text)
    and not has_single_returns(buffer.text(bufnr))
end

---Close the document in the daemon, run a change, and open the document again.
---@param bufnr integer
---@param client vim.lsp.Client
---@param change fun()
function M.reopen_around(bufnr, client, change)
  local attached = vim.lsp.buf_is_attached(bufnr, client.id)
  if attached then
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
  local done, failure = pcall(change)
  if attached then
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
  if not done then
    error(failure, 0)
  end
end

---Send the whole text again.
---@param bufnr integer
---@param client vim.lsp.Client
function M.send_again(bufnr, client)
  M.reopen_around(bufnr, client, function() end)
end

---Send the whole text after each of the user's changes in a file without final line ending.
---@param bufnr integer
---@param client vim.lsp.Client
function M.watch(bufnr, client)
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = api.nvim_create_augroup(('placet.sync.%d'):format(bufnr), { clear = true }),
    buffer = bufnr,
    desc = 'Placet: send a text without final line ending as a whole',
    callback = function()
      if not vim.bo[bufnr].eol and vim.lsp.buf_is_attached(bufnr, client.id) then
        M.send_again(bufnr, client)
      end
    end,
  })
end

return M
