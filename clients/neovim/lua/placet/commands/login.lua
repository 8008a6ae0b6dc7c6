---`:Placet login`: sign in to a model provider by a plugin, with a subscription or by an API key.
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local picker = require('placet.picker')
local visible_text = require('placet.ui.visible_text')

local M = {}

-- As in placet.auth.subscriptions.names.
local OTHER_NAMES = { ['github-copilot'] = 'github_copilot' }
local OTHER = { label = 'Another provider: enter an API key' }

---@type fun()? cancels the running sign-in
local cancel_sign_in

---@param way placet.wire.SignInWay
---@return string
local function line_of(way)
  local plugin = way.plugin and ('  (plugin %s)'):format(way.plugin) or ''
  return way.provider and ('%s: %s%s'):format(way.provider, way.label, plugin) or way.label
end

---@param client vim.lsp.Client
---@param way placet.wire.SignInTo
local function sign_in(client, way)
  local params = { provider = way.provider, method = way.method }
  local is_done = false
  local function done(message, level)
    is_done, cancel_sign_in = true, nil
    vim.notify(('Placet login: %s: %s'):format(way.provider, visible_text.plain(message)), level)
  end
  local _, id = client:request('agent/auth/login', params, function(failure, result)
    if is_done then
      return
    elseif failure then
      return done(failure.message, vim.log.levels.ERROR)
    end
    done(result.message)
  end)
  cancel_sign_in = function()
    if id then
      client:cancel_request(id)
    end
    done('cancelled')
  end
end

---@param client vim.lsp.Client
---@param way placet.wire.SignInWay
local function use(client, way)
  if way ~= OTHER then
    return sign_in(client, way)
  end
  vim.ui.input({ prompt = 'Provider (first part of the model names): ' }, function(name)
    if name and vim.trim(name) ~= '' then
      sign_in(client, { provider = vim.trim(name) })
    end
  end)
end

---Choose a provider and sign in. While a sign-in is running, cancel the sign-in.
---@param name string provider; '' to pick a provider
---@param as_prompt fun() called if no provider has the name
function M.choose(name, as_prompt)
  name = OTHER_NAMES[name] or name
  if cancel_sign_in then
    return cancel_sign_in()
  end
  daemon.with(function(client)
    daemon_client.request(client, 'agent/auth/methods', vim.empty_dict(), function(result)
      for _, problem in ipairs(result.problems) do
        vim.notify('Placet login: ' .. visible_text.plain(problem), vim.log.levels.WARN)
      end
      local ways = vim.tbl_filter(function(way)
        return name == '' or way.provider == name
      end, result.ways)
      if #ways == 0 and name ~= '' then
        return as_prompt()
      elseif #ways == 1 and name ~= '' then
        return sign_in(client, ways[1])
      elseif name == '' then
        ways[#ways + 1] = OTHER
      end
      picker.pick({
        items = ways,
        prompt = 'Sign in to',
        kind = 'placet_login',
        format = line_of,
      }, function(way)
        use(client, way)
      end)
    end)
  end)
end

return M
