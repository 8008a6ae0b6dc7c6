---`:Placet commit`: write a commit message into the buffer that git opened, or show the message in a window.
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local popup = require('placet.ui.popup')

local api = vim.api
local M = {}

---Return the row of git's comment lines, or nil if a message is already there.
---@param bufnr integer
---@return integer? row 0-based
local function remarks_of(bufnr)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  for row, line in ipairs(lines) do
    if vim.startswith(line, '#') then
      return row - 1
    elseif vim.trim(line) ~= '' then
      return nil
    end
  end
  return #lines
end

---@param bufnr integer
local function takes_message(bufnr)
  return api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == 'gitcommit' and vim.bo[bufnr].modifiable
end

---@param bufnr integer buffer in which the user gave the command
---@param text string
local function put(bufnr, text)
  local row = takes_message(bufnr) and remarks_of(bufnr)
  if not row then
    return popup.show('commit://message', text, 'gitcommit')
  end
  local lines = vim.split(text, '\n', { plain = true })
  lines[#lines + 1] = ''
  api.nvim_buf_set_lines(bufnr, 0, row, true, lines)
end

---Ask the model for a message for the staged changes, or for all changes if none are staged. An existing
---message in the commit buffer is never replaced.
function M.write()
  local bufnr = api.nvim_get_current_buf()
  daemon.with(function(client)
    vim.notify('Placet: writing the commit message …')
    local params = { root = vim.uri_from_fname(client.root_dir) }
    daemon_client.request(client, 'agent/commitMessage', params, function(result)
      put(bufnr, vim.trim(result.text))
    end)
  end)
end

return M
