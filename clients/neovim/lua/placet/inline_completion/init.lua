---Inline completion: ask the daemon after the user's typing. Nothing runs before the daemon has registered
---`textDocument/inlineCompletion`.
local config = require('placet.config')
local daemon_client = require('placet.daemon.client')
local highlights = require('placet.hunks.highlights')
local keys = require('placet.inline_completion.keys')
local silence = require('placet.inline_completion.silence')
local shown = require('placet.inline_completion.shown')
local suggestions = require('placet.inline_completion.suggestion')
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

local METHOD = 'textDocument/inlineCompletion'
---Pause of the user's typing before a request. The daemon waits for another 75 ms before it asks the model.
local PAUSE_MS = 40

---@class placet.SuggestionRequest
---@field client vim.lsp.Client
---@field bufnr integer
---@field tick integer of the text that the question is about
---@field id? integer

---@type table<integer, table<string, boolean>> client -> ids of its registrations
local registrations = {}
---@type placet.SuggestionRequest?
local running
---@type uv.uv_timer_t?
local pause
---@type boolean whether the menu of nvim-cmp hides the suggestion
local follows_cmp = false
---@type boolean? choice of the user by command; nil: as the option says
local switched

---@param client vim.lsp.Client
---@return boolean
local function is_registered(client)
  return next(registrations[client.id] or {}) ~= nil
end

---Return the daemon that completes in a buffer, or nil.
---@param bufnr integer
---@return vim.lsp.Client?
local function client_of(bufnr)
  return silence.is_document(bufnr)
      and vim.iter(vim.lsp.get_clients({ name = 'placet', bufnr = bufnr })):find(is_registered)
    or nil
end

---Return whether suggestions are switched on in this Neovim.
---@return boolean
function M.is_on()
  if switched ~= nil then
    return switched
  end
  return config.get().completion.enabled
end

---@param timer uv.uv_timer_t?
local function close(timer)
  if timer and not timer:is_closing() then
    timer:close()
  end
end

---Take back the question that is on its way, or that waits for a pause of the typing.
local function cancel()
  close(pause)
  local request = running
  pause, running = nil, nil
  if request and request.id then
    request.client:cancel_request(request.id)
  end
end

local function end_all()
  cancel()
  shown.hide()
end

---Hide the suggestion when the menu of nvim-cmp opens, which fires no event of Neovim. The user may load
---nvim-cmp at any time.
local function follow_cmp()
  local cmp = package.loaded.cmp
  if not follows_cmp and type(cmp) == 'table' and cmp.event then
    follows_cmp = true
    cmp.event:on('menu_opened', end_all)
  end
end

---Say why the user's question has no answer.
---@param client vim.lsp.Client
local function say_why(client)
  daemon_client.request(client, 'agent/inlineCompletion', vim.empty_dict(), function(state)
    vim.notify('Placet: no suggestion here. Inline completion: ' .. visible_text.plain(state.status))
  end)
end

---@param client vim.lsp.Client
---@param bufnr integer current buffer
---@param is_asked boolean whether the user's key asks
local function request(client, bufnr, is_asked)
  cancel()
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local line, tick = api.nvim_get_current_line(), vim.b[bufnr].changedtick
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = { triggerKind = is_asked and 1 or 2 }
  local own = { client = client, bufnr = bufnr, tick = tick }
  running = own
  local _, id = client:request(METHOD, params, function(failure, result)
    if running ~= own then
      return
    end
    running = nil
    if failure then
      vim.lsp.log.warn('Placet: inline completion failed', failure.message)
    end
    local is_here = bufnr == api.nvim_get_current_buf() and tick == vim.b[bufnr].changedtick
    if not is_here or not M.is_on() or not silence.may_show() then
      return
    end
    local cursor = api.nvim_win_get_cursor(0)
    local item = result and (result.items or result)[1]
    local place = { row = row - 1, column = column, line = line }
    local suggestion = item and suggestions.of_item(item, place, client.offset_encoding)
    if suggestion and cursor[1] == row and cursor[2] == column then
      shown.show(client, bufnr, params.textDocument.uri, suggestion)
    elseif is_asked and not suggestion then
      say_why(client)
    end
  end, bufnr)
  own.id = id
  follow_cmp()
end

---Ask for a suggestion by the user's key.
function M.ask()
  local bufnr = api.nvim_get_current_buf()
  local client = client_of(bufnr)
  if not client or not M.is_on() then
    return vim.notify('Placet: no inline completion in this buffer; `:Placet completion` shows the state')
  end
  shown.hide()
  request(client, bufnr, true)
end

---Ask after a short pause of the typing, unless a question about the present text is on its way: Neovim
---reports a change after the typed keys, so the user's key may have asked before.
local function ask_soon()
  local bufnr = api.nvim_get_current_buf()
  if running and running.bufnr == bufnr and running.tick == vim.b[bufnr].changedtick then
    return
  end
  cancel()
  if not M.is_on() or not client_of(bufnr) then
    return
  end
  pause = vim.defer_fn(function()
    pause = nil
    local client = client_of(bufnr)
    if client and bufnr == api.nvim_get_current_buf() and silence.may_show() then
      request(client, bufnr, false)
    end
  end, PAUSE_MS)
end

---Switch the suggestions of this Neovim on or off.
---@param is_on boolean
function M.switch(is_on)
  switched = is_on
  if not is_on then
    end_all()
  end
end

---@param bufnr integer
local function prepare(bufnr)
  if client_of(bufnr) then
    keys.map_asking(bufnr, M.ask)
  end
end

---Follow the user's typing.
local function watch()
  highlights.define()
  local group = api.nvim_create_augroup('placet.inline_completion', { clear = true })
  local function on(event, description, callback, pattern)
    description = 'Placet: ' .. description
    local options = { group = group, pattern = pattern, desc = description, callback = callback }
    api.nvim_create_autocmd(event, options)
  end
  on('TextChangedI', 'ask for a suggestion', function()
    if not shown.look() then
      ask_soon()
    end
  end)
  on('CursorMovedI', 'hide a suggestion from which the cursor leaves', function()
    shown.look() -- A result would end the autocommand.
  end)
  -- A menu of completions has opened, or the user has left Insert mode or the buffer.
  on({ 'TextChangedP', 'CompleteChanged', 'InsertLeave', 'BufLeave' }, 'hide the suggestion', end_all)
  on('User', 'hide the suggestion', end_all, 'BlinkCmpMenuOpen')
  on('ColorScheme', 'define the highlight groups', highlights.define)
  on('LspAttach', 'map the key that asks', function(event)
    prepare(event.buf)
  end)
  on('LspDetach', 'forget the keys of a buffer', function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'placet' then
      if shown.is_in(event.buf) then
        end_all()
      end
      keys.unmap_asking(event.buf)
    end
  end)
end

---Stop to ask, and remove the suggestion from the screen.
function M.stop()
  end_all()
  api.nvim_create_augroup('placet.inline_completion', { clear = true })
end

---Note what the daemon registers.
---@param client_id integer
---@param list lsp.Registration[]
function M.register(client_id, list)
  for _, registration in ipairs(list) do
    if registration.method == METHOD then
      registrations[client_id] = registrations[client_id] or {}
      registrations[client_id][registration.id] = true
    end
  end
  if not registrations[client_id] then
    return
  end
  watch()
  local client = assert(vim.lsp.get_client_by_id(client_id))
  vim.tbl_map(prepare, vim.tbl_keys(client.attached_buffers))
end

---Note what the daemon registers no more.
---@param client_id integer
---@param list lsp.Unregistration[]
function M.unregister(client_id, list)
  for _, registration in ipairs(list) do
    (registrations[client_id] or {})[registration.id] = nil
  end
  if next(registrations[client_id] or {}) then
    return
  end
  registrations[client_id] = nil
  end_all()
  local client = assert(vim.lsp.get_client_by_id(client_id))
  vim.tbl_map(keys.unmap_asking, vim.tbl_keys(client.attached_buffers))
  if next(registrations) == nil then
    M.stop()
  end
end

return M
