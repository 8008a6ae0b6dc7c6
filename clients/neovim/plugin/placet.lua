-- One command and the <Plug> keys; everything else is loaded when it is first used.
if vim.g.loaded_placet then
  return
end
vim.g.loaded_placet = true

vim.api.nvim_create_user_command('Placet', function(call)
  require('placet.command').run(call)
end, {
  nargs = '*',
  range = true,
  desc = 'Ask Placet, or fix, explain, review, cancel, undo, log',
  complete = function(lead, line)
    return require('placet.command').complete(lead, line)
  end,
})

-- What language servers said before anybody listened is lost: from the first one on, their words are counted.
vim.api.nvim_create_autocmd('LspAttach', {
  once = true,
  desc = 'Placet: know how fresh diagnostics are',
  callback = function(event)
    require('placet.listening').start(event.data.client_id)
  end,
})

for name, action in pairs({
  ['next-hunk'] = 'next',
  ['previous-hunk'] = 'previous',
  ['accept'] = 'accept',
  ['reject'] = 'reject',
  ['accept-all'] = 'accept_all',
  ['reject-all'] = 'reject_all',
  ['reject-with-reason'] = 'reject_with_reason',
  ['always'] = 'always',
  ['later'] = 'later',
  ['send'] = 'send',
}) do
  vim.keymap.set('n', ('<Plug>(placet-%s)'):format(name), function()
    require('placet.review').act(action)
  end, { desc = 'Placet review: ' .. name:gsub('-', ' ') })
end
