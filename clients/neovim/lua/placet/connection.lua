---vim.lsp client of the daemon: its configuration, and the handlers of the daemon's messages. The first
---message loads the module that handles the message: opening a file must not wait for all modules.
require('placet.subscriptions')
local config = require('placet.config')
local daemon = require('placet.daemon')
local server_requests = require('placet.daemon.server_requests')

local M = {}

---@param module string
---@param name string
local function answer_now(module, name)
  return server_requests.answer_now(function(params, client)
    return require(module)[name](params, client)
  end)
end

---@param module string
local function answer_later(module)
  return server_requests.answer_later(function(params, client, answer)
    return require(module).serve(params, client, answer)
  end)
end

---Handlers of all messages from the daemon. The capabilities in `initialize` are built from this table.
---@type table<string, lsp.Handler>
local HANDLERS = {
  ['workspace/applyEdit'] = answer_later('placet.editor.apply_edit'),
  ['editor/readDocuments'] = answer_now('placet.editor.documents', 'read'),
  ['editor/save'] = answer_now('placet.editor.documents', 'save'),
  ['editor/reload'] = answer_now('placet.editor.documents', 'reload'),
  ['editor/state'] = answer_now('placet.editor.documents', 'state'),
  ['editor/diagnostics'] = answer_later('placet.editor.diagnostics'),
  ['editor/languageFeature'] = answer_later('placet.editor.language_feature'),
  ['$/cancelRequest'] = server_requests.cancel,
}

HANDLERS['editor/requestPermission'] = server_requests.answer_later(function(params, client, answer)
  local waits = params.changeId and not params.change
  return require(waits and 'placet.change_set.waiting' or 'placet.permission').serve(params, client, answer)
end)

HANDLERS['editor/question'] = server_requests.answer_later(function(params, client, answer)
  local status = require('placet.status')
  status.question_asked(params)
  local close = require('placet.permission.question').serve(params, client, function(...)
    status.question_answered(params)
    answer(...)
  end)
  return function()
    status.question_answered(params)
    close()
  end
end)

HANDLERS['agent/update'] = function(_, params, context)
  local session_id, update = params.sessionId, params.update
  require('placet.sessions.known').on_update(session_id, params, context.client_id)
  require('placet.chat').update(session_id, update)
  if update.kind == 'turn_ended' then
    require('placet.permission.pending_requests').close_session(session_id)
  end
  if update.kind == 'change_set_update' then
    require('placet.change_set').on_update(update, context.client_id)
  end
  require('placet.status').on_update(session_id, update)
end

---Let Neovim handle the registration of capabilities, and tell the inline completion of its own capability.
---Neovim 0.11 knows no inline completion.
---@param method string
---@param tell fun(client_id: integer, params: table)
local function follow(method, tell)
  HANDLERS[method] = function(failure, params, context)
    local answer = vim.lsp.handlers[method](failure, params, context)
    tell(context.client_id, params)
    return answer
  end
end

follow('client/registerCapability', function(client_id, params)
  require('placet.inline_completion').register(client_id, params.registrations)
end)

follow('client/unregisterCapability', function(client_id, params)
  -- The field has this spelling in the protocol.
  require('placet.inline_completion').unregister(client_id, params.unregisterations)
end)

HANDLERS['window/showMessage'] = function(_, params)
  require('placet.ui.notice').show(params.message, params.type)
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
    ui = { 'changeSet' },
  }
end

---Add the diagnostics of all servers and linters to code action requests to the daemon.
---@param rpc vim.lsp.rpc.PublicClient
---@return vim.lsp.rpc.PublicClient
local function with_diagnostics(rpc)
  local send_request = rpc.request
  rpc.request = function(method, params, ...)
    if method == 'textDocument/codeAction' then
      for _, client in ipairs(vim.lsp.get_clients({ name = 'placet' })) do
        if client.rpc == rpc then
          params = require('placet.commands.code_actions').with_diagnostics(params, client.offset_encoding)
        end
      end
    end
    return send_request(method, params, ...)
  end
  return rpc
end

---Command of the daemon's code actions: send their prompt.
vim.lsp.commands['placet.prompt'] = function(command)
  require('placet.compose.send').prompt(command.arguments[1])
end

---@return vim.lsp.Config
function M.lsp_config()
  return {
    cmd = function(dispatchers, client)
      local root = client and client.root_dir
      -- Start in the home directory: `python -m placet` would import modules of its working directory.
      local options = root and { cwd = vim.uv.os_homedir() } or nil
      return with_diagnostics(vim.lsp.rpc.start(daemon.command(root), dispatchers, options))
    end,
    root_dir = daemon.root_directory,
    -- The daemon must receive the didChange of an edit before our answer to `workspace/applyEdit`.
    flags = { debounce_text_changes = 0 },
    before_init = function(params)
      local settings = config.get().settings
      params.initializationOptions = {
        agent = declaration(),
        settings = next(settings) and settings or vim.empty_dict(),
      }
    end,
    handlers = HANDLERS,
    capabilities = { textDocument = { inlineCompletion = { dynamicRegistration = true } } },
    on_attach = function(client, bufnr)
      require('placet.editor.focus').watch()
      require('placet.editor.lsp_events').start()
      require('placet.editor.document_sync').watch(bufnr, client)
    end,
    on_init = daemon.on_init,
    on_exit = daemon.on_exit,
  }
end

return M
