---Attachments of a prompt, listed below the prompt as virtual lines.
local visible_text = require('placet.ui.visible_text')
local window = require('placet.compose.window')

local api = vim.api
local M = {}

local namespace = api.nvim_create_namespace('placet.attachments')

---@type table<integer, placet.Attachment[]> by the prompt's buffer
local all = {}

---@param bufnr integer
---@return placet.Attachment[]
function M.of(bufnr)
  return all[bufnr] or {}
end

---Draw the list below the last line of the prompt.
---@param bufnr integer
function M.draw(bufnr)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local lines = {}
  for index, attachment in ipairs(M.of(bufnr)) do
    local lead = index == 1 and 'attached: ' or '          '
    lines[index] = { { lead, 'Comment' }, { attachment.label, 'Directory' } }
  end
  if #lines > 0 then
    local last = api.nvim_buf_line_count(bufnr) - 1
    api.nvim_buf_set_extmark(bufnr, namespace, last, 0, { virt_lines = lines })
  end
  window.fit(bufnr)
end

---Add an attachment. An attachment with the same label is replaced.
---@param bufnr integer
---@param attachment placet.Attachment
function M.add(bufnr, attachment)
  local list = M.of(bufnr)
  for index, existing in ipairs(list) do
    if existing.label == attachment.label then
      list[index] = attachment
      return M.draw(bufnr)
    end
  end
  all[bufnr] = vim.list_extend(list, { attachment })
  M.draw(bufnr)
end

---@param bufnr integer
---@param index integer
local function remove(bufnr, index)
  table.remove(M.of(bufnr), index)
  M.draw(bufnr)
end

---Remove the only attachment, or let the user choose the attachment to remove.
---@param bufnr integer
function M.remove(bufnr)
  local list = M.of(bufnr)
  if #list <= 1 then
    return remove(bufnr, 1)
  end
  vim.ui.select(list, {
    prompt = 'Remove from the prompt:',
    kind = 'placet_attachment',
    format_item = function(attachment)
      return visible_text.plain(attachment.label)
    end,
  }, function(_, index)
    if index then
      remove(bufnr, index)
    end
  end)
end

---@param bufnr integer
function M.clear(bufnr)
  all[bufnr] = nil
  if api.nvim_buf_is_valid(bufnr) then
    M.draw(bufnr)
  end
end

return M
