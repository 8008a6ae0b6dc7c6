---Where the user's attention is: told to the daemon, so that the model is ready by the time a prompt is sent,
---and heeded by what would take their keys.
local api = vim.api
local M = {}

---@param method string
---@param params table
local function tell(method, params)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'placet' })) do
    client:notify(method, params)
  end
end

local function focused()
  local name = api.nvim_buf_get_name(0)
  if name ~= '' and vim.bo.buftype == '' then
    tell('agent/didFocus', { uri = vim.uri_from_bufnr(0) })
  end
end

local TYPING_MS = 700
local namespace = api.nvim_create_namespace('placet.attention')
---@type integer? when a key was last typed, in milliseconds
local last_key

---Whether the user typed just now, so that a prompt on the screen would catch the next keys.
---@return boolean
function M.is_typing()
  return last_key ~= nil and vim.uv.now() - last_key < TYPING_MS
end

---@param _ string
---@param keys string as they were typed, before mappings
local function heard(_, keys)
  if keys ~= '' then
    last_key = vim.uv.now()
  end
end

---Whether the daemon knows already that this command line is to become a prompt.
local told = false

local function typed()
  if not told and vim.fn.getcmdtype() == ':' and vim.fn.getcmdline():match('Placet %S') then
    told = true
    tell('agent/didType', vim.empty_dict())
  end
end

---Begin to watch; once is enough, however often it is called.
function M.watch()
  vim.on_key(heard, namespace)
  local group = api.nvim_create_augroup('placet-attention', { clear = true })
  api.nvim_create_autocmd('FocusGained', { group = group, callback = focused })
  api.nvim_create_autocmd('CmdlineChanged', { group = group, pattern = ':', callback = typed })
  api.nvim_create_autocmd('CmdlineLeave', {
    group = group,
    pattern = ':',
    callback = function()
      told = false
    end,
  })
end

---Watch no more.
function M.stop()
  vim.on_key(nil, namespace)
end

return M
