---Daemons of this Neovim, one for each project: start, protocol check, and messages when a daemon ends.
local config = require('placet.config')
local discovery = require('placet.daemon.discovery')
local events = require('placet.events')
local hidden_buffers = require('placet.editor.hidden_buffers')
local server_requests = require('placet.daemon.server_requests')
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

---Protocol version of this plugin.
M.PROTOCOL = 1
local START_SECONDS = 30

---@class placet.Daemon
---@field client_id? integer of the running or last client
---@field launcher? placet.DaemonCommand command that was started
---@field waiting fun(client: vim.lsp.Client)[] callbacks to run when the daemon is ready
---@field attached integer[] buffers of the daemon that ended
---@field failure? string reason why the daemon is not restarted automatically

---@type table<string, placet.Daemon> by root directory
local daemons = {}
---@type string? the root last worked in
local last_root
---@type table<string, string|false> file -> the directory above the file with a root marker
local root_cache = {}

---@class placet.SessionPort functions of placet.sessions.known, which is loaded before the first session
---@field root_of fun(bufnr: integer): string? returns the project of a chat or prompt buffer
---@field on_exit fun(client: vim.lsp.Client): string[] returns the sessions whose turns the end interrupted

---@type placet.SessionPort
local sessions = {
  root_of = function() end,
  on_exit = function()
    return {}
  end,
}

---Ask these functions about sessions from now on.
---@param port placet.SessionPort
function M.serve_sessions(port)
  sessions = port
end

---@param root string
---@return placet.Daemon
local function daemon_of(root)
  daemons[root] = daemons[root] or { waiting = {}, attached = {} }
  return daemons[root]
end

---@param message string
local function show_error(message)
  local lines = visible_text.lines(message)
  vim.notify('Placet: ' .. table.concat(lines, '\n  '), vim.log.levels.ERROR)
end

---@param event 'PlacetDaemonStarted'|'PlacetDaemonEnded'
---@param data table
local function fire(event, data)
  api.nvim_exec_autocmds('User', { pattern = event, data = data, modeline = false })
end

---Return the root directory of a file's project. Statuslines call this at every redraw, so the result is
---cached.
---@param bufnr integer
---@return string
local function root_of_file(bufnr)
  local hidden_root = hidden_buffers.root_of(bufnr)
  if hidden_root then
    return hidden_root
  end
  local name = api.nvim_buf_get_name(bufnr)
  if not root_cache[name] then
    root_cache[name] = vim.fs.root(bufnr, config.get().root_markers) or false
  end
  return root_cache[name] or vim.fn.getcwd()
end

---Return the project root for a buffer. Chat buffers and terminals belong to the project used last.
---@param bufnr integer
---@return string
function M.root_of(bufnr)
  local attached = vim.lsp.get_clients({ name = 'placet', bufnr = bufnr })[1]
  if attached and attached.root_dir then
    return attached.root_dir
  end
  local session_root = sessions.root_of(bufnr)
  if session_root then
    return session_root
  end
  local is_file = vim.bo[bufnr].buftype == '' and api.nvim_buf_get_name(bufnr) ~= ''
  return not is_file and last_root or root_of_file(bufnr)
end

---Return the running daemon of a project, by default of the current buffer's project.
---@param root? string
---@return vim.lsp.Client?
function M.running(root)
  local clients = vim.lsp.get_clients({ name = 'placet' })
  root = root or (#clients > 0 and M.root_of(api.nvim_get_current_buf())) or nil
  return vim.iter(clients):find(function(client)
    return client.root_dir == root and not client:is_stopped()
  end)
end

---Return the command of the started daemon of a root.
---@param root string
---@return placet.DaemonCommand?
function M.launcher(root)
  return (daemons[root] or {}).launcher
end

---Return the reason of a failed start of a root's daemon.
---@param root string
---@return string?
function M.failure(root)
  return (daemons[root] or {}).failure
end

---`root_dir` of the client. A file only starts a daemon that needs no consent of the user.
---@param bufnr integer
---@param on_directory fun(root: string)
function M.root_directory(bufnr, on_directory)
  if api.nvim_buf_get_name(bufnr) == '' then
    return
  end
  local root = root_of_file(bufnr)
  local launcher, tried = discovery.find(root)
  if not launcher then
    vim.notify_once('Placet: ' .. discovery.missing(tried), vim.log.levels.ERROR)
  elseif discovery.may_run(launcher) and not launcher.is_guess and not daemon_of(root).failure then
    on_directory(root)
  end
end

---Return the daemon's command line for a root. Raises an error if no daemon is found.
---@param root? string
---@return string[]
function M.command(root)
  root = root or vim.fn.getcwd()
  local launcher, tried = discovery.find(root)
  if not launcher then
    error(discovery.missing(tried), 0)
  end
  daemon_of(root).launcher = launcher
  return launcher.command
end

---Return the reason why a daemon does not fit this plugin, with the command that updates the older part.
---@param agent any `capabilities.experimental.agent` of the `initialize` result
---@param launcher? placet.DaemonCommand
---@return string?
function M.mismatch(agent, launcher)
  local command = launcher and table.concat(launcher.command, ' ')
  local name = launcher and ('`%s` (%s)'):format(command, launcher.how) or 'the daemon'
  local update = launcher and launcher.update or 'uv tool upgrade placet'
  if type(agent) ~= 'table' or type(agent.protocol) ~= 'number' then
    return ('%s is not a Placet daemon, or is too old for this plugin. Update: `%s`'):format(name, update)
  elseif agent.protocol < M.PROTOCOL then
    return ('%s, version %s, uses protocol %d; this plugin requires %d. Update: `%s`'):format(
      name,
      agent.version or '?',
      agent.protocol,
      M.PROTOCOL,
      update
    )
  elseif agent.protocol > M.PROTOCOL then
    return ('%s, version %s, uses protocol %d; this plugin supports %d. Update the plugin %s'):format(
      name,
      agent.version or '?',
      agent.protocol,
      M.PROTOCOL,
      'with your plugin manager, for example `:Lazy update placet.nvim`'
    )
  end
end

---Call nobody when the daemon is ready: the daemon has not started.
---@param root string
local function give_up(root)
  daemon_of(root).waiting = {}
  events.emit('daemon_failed', root)
end

---@param client vim.lsp.Client
---@param result lsp.InitializeResult
function M.on_init(client, result)
  local daemon = daemon_of(client.root_dir)
  daemon.client_id = client.id
  local mismatch = M.mismatch(vim.tbl_get(result.capabilities, 'experimental', 'agent'), daemon.launcher)
  if mismatch then
    daemon.failure = mismatch
    show_error(mismatch)
    give_up(client.root_dir)
    return client:stop(true)
  end
  daemon.failure = nil
  -- Neovim sends changes to other servers after a delay. Each notification first sends the changes that
  -- wait to all servers of the buffer. Our first didOpen would send them to the daemon, which has no text
  -- yet; here the daemon is not yet among the servers, and no change waits afterwards.
  client:notify('$/setTrace', { value = 'off' })
  -- Scheduled, so that vim.lsp sends didOpen for the open documents before the first prompt.
  vim.schedule(function()
    fire('PlacetDaemonStarted', { root = client.root_dir })
    events.emit('daemon_ready', client)
    local waiting = daemon.waiting
    daemon.waiting = {}
    for _, use in ipairs(waiting) do
      use(client)
    end
  end)
end

---@param code integer
---@param signal integer
local function exit_text(code, signal)
  return signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
end

---@param client vim.lsp.Client
---@param code integer
---@param signal integer
local function on_ended(client, code, signal)
  local daemon = daemon_of(client.root_dir)
  daemon.attached = vim.tbl_keys(client.attached_buffers)
  local interrupted = sessions.on_exit(client)
  server_requests.close_all(client.id)
  events.emit('daemon_ended', client.root_dir, interrupted)
  local was_ready = client.initialized
  daemon.waiting = {}
  if not was_ready then
    give_up(client.root_dir)
  end
  if daemon.failure or vim.v.exiting ~= vim.NIL then
    return
  elseif not was_ready and (daemon.launcher or {}).is_guess then
    daemon.failure = discovery.missing(discovery.names())
    show_error(daemon.failure)
  elseif not was_ready then
    daemon.failure = ('the daemon exited during the start (%s)'):format(exit_text(code, signal))
    show_error(
      ('the daemon exited during the start (%s). See its log: %s'):format(
        exit_text(code, signal),
        vim.lsp.log.get_filename()
      )
    )
  elseif #interrupted > 0 then
    show_error(
      ('the daemon exited during a turn (%s). The changes of the turn stay; '):format(exit_text(code, signal))
        .. 'the next :Placet restarts the daemon and continues the session'
    )
  elseif code ~= 0 or (signal ~= 0 and signal ~= 15) then
    show_error(
      ('the daemon exited (%s); the next :Placet restarts the daemon'):format(exit_text(code, signal))
    )
  end
  fire('PlacetDaemonEnded', {
    root = client.root_dir,
    code = code,
    signal = signal,
    sessions = interrupted,
  })
end

---@param code integer
---@param signal integer
---@param client_id integer
function M.on_exit(code, signal, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  vim.schedule(function()
    if client and client.root_dir then
      on_ended(client, code, signal)
    end
  end)
end

---Attach a restarted daemon to the buffers of the last daemon and to all other files of the project.
---@param client_id integer
---@param root string
local function attach(client_id, root)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local was_attached = vim.list_contains(daemons[root].attached, bufnr)
    local is_file = vim.bo[bufnr].buftype == '' and api.nvim_buf_get_name(bufnr) ~= ''
    if api.nvim_buf_is_loaded(bufnr) and (was_attached or (is_file and root_of_file(bufnr) == root)) then
      vim.lsp.buf_attach_client(bufnr, client_id)
    end
  end
end

---@param root string
---@return vim.lsp.Client?
local function start(root)
  local settings = vim.deepcopy(vim.lsp.config.placet)
  settings.name = 'placet'
  settings.root_dir = root
  daemons[root].failure = nil
  local id = vim.lsp.start(settings, { attach = false })
  if not id then
    return nil
  end
  if not vim.lsp.is_enabled('placet') then
    vim.lsp.enable('placet')
  elseif daemons[root].client_id ~= id then
    attach(id, root)
  end
  daemons[root].client_id = id
  return vim.lsp.get_client_by_id(id)
end

---@param daemon placet.Daemon
---@param client vim.lsp.Client
---@param use fun(client: vim.lsp.Client)
local function when_ready(daemon, client, use)
  if client.initialized then
    return use(client)
  end
  table.insert(daemon.waiting, use)
  vim.defer_fn(function()
    if vim.list_contains(daemon.waiting, use) then
      give_up(client.root_dir)
      show_error(('the daemon has not answered for %d s; see :checkhealth placet'):format(START_SECONDS))
    end
  end, START_SECONDS * 1000)
end

---Call a function with the daemon of a project, by default of the current buffer's project. The daemon is
---started if necessary.
---@param use fun(client: vim.lsp.Client)
---@param root? string
function M.with(use, root)
  root = root or M.root_of(api.nvim_get_current_buf())
  local daemon = daemon_of(root)
  last_root = root
  local client = M.running(root)
  if client and #daemon.waiting > 0 then
    return table.insert(daemon.waiting, use)
  elseif client then
    return use(client)
  end
  local launcher, tried = discovery.find(root)
  if not launcher then
    show_error(discovery.missing(tried))
    return give_up(root)
  end
  discovery.ask(launcher, function()
    local started = start(root)
    if started then
      when_ready(daemon, started, use)
    else
      give_up(root)
    end
  end, function()
    give_up(root)
  end)
end

return M
