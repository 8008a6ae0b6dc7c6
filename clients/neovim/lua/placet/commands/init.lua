---`:Placet`: run a subcommand, or send a prompt.
local subcommands = require('placet.commands.subcommands')

local M = {}

---Return the subcommand of a command line and its argument, or nil for a prompt.
---@param text string
---@return placet.Subcommand?
---@return string argument
local function parse(text)
  local word, colon, rest = text:match('^([%a-]+)(:?)%s*(.*)$')
  local subcommand = word and subcommands.find(word)
  if not subcommand then
    return nil, ''
  elseif colon == ':' then
    return subcommand.takes_text and rest ~= '' and subcommand or nil, rest
  elseif rest == '' or subcommand.takes == 'text' then
    return subcommand, rest
  end
  return type(subcommand.takes) == 'function' and subcommand.takes(rest) and subcommand or nil, rest
end

---Run a command line. The rooms behind a command are loaded here: completion must not wait for the rooms.
---@param call vim.api.keyset.create_user_command.command_args
function M.run(call)
  local text = vim.trim(call.args)
  local range = call.range > 0
      and { bufnr = vim.api.nvim_get_current_buf(), first = call.line1, last = call.line2 }
    or nil
  local queue = call.bang and 'steer' or nil
  local function as_prompt()
    require('placet.compose.send').prompt(text, range, { queue = queue })
  end
  if text == '' then
    return require('placet.compose').ask('', range, queue)
  end
  local subcommand, argument = parse(text)
  if subcommand then
    subcommand.run({ argument = argument, range = range, bang = call.bang, as_prompt = as_prompt })
  else
    as_prompt()
  end
end

---Return the candidates that start with the typed text. Neovim only replaces the last word.
---@param candidates string[]
---@param begun string typed argument
---@param lead string last word of the argument
---@return string[]
local function completions(candidates, begun, lead)
  local matches = {}
  for _, candidate in ipairs(candidates) do
    if vim.startswith(candidate:lower(), begun:lower()) then
      matches[#matches + 1] = candidate:sub(#begun - #lead + 1)
    end
  end
  return matches
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
    local names = completions(subcommands.names(), lead, lead)
    table.sort(names)
    return names
  end
  local subcommand = subcommands.find(word)
  return subcommand and subcommand.complete and completions(subcommand.complete(begun), begun, lead) or {}
end

return M
