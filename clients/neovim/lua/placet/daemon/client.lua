---The daemon as a vim.lsp client: what it may ask of us and tell us, and how it is asked.
local config = require('placet.config')
local daemon = require('placet.daemon')
local server_requests = require('placet.daemon.server_requests')

local M = {}

---@param module string
---@param name string
local function now(module, name)
  return server_requests.now(function(params, client)
    return require(module)[name](params, client)
  end)
end

---@param module string
local function later(module)
  return server_requests.later(function(params, client, answer)
    return require(module).serve(params, client, answer)
  end)
end

---Everything the daemon may ask. What is declared in `initialize` is read off this table.
---@type table<string, lsp.Handler>
local HANDLERS = {
  ['workspace/applyEdit'] = later('placet.editor.apply_edit'),
  ['editor/readDocuments'] = now('placet.editor.documents', 'read'),
  ['editor/save'] = now('placet.editor.documents', 'save'),
  ['editor/reload'] = now('placet.editor.documents', 'reload'),
  ['editor/state'] = now('placet.editor.documents', 'state'),
  ['editor/diagnostics'] = later('placet.editor.diagnostics'),
  ['editor/languageFeature'] = later('placet.editor.language_feature'),
  ['editor/requestPermission'] = later('placet.permission'),
  ['$/cancelRequest'] = server_requests.cancel,
}

HANDLERS['editor/question'] = server_requests.later(function(params, client, answer)
  local status = require('placet.status')
  status.asked(params)
  local close = require('placet.permission.question').serve(params, client, function(...)
    status.answered(params)
    answer(...)
  end)
  return function()
    status.answered(params)
    close()
  end
end)

HANDLERS['agent/update'] = function(_, params, context)
  local session_id, update = params.sessionId, params.update
  require('placet.sessions').told(session_id, params, context.client_id)
  require('placet.chat').update(session_id, update)
  if update.kind == 'turn_ended' then
    require('placet.permission').close_session(session_id)
  end
  require('placet.status').told(session_id, update)
end

---@return table
local function declaration()
  local requests = vim.tbl_filter(function(method)
    return vim.startswith(method, 'editor/')
  end, vim.tbl_keys(HANDLERS))
  table.sort(requests)
  return {
    protocol = daemon.PROTOCOL,
    strictApply = true,
    requests = requests,
    languageFeatures = require('placet.editor.language_feature').methods(),
    ui = { 'permission', 'hunks', 'editProposal', 'question' },
  }
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
          params = require('placet.commands.code_actions').completed(params, client.offset_encoding)
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
    cmd = function(dispatchers, client)
      local root = client and client.root_dir
      -- At home: `python -m placet` would take what lies where it is started for modules of its own.
      local elsewhere = root and { cwd = vim.uv.os_homedir() } or nil
      return with_diagnostics(vim.lsp.rpc.start(daemon.command(root), dispatchers, elsewhere))
    end,
    root_dir = daemon.root_directory,
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
      require('placet.editor.focus').watch()
      require('placet.editor.lsp_events').start()
      require('placet.editor.document_sync').watch(bufnr, client)
    end,
    on_init = daemon.on_init,
    on_exit = daemon.on_exit,
  }
end

---@param message string
function M.complain(message)
  local lines = require('placet.ui.visible_text').lines(message)
  vim.notify('Placet: ' .. table.concat(lines, '\n  '), vim.log.levels.ERROR)
end

---Ask the daemon. What it cannot do is said to the user, unless `failed` takes it.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param use fun(result: any)
---@param failed? fun(failure: lsp.ResponseError)
function M.request(client, method, params, use, failed)
  client:request(method, params, function(failure, result)
    if not failure then
      use(result)
    elseif failed then
      failed(failure)
    else
      M.complain(failure.message)
    end
  end)
end

---Do something with the daemon and the current session of this project, both made when they are first needed.
---@param use fun(client: vim.lsp.Client, session_id: string)
function M.with_session(use)
  require('placet.sessions').with(use)
end

---The session of the current project if there is one already.
---@return vim.lsp.Client?
---@return string?
function M.session()
  local client = daemon.running()
  return client, client and require('placet.sessions').current(client)
end

return M
