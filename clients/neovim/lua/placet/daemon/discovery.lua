---Find the daemon's program. The search runs no program. The user must agree before a program inside the
---project is started.
local config = require('placet.config')
local visible_text = require('placet.ui.visible_text')

local M = {}

---@class placet.DaemonCommand
---@field command string[] command line
---@field how string place of the program, to follow "found"
---@field update string command line that updates the program
---@field consent? string question that the user must answer with yes before the start
---@field is_guess? boolean whether only the start will show that the program exists

local IS_WINDOWS = vim.fn.has('win32') == 1
local PROGRAM = IS_WINDOWS and 'placet.exe' or 'placet'
local BIN = IS_WINDOWS and 'Scripts' or 'bin'
M.INSTALL = 'uv tool install placet'

---Command lines that the user has agreed to in this Neovim.
---@type table<string, boolean>
local consented = {}

---@param program string
---@return string? path
local function executable(program)
  return vim.fn.executable(program) == 1 and vim.fn.exepath(program) or nil
end

---Find a program on PATH. Relative entries (`./bin`) lie in the project directory and are skipped.
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
---@return string? path of the daemon's program
local function in_environment(environment)
  return environment and executable(vim.fs.joinpath(environment, BIN, PROGRAM))
end

---Find the daemon of the package that brought this plugin, for example by `uv tool install`. Below its
---environment, the plugin is in `lib/python3.N/site-packages/placet/shipped/neovim`, on Windows in
---`Lib/site-packages`.
---@return string? path of the daemon's program
local function of_package()
  local source = debug.getinfo(1, 'S').source:sub(2)
  local plugin = vim.fs.normalize(vim.uv.fs_realpath(source) or source)
  local packages = plugin:match('^(.*)/placet/shipped/neovim/lua/')
  return packages and in_environment(vim.fs.joinpath(packages, IS_WINDOWS and '../..' or '../../..'))
end

---Places to search, in order: the plugin's own package, the user's programs, the project's programs, uv.
---@type {name: string, find: fun(root: string): placet.DaemonCommand?}[]
local PLACES = {
  {
    name = "the plugin's own package",
    find = function()
      local path = of_package()
      return path and program(vim.fs.normalize(path), 'in the package of this plugin')
    end,
  },
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
          -- The author of the project may also have written this program.
          local question = ('Run the Placet daemon of this project, %s?'):format(path)
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
          -- Offline: uv must not download a program without the user's consent.
          command = { uv, 'tool', 'run', '--offline', 'placet', '--stdio' },
          how = 'by `uv tool run`',
          update = 'uv tool run placet@latest --version',
          is_guess = true,
        }
    end,
  },
}

---Return the daemon's command for a project, or nil if the search fails.
---@param root string
---@return placet.DaemonCommand? launcher
---@return string[] tried names of the searched places
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
    local launcher = place.find(root)
    if launcher then
      return launcher, tried
    end
    tried[#tried + 1] = place.name
  end
  return nil, tried
end

---Return whether a command may run without asking the user.
---@param launcher placet.DaemonCommand
function M.may_run(launcher)
  return launcher.consent == nil or consented[table.concat(launcher.command, '\0')] == true
end

---Ask for the user's consent if necessary, then run. The consent is valid until Neovim exits.
---@param launcher placet.DaemonCommand
---@param run fun()
---@param otherwise fun() called without the consent
function M.ask(launcher, run, otherwise)
  if M.may_run(launcher) then
    return run()
  end
  vim.ui.select(
    { 'Yes', 'No' },
    { prompt = visible_text.plain(launcher.consent), kind = 'placet_start' },
    function(answer)
      if answer == 'Yes' then
        consented[table.concat(launcher.command, '\0')] = true
        run()
      else
        vim.notify(('Placet: daemon not started. To install your own daemon: `%s`'):format(M.INSTALL))
        otherwise()
      end
    end
  )
end

---Return the names of all places to search.
---@return string[]
function M.names()
  return vim.tbl_map(function(place)
    return place.name
  end, PLACES)
end

---Return the message for a search without result.
---@param tried string[]
---@return string
function M.missing(tried)
  if #tried == 1 then
    return ('`%s` is not installed; see :help placet-install'):format(tried[1])
  end
  local where = table.concat(tried, ', ')
  return ('no daemon found (%s); install the daemon with `%s`, see :help placet-install'):format(
    where,
    M.INSTALL
  )
end

return M
