---`:checkhealth placet`
local config = require('placet.config')

local M = {}

function M.check()
  local health = vim.health
  health.start('placet')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or later is needed')
  end

  local problems = config.problems(config.given())
  for _, problem in ipairs(problems) do
    health.warn(problem)
  end
  if #problems == 0 then
    health.ok('options are understood')
  end

  local command = config.get().cmd
  if vim.fn.executable(command[1]) == 1 then
    health.ok(('daemon: `%s`'):format(table.concat(command, ' ')))
  else
    health.error(('daemon not found: `%s`'):format(command[1]), {
      'Install it: `uv tool install placet`, or `pipx install placet`',
      'or name it: `vim.g.placet = { cmd = { "/path/to/placet", "--stdio" } }`',
    })
  end

  local clients = vim.lsp.get_clients({ name = 'placet' })
  for _, client in ipairs(clients) do
    local agent = vim.tbl_get(client.server_capabilities, 'experimental', 'agent')
    if agent then
      health.ok(
        ('running for %s: version %s, protocol %s'):format(client.root_dir, agent.version, agent.protocol)
      )
    else
      health.warn(('running for %s, but it does not speak the agent protocol'):format(client.root_dir))
    end
  end
  if #clients == 0 then
    health.info('not running; the first :Placet starts it')
  end
end

return M
