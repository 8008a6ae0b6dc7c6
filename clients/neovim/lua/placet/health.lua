---`:checkhealth placet`: check all parts of Placet, with a command for each failure. Keys
---are never shown.
local config = require('placet.config')
local daemon = require('placet.daemon')
local discovery = require('placet.daemon.discovery')
local picker = require('placet.picker')
local words = require('placet.ui.words')

local health = vim.health
local M = {}

---Milliseconds to wait for the start of a daemon, and for an answer.
M.start_ms = 15000
M.answer_ms = 5000

local function check_editor()
  health.start('placet: Neovim')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or later is required; this is Neovim ' .. tostring(vim.version()))
  end
  if pcall(vim.treesitter.language.inspect, 'markdown') then
    health.ok('Markdown parser found: the chat is highlighted')
  else
    health.warn('no tree-sitter parser for Markdown: the chat is not highlighted', {
      'Neovim includes the parser. If missing: `:TSInstall markdown markdown_inline` (nvim-treesitter)',
    })
  end
end

local function check_options()
  local problems = config.problems(config.given())
  for _, problem in ipairs(problems) do
    health.warn(problem)
  end
  if #problems == 0 then
    health.ok('all options are valid')
  end
end

local function check_pickers()
  local installed = picker.installed()
  local others = #installed > 0 and table.concat(installed, ', ')
    or 'none of ' .. table.concat(picker.ADAPTERS, ', ')
  health.info(('lists are shown by %s (option `picker`; installed: %s)'):format(picker.current(), others))
end

---@param launcher placet.DaemonCommand
local function check_version(launcher)
  local command = vim.list_slice(launcher.command)
  if not discovery.may_run(launcher) or launcher.is_guess or command[#command] ~= '--stdio' then
    return
  end
  command[#command] = '--version'
  local asked, result = pcall(function()
    return vim.system(command, { text = true, timeout = M.answer_ms }):wait()
  end)
  local version = asked and result.code == 0 and vim.trim(result.stdout or '')
  if version and version:match('^placet ') then
    health.ok('version: ' .. version)
  else
    local message = asked and vim.trim(result.stderr or '') or tostring(result)
    health.error(('`%s` does not answer like Placet: %s'):format(table.concat(command, ' '), message), {
      'Update or install the daemon: `' .. launcher.update .. '`',
    })
  end
end

---@param root string
---@return placet.DaemonCommand?
local function check_daemon(root)
  health.start('placet: the daemon')
  local launcher, tried = discovery.find(root)
  if not launcher then
    health.error('daemon not found: ' .. discovery.missing(tried), {
      'Install the daemon: `' .. discovery.INSTALL .. '`, or `pipx install placet`',
      'or set the command: `vim.g.placet = { cmd = { "/path/to/placet", "--stdio" } }`',
    })
    return nil
  end
  health.ok(('`%s`, found %s'):format(table.concat(launcher.command, ' '), launcher.how))
  for _, place in ipairs(tried) do
    health.info('not found in: ' .. place)
  end
  if not discovery.may_run(launcher) then
    health.warn('the daemon belongs to the project and only runs with your consent', {
      'Start the daemon: `:Placet`',
    })
  end
  check_version(launcher)
  return launcher
end

---@param client vim.lsp.Client
---@param method string
---@param params? table
---@return table?
local function ask(client, method, params)
  local answer = client:request_sync(method, params or vim.empty_dict(), M.answer_ms)
  if not answer or answer.err then
    local why = answer and answer.err.message or ('no answer in %d s'):format(M.answer_ms / 1000)
    health.error(('`%s`: %s'):format(method, why), {
      'Read the log: `:Placet log`',
    })
    return nil
  end
  return answer.result
end

---@param model table of `agent/status`
---@param command string
local function check_model(model, command)
  local variables = table.concat(model.variables or {}, ' or ')
  if model.key == 'not_needed' then
    health.ok(('model: %s; no key needed'):format(model.id))
  elseif model.key == 'missing' then
    local provider = model.id:match('^[^/]+')
    health.error(('model: %s; no key found (%s)'):format(model.id, variables), {
      ('Sign in: `:Placet login`, or `%s auth login %s` in a terminal'):format(command, provider),
      ('or set %s before Neovim is started'):format(variables),
      'or choose another model: `:Placet model`',
    })
  else
    local places =
      { environment = 'the environment', keyring = "the system's keyring", file = 'the file keys.json' }
    health.ok(('model: %s; key found in %s (%s)'):format(model.id, places[model.key], variables))
  end
end

---@param client vim.lsp.Client
local function check_changes(client)
  local listed = ask(client, 'agent/session/list', { limit = 1000 })
  local files, sessions = 0, 0
  for _, session in ipairs(listed and listed.sessions or {}) do
    files = files + (session.toReview or 0)
    sessions = sessions + (session.toReview and 1 or 0)
  end
  if sessions > 0 then
    local counted = ('%s in %s'):format(words.counted(files, 'file'), words.counted(sessions, 'session'))
    health.info(('changes to review: %s; see them: `:Placet review`'):format(counted))
  elseif listed then
    health.info('changes to review: none')
  end
  local mode = config.default_review() or config.get().settings.review
  local shown = words.mode(mode) or 'as in your placet.json'
  health.info(('changes in new sessions: %s (option `review.mode`)'):format(shown))
end

---Return the names of the user's language servers in this project.
---@param root string
---@return string[]
local function language_servers(root)
  local names = {}
  for _, client in ipairs(vim.lsp.get_clients()) do
    if client.name ~= 'placet' and client.root_dir and vim.startswith(client.root_dir, root) then
      names[#names + 1] = client.name
    end
  end
  return names
end

---@param client vim.lsp.Client
local function check_client(client)
  health.start('placet: the project ' .. vim.fn.fnamemodify(client.root_dir, ':~'))
  local launcher = daemon.launcher(client.root_dir)
  local agent = vim.tbl_get(client.server_capabilities, 'experimental', 'agent')
  local mismatch = daemon.mismatch(agent, launcher)
  if mismatch then
    return health.error(mismatch)
  end
  health.ok(('version %s, protocol %d'):format(agent.version, agent.protocol))
  local status = ask(client, 'agent/status')
  if not status then
    return
  end
  if status.model then
    check_model(status.model, launcher and launcher.command[1] or 'placet')
  end
  if status.localModel then
    health.info(status.localModel.text)
  end
  for _, uri in ipairs(status.roots or {}) do
    health.info('root: ' .. vim.uri_to_fname(uri))
  end
  check_changes(client)
  health.info(('%d buffers attached'):format(vim.tbl_count(client.attached_buffers)))
  local servers = language_servers(client.root_dir)
  health.info('available language servers: ' .. (#servers > 0 and table.concat(servers, ', ') or 'none'))
  if status.sandbox and vim.startswith(status.sandbox, 'none') then
    health.info(('sandbox: %s; allowed commands run with your user rights'):format(status.sandbox))
  elseif status.sandbox then
    health.ok('sandbox: ' .. status.sandbox)
  end
  local memory = status.memory and ('%d MB'):format(status.memory / 1048576) or '?'
  health.info(('process %d, %s of memory'):format(status.pid, memory))
  health.info(('log: %s'):format(status.log or vim.lsp.log.get_filename()))
  local agents = ask(client, 'agent/agents')
  for _, problem in ipairs(agents and agents.problems or {}) do
    health.warn(problem)
  end
end

---Start the daemon of a project, so that its state can be checked.
---@param root string
local function start(root)
  local is_done = false
  if not daemon.failure(root) then
    daemon.with(function()
      is_done = true
    end, root)
    vim.wait(M.start_ms, function()
      return is_done or daemon.failure(root) ~= nil
    end, 20)
  end
  local failure = daemon.failure(root)
  if failure then
    health.error('the daemon failed: ' .. failure, {
      'Read the log: `:edit ' .. vim.lsp.log.get_filename() .. '`',
      'Try again: `:Placet`',
    })
  end
end

function M.check()
  local root = daemon.root_of(vim.fn.bufnr('#') > 0 and vim.fn.bufnr('#') or 0)
  check_editor()
  check_options()
  check_pickers()
  local launcher = check_daemon(root)
  if launcher and discovery.may_run(launcher) and not daemon.running(root) then
    start(root)
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = 'placet' })) do
    check_client(client)
  end
end

return M
