---Where the daemon is. Nothing is run to find out, and what comes with a project is asked about first.
local config = require('placet.config')

local M = {}

---@class placet.DaemonCommand
---@field command string[] what to start
---@field how string where it was found, in words that follow "found"
---@field update string the command that brings it up to date
---@field consent? string what the user must have said yes to before it is run
---@field is_guess? boolean whether it is there shows only when it is started

local IS_WINDOWS = vim.fn.has('win32') == 1
local PROGRAM = IS_WINDOWS and 'placet.exe' or 'placet'
local BIN = IS_WINDOWS and 'Scripts' or 'bin'
M.INSTALL = 'uv tool install placet'

---What the user has said yes to in this Neovim, by command line.
---@type table<string, boolean>
local consented = {}

---@param program string
---@return string? path
local function executable(program)
  return vim.fn.executable(program) == 1 and vim.fn.exepath(program) or nil
end

---A program on PATH. Entries that are not absolute (`./bin`) mean the project's directory, and are passed by.
---@param name string
---@return string? path
local function on_path(name)
  for _, entry in ipairs(vim.split(vim.env.PATH or '', IS_WINDOWS and ';' or ':')) do
    local path = vim.fn.isabsolutepath(entry) == 1 and executable(vim.fs.joinpath(entry, name))
    if path then
      return path
    end
  end
end

---@param path string of the program
---@return string
local function update_of(path)
  local real = (vim.uv.fs_realpath(path) or path):gsub('\\', '/')
  if real:find('/uv/tools/', 1, true) then
    return 'uv tool upgrade placet'
  elseif real:find('/pipx/', 1, true) then
    return 'pipx upgrade placet'
  end
  local python = vim.fs.joinpath(vim.fs.dirname(real), IS_WINDOWS and 'python.exe' or 'python')
  return executable(python) and ('%s -m pip install --upgrade placet'):format(python)
    or 'uv tool upgrade placet'
end

---@param path string
---@param how string
---@param consent? string
---@return placet.DaemonCommand
local function program(path, how, consent)
  return { command = { path, '--stdio' }, how = how, update = update_of(path), consent = consent }
end

---@param command string[]
---@param how string
---@return placet.DaemonCommand?
local function configured(command, how)
  local path = executable(command[1])
  return path
    and {
      command = { path, unpack(command, 2) },
      how = how,
      update = update_of(path),
    }
end

---@param environment? string a directory
---@return string? path of the daemon in it
local function in_environment(environment)
  return environment and executable(vim.fs.joinpath(environment, BIN, PROGRAM))
end

---What is the user's, what is the project's, what uv may have.
---@type {name: string, find: fun(root: string): placet.DaemonCommand?}[]
local PLACES = {
  {
    name = '$PATH',
    find = function()
      local path = on_path('placet')
      return path and program(path, 'on your PATH')
    end,
  },
  {
    name = '$VIRTUAL_ENV',
    find = function()
      local path = in_environment(vim.env.VIRTUAL_ENV)
      return path and program(path, 'in $VIRTUAL_ENV')
    end,
  },
  {
    name = vim.fn.fnamemodify(vim.fs.joinpath('~', '.local', 'bin'), ':p'),
    find = function()
      local path = executable(vim.fs.joinpath(vim.fn.expand('~'), '.local', 'bin', PROGRAM))
      return path and program(path, 'in ~/.local/bin, which is not on your PATH')
    end,
  },
  {
    name = "the project's .venv",
    find = function(root)
      for _, name in ipairs({ '.venv', 'venv' }) do
        local path = in_environment(vim.fs.joinpath(root, name))
        if path then
          -- Whoever wrote the project wrote this program too, it may be.
          local question = ('Run the Placet that this project has at %s?'):format(path)
          return program(path, "in the project's " .. name, question)
        end
      end
    end,
  },
  {
    name = 'uv tool run',
    find = function()
      local uv = on_path('uv')
      return uv
        and {
          -- Offline: nothing is fetched that the user did not ask for.
          command = { uv, 'tool', 'run', '--offline', 'placet', '--stdio' },
          how = 'by `uv tool run`',
          update = 'uv tool run placet@latest --version',
          is_guess = true,
        }
    end,
  },
}

---Where the daemon would be started from, for a project; nil where there is none.
---@param root string
---@return placet.DaemonCommand? found
---@return string[] tried where it was looked for
function M.find(root)
  local of_client = vim.lsp.config.placet.cmd
  if type(of_client) == 'table' then
    return configured(of_client, "in `vim.lsp.config('placet')`"), { of_client[1] }
  end
  local command = config.get().cmd
  if #command > 0 then
    return configured(command, 'in the option `cmd`'), { command[1] }
  end
  local tried = {}
  for _, place in ipairs(PLACES) do
    local found = place.find(root)
    if found then
      return found, tried
    end
    tried[#tried + 1] = place.name
  end
  return nil, tried
end

---Whether it may be run without asking.
---@param found placet.DaemonCommand
function M.may_run(found)
  return found.consent == nil or consented[table.concat(found.command, '\0')] == true
end

---Put the question to the user, if there is one; the yes holds as long as this Neovim.
---@param found placet.DaemonCommand
---@param run fun()
function M.ask(found, run)
  if M.may_run(found) then
    return run()
  end
  vim.ui.select({ 'Yes', 'No' }, { prompt = found.consent, kind = 'placet_start' }, function(answer)
    if answer == 'Yes' then
      consented[table.concat(found.command, '\0')] = true
      run()
    else
      vim.notify(('Placet: not started. To have your own: `%s`'):format(M.INSTALL))
    end
  end)
end

---Where it is looked for.
---@return string[]
function M.names()
  return vim.tbl_map(function(place)
    return place.name
  end, PLACES)
end

---What to say where there is none.
---@param tried string[]
---@return string
function M.missing(tried)
  if #tried == 1 then
    return ('`%s` is not installed; see :help placet-install'):format(tried[1])
  end
  local where = table.concat(tried, ', ')
  return ('no daemon was found (%s); install it by `%s`, see :help placet-install'):format(where, M.INSTALL)
end

return M
