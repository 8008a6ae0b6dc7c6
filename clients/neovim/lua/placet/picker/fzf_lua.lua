---Adapter for https://github.com/ibhagwan/fzf-lua
---@type placet.Picker
local M = {}

function M.is_installed()
  return (pcall(require, 'fzf-lua'))
end

function M.pick(choice, use)
  -- fzf only returns lines, so each line starts with a hidden number.
  local lines = {}
  for index, item in ipairs(choice.items) do
    lines[index] = ('%d\t%s'):format(index, choice.format(item))
  end
  require('fzf-lua').fzf_exec(lines, {
    prompt = choice.prompt .. '> ',
    fzf_opts = { ['--delimiter'] = '\t', ['--with-nth'] = '2..', ['--no-multi'] = true },
    actions = {
      ['default'] = function(selected)
        local index = selected and selected[1] and tonumber(selected[1]:match('^%d+'))
        if index then
          use(choice.items[index])
        end
      end,
    },
  })
end

return M
