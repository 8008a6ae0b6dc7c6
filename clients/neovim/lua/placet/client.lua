---The daemon as a vim.lsp client: how it is started, what it may ask of us, and the session we hold with it.
local config = require('placet.config')
local request = require('placet.request')

local api = vim.api
local M = {}

---@type table<integer, string> client id -> session id
local sessions = {}

local START_SECONDS = 30

---@param module string
---@param name string
local function now(module, name)
  return request.now(function(params, client)
    return require(module)[name](params, client)
  end)
end

---@param module string
local function later(module)
  return request.later(function(params, client, answer)
    return require(module).serve(params, client, answer)
  end)
end

---Everything the daemon may ask. What is declared in `initialize` is read off this table.
---@type table<string, lsp.Handler>
local HANDLERS = {
  ['workspace/applyEdit'] = now('placet.apply_edit', 'apply'),
  ['editor/readDocuments'] = now('placet.documents', 'read'),
  ['editor/save'] = now('placet.documents', 'save'),
  ['editor/reload'] = now('placet.documents', 'reload'),
  ['editor/state'] = now('placet.documents', 'state'),
  ['editor/showDiff'] = now('placet.diff', 'show'),
  ['editor/closeDiff'] = now('placet.diff', 'close'),
  ['editor/diagnostics'] = later('placet.diagnostics'),
  ['editor/languageFeature'] = later('placet.language_feature'),
  ['editor/question'] = later('placet.question'),
  ['editor/requestPermission'] = later('placet.permission'),
  ['$/cancelRequest'] = request.cancel,
}

HANDLERS['agent/update'] = function(_, params)
  local status = require('placet.status')
  local update = params.update
  require('placet.chat').update(params.sessionId, update)
  if update.kind == 'turn_started' then
    status.turn_started(params.sessionId, update.turnId)
  elseif update.kind == 'turn_ended' then
    require('placet.permission').close_session(params.sessionId)
    status.turn_ended(params.sessionId, update.turnId, update.stopReason)
  end
end

---@return table
local function declaration()
  local requests = vim.tbl_filter(function(method)
    return vim.startswith(method, 'editor/')
  end, vim.tbl_keys(HANDLERS))
  table.sort(requests)
  return {
    protocol = 1,
    strictApply = true,
    requests = requests,
    languageFeatures = require('placet.language_feature').methods(),
    ui = { 'permission', 'hunks', 'question', 'diff' },
  }
end

---@param bufnr integer
---@return string
local function root_of(bufnr)
  return require('placet.hidden').root_of(bufnr)
    or vim.fs.root(bufnr, config.get().root_markers)
    or vim.fn.getcwd()
end

---Where the daemon's command is; says so once when there is none.
---@return boolean
local function is_installed()
  local command = config.get().cmd[1]
  if vim.fn.executable(command) == 1 then
    return true
  end
  vim.notify_once(
    ('Placet: `%s` is not installed; see :help placet-install'):format(command),
    vim.log.levels.ERROR
  )
  return false
end

---Questions for code actions carry what is diagnosed, whoever diagnosed it.
---@param rpc vim.lsp.rpc.PublicClient
---@return vim.lsp.rpc.PublicClient
local function with_diagnostics(rpc)
  local ask = rpc.request
  rpc.request = function(method, params, ...)
    if method == 'textDocument/codeAction' then
      for _, client in ipairs(vim.lsp.get_clients({ name = 'placet' })) do
        if client.rpc == rpc then
          params = require('placet.diagnosed').completed(params, client.offset_encoding)
        end
      end
    end
    return ask(method, params, ...)
  end
  return rpc
end

---The daemon's code actions: their prompt, in the chat.
vim.lsp.commands['placet.prompt'] = function(command)
  require('placet').prompt(command.arguments[1])
end

---@return vim.lsp.Config
function M.lsp_config()
  return {
    cmd = function(dispatchers)
      return with_diagnostics(vim.lsp.rpc.start(config.get().cmd, dispatchers))
    end,
    root_dir = function(bufnr, on_directory)
      if api.nvim_buf_get_name(bufnr) ~= '' and is_installed() then
        on_directory(root_of(bufnr))
      end
    end,
    -- The daemon must have seen an edit before it reads our answer to it.
    flags = { debounce_text_changes = 0 },
    before_init = function(params)
      local settings = config.get().settings
      params.initializationOptions = {
        agent = declaration(),
        settings = next(settings) and settings or vim.empty_dict(),
      }
    end,
    handlers = HANDLERS,
    on_attach = function(client, bufnr)
      require('placet.attention').watch()
      require('placet.listening').start()
      require('placet.sync').watch(bufnr, client)
    end,
    on_exit = function(_, _, client_id)
      vim.schedule(function()
        sessions[client_id] = nil
        request.close_all(client_id)
        require('placet.status').reset()
      end)
    end,
  }
end

---The client for the current buffer's project, started if need be.
---@return vim.lsp.Client?
local function start()
  local attached = vim.lsp.get_clients({ name = 'placet', bufnr = 0 })[1]
  if attached then
    return attached
  elseif not is_installed() then
    return nil
  end
  local settings = vim.deepcopy(vim.lsp.config.placet)
  settings.name = 'placet'
  settings.root_dir = root_of(0)
  local id = vim.lsp.start(settings, { attach = false })
  if not vim.lsp.is_enabled('placet') then
    vim.lsp.enable('placet')
  end
  return id and vim.lsp.get_client_by_id(id)
end

---@param client vim.lsp.Client
---@param ready fun()
local function when_ready(client, ready)
  local deadline = vim.uv.now() + START_SECONDS * 1000
  local function look()
    if client.initialized then
      ready()
    elseif client:is_stopped() or vim.uv.now() > deadline then
      vim.notify('Placet: the daemon did not start; see :checkhealth placet', vim.log.levels.ERROR)
    else
      vim.defer_fn(look, 20)
    end
  end
  look()
end

---@param message string
function M.complain(message)
  vim.notify('Placet: ' .. message, vim.log.levels.ERROR)
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param use fun(result: table)
function M.request(client, method, params, use)
  client:request(method, params, function(failure, result)
    if failure then
      M.complain(failure.message)
    else
      use(result)
    end
  end)
end

---Do something with the daemon and our session of this project, both made when they are first needed.
---@param use fun(client: vim.lsp.Client, session_id: string)
function M.with_session(use)
  local client = start()
  if not client then
    return
  end
  when_ready(client, function()
    if sessions[client.id] then
      return use(client, sessions[client.id])
    end
    M.request(client, 'agent/session/new', vim.empty_dict(), function(session)
      sessions[client.id] = sessions[client.id] or session.id
      use(client, sessions[client.id])
    end)
  end)
end

---The session of the current project if there is one already.
---@return vim.lsp.Client?
---@return string?
function M.session()
  local client = vim.lsp.get_clients({ name = 'placet', bufnr = 0 })[1]
  for _, other in ipairs(client and {} or vim.lsp.get_clients({ name = 'placet' })) do
    client = sessions[other.id] and other or client
  end
  return client, client and sessions[client.id]
end

return M
