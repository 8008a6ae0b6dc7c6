---Focus of the user. Focus and typing are reported to the daemon, which then prepares the model. Prompts wait
---while the user types.
local api = vim.api
local M = {}

---@param method string
---@param params table
local function notify_daemons(method, params)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'placet' })) do
    client:notify(method, params)
  end
end

local function on_focus()
  local name = api.nvim_buf_get_name(0)
  if name ~= '' and vim.bo.buftype == '' then
    notify_daemons('agent/didFocus', { uri = vim.uri_from_bufnr(0) })
  end
end

local TYPING_MS = 700
local namespace = api.nvim_create_namespace('placet.attention')
---@type integer? when a key was last typed, in milliseconds
local last_key

---Return whether the user has just typed a key. A prompt would receive the next keys.
---@return boolean
function M.is_typing()
  return last_key ~= nil and vim.uv.now() - last_key < TYPING_MS
end

---@param _ string
---@param keys string typed keys, before mappings
local function on_key(_, keys)
  if keys ~= '' then
    last_key = vim.uv.now()
  end
end

---Whether the daemon was is_reported about the current command line.
local is_reported = false

local function on_command_line()
  if not is_reported and vim.fn.getcmdtype() == ':' and vim.fn.getcmdline():match('Placet %S') then
    is_reported = true
    notify_daemons('agent/didType', vim.empty_dict())
  end
end

---Start watching. Repeated calls have no effect.
function M.watch()
  vim.on_key(on_key, namespace)
  local group = api.nvim_create_augroup('placet-attention', { clear = true })
  api.nvim_create_autocmd('FocusGained', { group = group, callback = on_focus })
  api.nvim_create_autocmd('CmdlineChanged', { group = group, pattern = ':', callback = on_command_line })
  api.nvim_create_autocmd('CmdlineLeave', {
    group = group,
    pattern = ':',
    callback = function()
      is_reported = false
    end,
  })
end

---Stop watching.
function M.stop()
  vim.on_key(nil, namespace)
end

return M
