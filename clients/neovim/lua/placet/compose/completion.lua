---Completion of `@` and `/` in a prompt. The daemon completes as a language server, so any completion plugin
---works. Neovim's own completion inserts only the first word of an item and keeps the text after the cursor.
---This module inserts the whole item.
local config = require('placet.config')

local api = vim.api
local M = {}

---@class placet.CompletionRequest where the cursor was when the daemon was last asked
---@field line string
---@field column integer in bytes

---@type table<integer, placet.CompletionRequest> by buffer
local asked = {}

local PLUGINS = { 'blink.cmp', 'cmp', 'mini.completion', 'coq' }

---@return boolean
local function wants_builtin()
  local choice = config.get().compose.completion
  if choice ~= 'auto' then
    return choice == 'builtin'
  end
  return not vim.iter(PLUGINS):any(function(name)
    return package.loaded[name] ~= nil
  end)
end

---@param bufnr integer
---@param client vim.lsp.Client
local function remember(bufnr, client)
  return function(event)
    local request = event.data.request
    local is_ours = event.data.client_id == client.id and request.method == 'textDocument/completion'
    if is_ours and request.type == 'pending' and api.nvim_get_current_buf() == bufnr then
      local row, column = unpack(api.nvim_win_get_cursor(0))
      asked[bufnr] = { line = api.nvim_buf_get_lines(bufnr, row - 1, row, true)[1], column = column }
    end
  end
end

---Replace the inserted word and the range of the text edit by the whole text of the item.
---@param bufnr integer
---@param item lsp.CompletionItem
---@param encoding 'utf-8'|'utf-16'|'utf-32'
local function complete(bufnr, item, encoding)
  local request, edit = asked[bufnr], item.textEdit
  if not request or not edit or not edit.range then
    return
  end
  local row, column = unpack(api.nvim_win_get_cursor(0))
  if edit.range.start.line ~= row - 1 then
    return
  end
  local start = vim.str_byteindex(request.line, encoding, edit.range.start.character, false)
  local behind = vim.str_byteindex(request.line, encoding, edit.range['end'].character, false)
    - request.column
  local line = api.nvim_buf_get_lines(bufnr, row - 1, row, true)[1]
  local stop = math.min(column + math.max(behind, 0), #line)
  if line:sub(start + 1, stop) ~= edit.newText and start <= column then
    api.nvim_buf_set_text(bufnr, row - 1, start, row - 1, stop, { edit.newText })
  end
  api.nvim_win_set_cursor(0, { row, start + #edit.newText })
end

---Enable completion in a prompt buffer that is attached to the daemon.
---@param bufnr integer
---@param client vim.lsp.Client
function M.enable(bufnr, client)
  if not wants_builtin() or not client:supports_method('textDocument/completion', bufnr) then
    return
  end
  vim.lsp.completion.enable(true, client.id, bufnr, { autotrigger = true })
  -- With "noinsert", completion inserts no text before the user accepts an item.
  vim.bo[bufnr].completeopt = 'menuone,noinsert,popup'
  local group = api.nvim_create_augroup(('placet.completion.%d'):format(bufnr), { clear = true })
  api.nvim_create_autocmd('LspRequest', { group = group, buffer = bufnr, callback = remember(bufnr, client) })
  api.nvim_create_autocmd('CompleteDone', {
    group = group,
    buffer = bufnr,
    callback = function()
      local item = vim.tbl_get(vim.v.completed_item or {}, 'user_data', 'nvim', 'lsp')
      if vim.v.event.reason == 'accept' and item and item.client_id == client.id then
        complete(bufnr, item.completion_item, client.offset_encoding)
      end
    end,
  })
end

return M
