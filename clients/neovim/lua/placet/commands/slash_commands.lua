---Slash commands at the start of a prompt that the editor runs itself. Any other slash command is part of the
---prompt.
local subcommands = require('placet.commands.subcommands')

local M = {}

---Subcommands that make sense in a prompt buffer. The other subcommands need a file.
local WORDS = {
  'agent',
  'back',
  'cancel',
  'caution',
  'changes',
  'compact',
  'delete',
  'effort',
  'export',
  'favourite',
  'fork',
  'model',
  'new',
  'permissions',
  'profile',
  'redo',
  'rename',
  'review-mode',
  'sessions',
  'status',
  'summarize',
  'undo',
}

---Return the `:Placet` subcommand that a prompt names, and its argument. A word without an argument must
---stand alone.
---@param text string
---@return placet.Subcommand?
---@return string argument
function M.parse(text)
  local word, rest = vim.trim(text):match('^/([%a-]+)%s*(.*)$')
  local subcommand = word and vim.list_contains(WORDS, word) and subcommands.find(word)
  if not subcommand or rest:find('\n', 1, true) then
    return nil, ''
  end
  local takes = subcommand.takes
  local fits = rest == ''
    or subcommand.takes_text
    or takes == 'text'
    or (type(takes) == 'function' and takes(rest))
  return fits and subcommand or nil, rest
end

return M
