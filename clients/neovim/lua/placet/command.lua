---`:Placet`: a prompt, or a word of ours that stands alone.
local M = {}

local SUBCOMMANDS = { 'cancel', 'chat', 'compact', 'explain', 'fix', 'log', 'review', 'undo' }

---@param call vim.api.keyset.create_user_command.command_args
function M.run(call)
  local placet = require('placet')
  local text = vim.trim(call.args)
  local range = call.range > 0
      and { bufnr = vim.api.nvim_get_current_buf(), first = call.line1, last = call.line2 }
    or nil
  if text == '' then
    placet.chat()
  elseif vim.list_contains(SUBCOMMANDS, text) then
    placet[text](range)
  else
    placet.prompt(text, range)
  end
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if line:sub(1, #line - #lead):match('Placet!?%s+$') == nil then
    return {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, SUBCOMMANDS)
end

return M
