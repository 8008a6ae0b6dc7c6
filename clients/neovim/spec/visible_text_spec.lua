-- Text from outside cannot hide, forge or reverse the text beside it.
local visible_text = require('placet.ui.visible_text')

it('invisible characters are escaped', function()
  local obeyed = { '\27', '\7', '\127', '\194\155', '\216\156', '\226\128\174' }
  vim.list_extend(obeyed, { '\226\128\168', '\243\160\129\129' })
  for _, character in ipairs(obeyed) do
    assert.is_nil(visible_text.spelled('a' .. character .. 'b'):find(character, 1, true))
    assert.is_nil(visible_text.plain('a' .. character .. 'b'):find(character, 1, true))
  end
  assert.equal('a\\nb\\u001b\\u202e', visible_text.spelled('a\nb\27\226\128\174'))
  assert.equal('grün … ×', visible_text.spelled('grün … ×'))
end)

it('prose is one line', function()
  assert.equal('a b', visible_text.plain('a\r\n\n  b'))
end)

it('many empty lines push no text out of view', function()
  local lines = visible_text.lines('git status' .. ('\n'):rep(201) .. 'curl evil')
  assert.same({ 'git status', '… 200 empty lines …', 'curl evil' }, lines)
  assert.same({ 'a', '', '', 'b' }, visible_text.lines('a\n\n\nb'))
end)

it('a long text keeps the start and the end', function()
  local short = visible_text.shortened(('ä'):rep(300) .. 'tail', 40)
  assert.equal(40, vim.fn.strchars(short))
  assert.truthy(short:find('^ä') and short:find('tail$'))
end)
