---`:Placet mcp`: state of the MCP servers, and actions on a server.
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local picker = require('placet.picker')
local popup = require('placet.ui.popup')
local visible_text = require('placet.ui.visible_text')

local M = {}

---@class placet.McpAction
---@field label string
---@field action? 'connect'|'disconnect'|'auth'|'input'|'logout' nil: show the problems

local STATES = {
  connected = 'connected',
  connecting = 'connecting',
  waiting = 'starts with the first session',
  needs_auth = 'sign-in required',
  needs_input = 'values required',
  failed = 'failed',
  disabled = 'disabled',
  disconnected = 'disconnected',
}

---@param server placet.wire.McpServerInfo
---@return string text of one line
local function line_of(server)
  local facts = { STATES[server.state] or server.state }
  if server.state == 'connected' then
    local counts = { #server.tools, #server.prompts, server.resources }
    facts[2] = ('tools: %d, prompts: %d, resources: %d'):format(unpack(counts))
  end
  if server.signedIn then
    facts[#facts + 1] = 'signed in'
  end
  local problem = server.problems[1] and (': ' .. server.problems[1]) or ''
  return (('%s  %s%s'):format(server.name, table.concat(facts, ', '), problem):gsub('%s*\n%s*', ' '))
end

---@param server placet.wire.McpServerInfo
---@return string Markdown
local function text_of(server)
  local lines = { ('# %s: %s'):format(server.name, STATES[server.state] or server.state) }
  for _, problem in ipairs(server.problems) do
    vim.list_extend(lines, { '', problem })
  end
  for _, name in ipairs({ 'tools', 'prompts' }) do
    if #server[name] > 0 then
      vim.list_extend(lines, { '', ('%s: %s'):format(name, table.concat(server[name], ', ')) })
    end
  end
  return table.concat(lines, '\n')
end

---Return the possible actions on a server, the most likely action first.
---@param server placet.wire.McpServerInfo
---@return placet.McpAction[]
function M.actions(server)
  local is_on = server.state == 'connected' or server.state == 'connecting'
  local needs_sign_in = server.state == 'needs_auth'
  local sign_in = { label = 'Sign in with the browser', action = 'auth' }
  local needs_input = server.state == 'needs_input'
  local enter = { label = 'Enter values', action = 'input' }
  local actions = needs_sign_in and { sign_in } or needs_input and { enter } or {}
  if #server.problems > 0 then
    actions[#actions + 1] = { label = 'Show problems' }
  end
  actions[#actions + 1] = { label = is_on and 'Reconnect' or 'Connect', action = 'connect' }
  if is_on then
    actions[#actions + 1] = { label = 'Disconnect', action = 'disconnect' }
  end
  if server.takesInput and not needs_input then
    actions[#actions + 1] = enter
  end
  if server.signedIn then
    actions[#actions + 1] = { label = 'Sign out', action = 'logout' }
  elseif server.kind == 'remote' and not needs_sign_in then
    actions[#actions + 1] = sign_in
  end
  return actions
end

---@param servers placet.wire.McpServerInfo[]
---@param name string
---@return placet.wire.McpServerInfo?
local function named(servers, name)
  return vim.iter(servers):find(function(server)
    return server.name == name
  end)
end

---@param client vim.lsp.Client
---@param server placet.wire.McpServerInfo
local function choose_action(client, server)
  picker.pick({
    items = M.actions(server),
    prompt = line_of(server),
    kind = 'placet_mcp_action',
    format = function(action)
      return action.label
    end,
  }, function(action)
    if not action.action then
      return popup.show('mcp://' .. server.name, text_of(server), 'markdown')
    end
    local params = { action = action.action, server = server.name }
    daemon_client.request(client, 'agent/mcp', params, function(result)
      local now = named(result.servers, server.name)
      local line = now and line_of(now) or server.name .. '  no longer exists'
      vim.notify('Placet mcp: ' .. visible_text.plain(line))
    end)
  end)
end

---Choose a server and an action.
---@param name string server; '' to pick a server
---@param as_prompt fun() called if no server has the name
function M.choose(name, as_prompt)
  daemon.with(function(client)
    daemon_client.request(client, 'agent/mcp', vim.empty_dict(), function(result)
      local server = named(result.servers, name)
      if server then
        return choose_action(client, server)
      elseif name ~= '' then
        return as_prompt()
      elseif #result.servers == 0 then
        return vim.notify('Placet: no MCP servers configured; add a server under `mcp` in placet.json')
      end
      picker.pick({
        items = result.servers,
        prompt = 'MCP server',
        kind = 'placet_mcp',
        format = line_of,
        preview = text_of,
      }, function(chosen)
        choose_action(client, chosen)
      end)
    end)
  end)
end

return M
