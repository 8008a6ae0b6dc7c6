---Restore the state of Neovim before the first use of Placet. The command, the <Plug> keys and the options
---stay.
local api = vim.api
local M = {}

---Milliseconds that a daemon has to exit before its process is terminated.
local PATIENCE_MS = 3000
local LOOK_AGAIN_MS = 20

---Modules that stay: the user's options, and what the user was told at the opening of a project.
local KEPT = { 'placet.config', 'placet.to_review' }

---@return string[]
local function modules()
  return vim.tbl_filter(function(name)
    local is_own = name == 'placet' or vim.startswith(name, 'placet.')
    return is_own and not vim.list_contains(KEPT, name)
  end, vim.tbl_keys(package.loaded))
end

---@param module string
---@param name string
local function call_if_loaded(module, name)
  if package.loaded[module] then
    package.loaded[module][name]()
  end
end

local function wipe_pages()
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_get_name(bufnr):match('^placet[%w-]*://') then
      api.nvim_buf_delete(bufnr, { force = true })
    end
  end
end

local function forget()
  call_if_loaded('placet.editor.lsp_events', 'stop')
  call_if_loaded('placet.editor.hidden_buffers', 'stop')
  call_if_loaded('placet.editor.focus', 'stop')
  call_if_loaded('placet.inline_completion', 'stop')
  for _, group in ipairs(vim.fn.getcompletion('placet', 'augroup')) do
    api.nvim_del_augroup_by_name(group)
  end
  wipe_pages()
  for name in pairs(vim.lsp.commands) do
    if vim.startswith(name, 'placet.') then
      vim.lsp.commands[name] = nil
    end
  end
  for _, name in ipairs(modules()) do
    package.loaded[name] = nil
  end
end

---Return the daemons that have not exited.
---@return vim.lsp.Client[]
local function daemons()
  return vim.lsp.get_clients({ name = 'placet', _uninitialized = true })
end

---Stop all daemons of this Neovim, and close all windows and buffers of Placet. The daemon rejects pending
---requests. Sessions stay in the daemon's store.
---@param done? fun() called after everything is closed
function M.stop(done)
  vim.lsp.enable('placet', false)
  local deadline = vim.uv.now() + PATIENCE_MS
  local function look()
    if #daemons() > 0 then
      if vim.uv.now() > deadline then
        for _, client in ipairs(daemons()) do
          -- `client:stop(true)` has no effect on a client that is already stopping.
          client.rpc.terminate()
        end
      end
      return vim.defer_fn(look, LOOK_AGAIN_MS)
    end
    -- Scheduled callbacks of vim.lsp for the end of a client must run first.
    vim.schedule(function()
      forget()
      if done then
        done()
      end
    end)
  end
  look()
end

return M
