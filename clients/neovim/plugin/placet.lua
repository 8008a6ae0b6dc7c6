-- Define one command and the <Plug> keys. All modules are loaded at their first use.
if vim.g.loaded_placet then
  return
end
vim.g.loaded_placet = true

local api = vim.api

---@param module string
local function use(module)
  require('placet.subscriptions')
  return require(module)
end

api.nvim_create_user_command('Placet', function(call)
  use('placet.commands').run(call)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Send a prompt to Placet; :Placet help lists the subcommands',
  complete = function(lead, line)
    return use('placet.commands').complete(lead, line)
  end,
})

-- Diagnostics freshness needs all messages of a language server, so the recording starts with the first
-- server.
api.nvim_create_autocmd('LspAttach', {
  once = true,
  desc = 'Placet: record the freshness of diagnostics',
  callback = function(event)
    require('placet.editor.lsp_events').start(event.data.client_id)
  end,
})

api.nvim_create_autocmd({ 'VimEnter', 'UIEnter', 'BufReadPost', 'BufNewFile', 'DirChanged' }, {
  desc = 'Placet: say that changes of the project wait for a review',
  callback = function(event)
    -- After the start of Neovim: the look must not delay the first screen.
    vim.schedule(function()
      require('placet.to_review').look(event.buf)
    end)
  end,
})

api.nvim_create_autocmd('ExitPre', {
  desc = 'Placet: say what waits for a decision before Neovim exits',
  callback = function()
    if package.loaded['placet.status'] then
      use('placet.leaving').check()
    end
  end,
})

---@param name string
---@param action string
local function review_key(name, action)
  api.nvim_set_keymap('n', ('<Plug>(placet-%s)'):format(name), '', {
    callback = function()
      use('placet.change_set.actions').act(action)
    end,
    desc = 'Placet review: ' .. name,
  })
end

review_key('next-hunk', 'next')
review_key('previous-hunk', 'previous')
review_key('review-help', 'help')
local ACTIONS = 'accept reject accept_file reject_file accept_all reject_all reject_with_reason '
  .. 'always later comment send_comment edit side_by_side files'
for action in ACTIONS:gmatch('%S+') do
  review_key(action:gsub('_', '-'), action)
end

local COMMANDS = 'ask steer after fix explain chat review change-set review-mode '
  .. 'undo redo back cancel changes commit agent model favourite effort profile caution '
  .. 'sessions new search fork rename delete export import summarize compact permissions revoke '
  .. 'worktree completion mcp login status log help'
for name in COMMANDS:gmatch('%S+') do
  local keys = ('<Cmd>Placet %s<CR>'):format(name)
  api.nvim_set_keymap('n', ('<Plug>(placet-%s)'):format(name), keys, { desc = 'Placet: ' .. name })
end
for name in ('ask steer after fix explain new accept'):gmatch('%S+') do
  local keys = (':Placet %s<CR>'):format(name)
  api.nvim_set_keymap('x', ('<Plug>(placet-%s)'):format(name), keys, {
    noremap = true,
    silent = true,
    desc = ('Placet: %s, about the selected lines'):format(name),
  })
end

api.nvim_set_keymap('n', '<Plug>(placet-add)', '', {
  callback = function()
    require('placet').add('buffer')
  end,
  desc = 'Placet: attach the buffer to the next prompt',
})
api.nvim_set_keymap('i', '<Plug>(placet-suggest)', '', {
  callback = function()
    use('placet.inline_completion').ask()
  end,
  desc = 'Placet: ask for a suggestion at the cursor',
})
api.nvim_set_keymap('x', '<Plug>(placet-add)', '', {
  callback = function()
    use('placet.compose.attach').add_selection()
  end,
  desc = 'Placet: attach the selected lines to the next prompt',
})
