---The user's options: `vim.g.placet`, and `setup()` over it; read when they are first needed.
local M = {}

---@class placet.ChatConfig
---@field position 'right'|'left'|'below'|'above' where the answer's window opens
---@field size number share of the screen it takes, between 0 and 1

---@class placet.ReviewConfig
---@field auto_send boolean send the answer when the last hunk is decided; else <CR> does
---@field keys table<string, string|false> action -> key in normal mode, false for none

---@class placet.Config
---@field cmd string[] the daemon's command line
---@field root_markers string[] what marks a project's root directory
---@field settings table the daemon's settings (model, permission, …), above the user's placet.json
---@field ignore_diagnostics string[] servers and namespaces that judge nothing for the agent
---@field chat placet.ChatConfig
---@field review placet.ReviewConfig

---@class placet.Opts
---@field cmd? string[]
---@field root_markers? string[]
---@field settings? table
---@field ignore_diagnostics? string[]
---@field chat? table
---@field review? table

---@type placet.Config
M.defaults = {
  cmd = { 'placet', '--stdio' },
  root_markers = { '.git', 'pyproject.toml', 'package.json', 'Cargo.toml', 'go.mod' },
  settings = {},
  ignore_diagnostics = {},
  chat = { position = 'right', size = 0.4 },
  review = {
    auto_send = true,
    keys = {
      next = ']c',
      previous = '[c',
      accept = 'ga',
      reject = 'gr',
      accept_all = 'gA',
      reject_all = 'gR',
      reject_with_reason = 'gC',
      always = 'g!',
      later = 'gq',
      send = '<CR>',
    },
  },
}

---@type placet.Opts?
local stored
---@type placet.Config?
local resolved

---Remember the options; nothing is started and nothing is checked until they are used.
---@param opts? placet.Opts
function M.store(opts)
  stored = opts or {}
  resolved = nil
end

---Names in `given` that `known` does not have. Lists and the daemon's own settings are not entered.
---@param known table
---@param given table
---@param path string
---@param found string[]
local function unknown(known, given, path, found)
  for name, value in pairs(given) do
    local default = known[name]
    if default == nil then
      found[#found + 1] = path .. tostring(name)
    elseif type(value) == 'table' and type(default) == 'table' and not vim.islist(default) then
      unknown(default, value, path .. name .. '.', found)
    end
  end
  return found
end

---What is wrong with the options, in words for the user.
---@param opts placet.Opts
---@return string[]
function M.problems(opts)
  local problems = {}
  local names = unknown(M.defaults, opts, '', {})
  table.sort(names)
  for _, name in ipairs(names) do
    problems[#problems + 1] = ('unknown option `%s`; see :help placet-options'):format(name)
  end
  for name, default in pairs(M.defaults) do
    local value = opts[name]
    if value ~= nil and type(value) ~= type(default) then
      problems[#problems + 1] = ('option `%s` must be a %s, not a %s'):format(
        name,
        type(default),
        type(value)
      )
    end
  end
  return problems
end

---What the user gave, before defaults.
---@return placet.Opts
function M.given()
  local global = vim.g.placet
  if type(global) == 'function' then
    global = global()
  end
  return vim.tbl_deep_extend('force', type(global) == 'table' and global or {}, stored or {})
end

---The options in force. Wrong ones are reported once and the default is taken.
---@return placet.Config
function M.get()
  if resolved then
    return resolved
  end
  local given = M.given()
  local problems = M.problems(given)
  if #problems > 0 then
    vim.notify('Placet: ' .. table.concat(problems, '\n        '), vim.log.levels.WARN)
    for name, default in pairs(M.defaults) do
      if given[name] ~= nil and type(given[name]) ~= type(default) then
        given[name] = nil
      end
    end
  end
  resolved = vim.tbl_deep_extend('force', M.defaults, given)
  return resolved
end

return M
