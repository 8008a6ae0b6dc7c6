---`/word` at the start of a prompt: what the editor does itself. Everything else that begins so is a prompt.
local M = {}

---What makes sense where a prompt is written; the rest of the subcommands is about files.
local WORDS = {
  'agent',
  'cancel',
  'changes',
  'compact',
  'delete',
  'export',
  'fork',
  'model',
  'new',
  'redo',
  'rename',
  'sessions',
  'status',
  'summarize',
  'undo',
}

---The subcommand of `:Placet` that a prompt names, and what is given to it. As there, a word that takes
---nothing must stand alone.
---@param text string
---@return placet.Subcommand?
---@return string argument
function M.meant(text)
  local word, rest = vim.trim(text):match('^/([%a-]+)%s*(.*)$')
  local found = word and vim.list_contains(WORDS, word) and require('placet.commands.subcommands').find(word)
  if not found or rest:find('\n', 1, true) then
    return nil, ''
  end
  local takes = found.takes
  local fits = rest == ''
    or found.takes_text
    or takes == 'text'
    or (type(takes) == 'function' and takes(rest))
  return fits and found or nil, rest
end

return M
