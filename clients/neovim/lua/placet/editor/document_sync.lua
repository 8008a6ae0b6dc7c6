---Our server's copy of a buffer, kept right where vim.lsp's change notices go wrong: lines added behind a
---last line without an ending, single carriage returns, another name.
local buffer = require('placet.editor.buffer')
local text_utils = require('placet.editor.text')

local api = vim.api
local M = {}

---@param text string
local function has_single_returns(text)
  return text:find('\r[^\n]') ~= nil or text:sub(-1) == '\r'
end

---Whether the change from the buffer's text to this one reaches the server as it is.
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

---Close the document for our server, change it, and open it again as it is then.
---@param bufnr integer
---@param client vim.lsp.Client
---@param change fun()
function M.around(bufnr, client, change)
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
function M.again(bufnr, client)
  M.around(bufnr, client, function() end)
end

---Follow what the user types into a file without a final line ending.
---@param bufnr integer
---@param client vim.lsp.Client
function M.watch(bufnr, client)
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = api.nvim_create_augroup(('placet.sync.%d'):format(bufnr), { clear = true }),
    buffer = bufnr,
    desc = 'Placet: send a text without final line ending as a whole',
    callback = function()
      if not vim.bo[bufnr].eol and vim.lsp.buf_is_attached(bufnr, client.id) then
        M.again(bufnr, client)
      end
    end,
  })
end

return M
