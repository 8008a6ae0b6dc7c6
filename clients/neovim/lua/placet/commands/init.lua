---`:Placet`: a subcommand, or a prompt.
local subcommands = require('placet.commands.subcommands')

local M = {}

---The subcommand that is meant, and what is given to it; nil for a prompt.
---@param text string
---@return placet.Subcommand?
---@return string argument
local function meant(text)
  local word, colon, rest = text:match('^([%a-]+)(:?)%s*(.*)$')
  local found = word and subcommands.find(word)
  if not found then
    return nil, ''
  elseif colon == ':' then
    return found.takes_text and rest ~= '' and found or nil, rest
  elseif rest == '' or found.takes == 'text' then
    return found, rest
  end
  return type(found.takes) == 'function' and found.takes(rest) and found or nil, rest
end

---@param call vim.api.keyset.create_user_command.command_args
function M.run(call)
  local text = vim.trim(call.args)
  local range = call.range > 0
      and { bufnr = vim.api.nvim_get_current_buf(), first = call.line1, last = call.line2 }
    or nil
  local queue = call.bang and 'steer' or nil
  local function as_prompt()
    require('placet').prompt(text, range, { queue = queue })
  end
  if text == '' then
    return require('placet').ask('', range, queue)
  end
  local subcommand, argument = meant(text)
  if subcommand then
    subcommand.run({ argument = argument, range = range, bang = call.bang, as_prompt = as_prompt })
  else
    as_prompt()
  end
end

---Those that go on as the user has begun; Neovim replaces the last word alone.
---@param candidates string[]
---@param begun string all that is typed of the argument
---@param lead string its last word
---@return string[]
local function going_on(candidates, begun, lead)
  local kept = {}
  for _, candidate in ipairs(candidates) do
    if vim.startswith(candidate:lower(), begun:lower()) then
      kept[#kept + 1] = candidate:sub(#begun - #lead + 1)
    end
  end
  return kept
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local typed = line:match('Placet!?%s+(.*)$')
  if not typed then
    return {}
  end
  local word, begun = typed:match('^(%S+)%s+(.*)$')
  if not word then
    local names = going_on(subcommands.names(), lead, lead)
    table.sort(names)
    return names
  end
  local found = subcommands.find(word)
  return found and found.complete and going_on(found.complete(begun), begun, lead) or {}
end

return M
