---Requests to a daemon.
local visible_text = require('placet.ui.visible_text')

local M = {}

---@param message string
function M.complain(message)
  local lines = visible_text.lines(message)
  vim.notify('Placet: ' .. table.concat(lines, '\n  '), vim.log.levels.ERROR)
end

---Send a request to the daemon. An error is shown to the user, unless `failed` handles the error.
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

return M
