---`:Placet status`, `:Placet permissions`, `:Placet revoke` and `:Placet help`.
local choices = require('placet.sessions.choices')
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local known = require('placet.sessions.known')
local placet_status = require('placet.status')
local popup = require('placet.ui.popup')
local visible_text = require('placet.ui.visible_text')

local M = {}

---@param facts placet.Status
---@param status placet.wire.Status
---@return string[]
local function lines_of(facts, status)
  local lines = { ('Placet %s, %s'):format(status.version, facts.state) }
  local function add(name, value)
    if value then
      lines[#lines + 1] = ('  %s: %s'):format(name, visible_text.plain(tostring(value)))
    end
  end
  add('session', facts.title)
  add('agent', facts.agent)
  add('model', facts.model or vim.tbl_get(status, 'model', 'id'))
  if facts.context_used then
    local size = facts.context_size and facts.context_size > 0 and (' of %d'):format(facts.context_size) or ''
    add('context', ('%d%s tokens'):format(facts.context_used, size))
  end
  local covered = facts.subscription and 'covered by the subscription' or nil
  add('cost', facts.cost > 0 and ('$%.4f'):format(facts.cost) or covered)
  add('pending', facts.waiting > 0 and ('%d; `:Placet review`'):format(facts.waiting) or nil)
  add('running turns', #status.running > 0 and #status.running or nil)
  add('inline completion', status.completion)
  add('memory', status.memory and ('%d MB'):format(status.memory / 1048576) or nil)
  add('process', status.pid)
  return lines
end

---Show the state of Placet.
function M.status()
  daemon.with(function(client)
    daemon_client.request(client, 'agent/status', vim.empty_dict(), function(status)
      local lines = lines_of(placet_status.details(), status)
      local launcher = daemon.launcher(client.root_dir)
      if launcher then
        local command = table.concat(launcher.command, ' ')
        lines[#lines + 1] = ('  daemon: `%s`, found %s'):format(command, launcher.how)
      end
      vim.notify(table.concat(lines, '\n'))
    end)
  end)
end

---@param rule placet.wire.RuleInfo
---@return string
local function rule_line(rule)
  local place = rule.line and ('%s:%d'):format(rule.source, rule.line) or rule.source
  local warning = rule.warning and ('\n      %s'):format(rule.warning) or ''
  return ('    %-5s  %s: %s  (%s)%s'):format(rule.action, rule.permission, rule.pattern, place, warning)
end

---Show all permission rules and grants with their sources.
function M.permissions()
  daemon.with(function(client)
    local session_id = known.current(client)
    daemon_client.request(client, 'agent/permission/rules', { sessionId = session_id }, function(result)
      local lines = { '# Permissions', '', 'Rules. The last matching rule decides.', '' }
      vim.list_extend(lines, vim.tbl_map(rule_line, result.rules))
      vim.list_extend(lines, { '', 'Grants. `:Placet revoke` revokes a grant.', '' })
      vim.list_extend(
        lines,
        vim.tbl_map(function(grant)
          return ('    %s  %s'):format(grant.id, choices.grant_line(grant))
        end, result.grants)
      )
      if #result.grants == 0 then
        lines[#lines + 1] = '    none'
      end
      vim.list_extend(lines, result.problem and { '', result.problem } or {})
      popup.show('permissions://rules', table.concat(lines, '\n'), 'markdown')
    end)
  end)
end

---Open the daemon's log.
function M.log()
  daemon.with(function(client)
    daemon_client.request(client, 'agent/status', vim.empty_dict(), function(status)
      vim.cmd.tabedit(vim.fn.fnameescape(status.log or vim.lsp.log.get_filename()))
    end)
  end)
end

---@param id string grant id; '' to pick a grant
function M.revoke(id)
  daemon.with(function(client)
    local function revoke(grant_id)
      daemon_client.request(client, 'agent/permission/revoke', { id = grant_id }, function()
        vim.notify('Placet: grant revoked; Placet will ask again')
      end)
    end
    if id ~= '' then
      return revoke(id)
    end
    choices.pick_grant(client, known.current(client), function(grant)
      revoke(grant.id)
    end)
  end)
end

---Show the list of subcommands, or the help of one subcommand.
---@param word string '' for the list
---@param subcommands placet.Subcommand[]
function M.help(word, subcommands)
  if word ~= '' then
    local is_found = pcall(vim.cmd.help, ':Placet-' .. word)
    return not is_found and vim.cmd.help(':Placet')
  end
  local lines = {
    ':Placet {prompt}   send a prompt; with a range, about the selected lines',
    ':Placet! {prompt}  send a prompt to the running turn',
    ':Placet            open a prompt buffer',
    '',
    'A word below is a subcommand if the word stands alone, if the word accepts the rest of the line, or if',
    'a colon follows: `:Placet rename: The parser`. The key of a subcommand is `<Plug>(placet-WORD)`.',
    '',
  }
  for _, subcommand in ipairs(subcommands) do
    local usage = subcommand.usage and ' ' .. subcommand.usage or ''
    lines[#lines + 1] = ('  %-27s %s'):format(subcommand.name .. usage, subcommand.about)
  end
  vim.list_extend(lines, { '', 'q closes this window. Manual: :help placet' })
  popup.show('help://commands', table.concat(lines, '\n'), 'text')
end

return M
