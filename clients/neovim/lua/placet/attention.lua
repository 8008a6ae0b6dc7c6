---Where the user's attention is, told to the daemon so that the model is ready by the time a prompt is sent.
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

return M
