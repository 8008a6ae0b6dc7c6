local merge_results = require('placet.editor.merge_results')

describe('what several servers answer', function()
  it('is nothing when all of it is empty', function()
    assert.is_nil(merge_results.merge('textDocument/definition', { vim.NIL, {}, vim.empty_dict() }))
    assert.is_nil(merge_results.merge('textDocument/hover', {}))
  end)

  it('is one list in which each thing stands once', function()
    local one, other = { uri = 'a', range = { 1, 2 } }, { uri = 'b' }
    local same = { range = { 1, 2 }, uri = 'a' }
    assert.same({ one, other }, merge_results.merge('textDocument/references', { { one }, { other, same } }))
  end)

  it('counts a single location as a list of one', function()
    local one, other = { uri = 'a' }, { uri = 'b' }
    assert.same({ one, other }, merge_results.merge('textDocument/definition', { one, { other } }))
  end)

  it('tells a number from its text', function()
    assert.same({ { 1 }, { '1' } }, merge_results.merge('x', { { { 1 } }, { { '1' } } }))
  end)

  for _, method in ipairs({
    'textDocument/rename',
    'textDocument/formatting',
    'textDocument/signatureHelp',
  }) do
    it('is the first that has something to say for ' .. method, function()
      assert.same({ 2 }, merge_results.merge(method, { {}, { 2 }, { 3 } }))
    end)
  end
end)

describe('hovers', function()
  it('stay as they are when there is one', function()
    local hover = { contents = { kind = 'markdown', value = 'x' } }
    assert.equal(hover, merge_results.merge('textDocument/hover', { hover }))
  end)

  it('are put one below the other, in every form they come in', function()
    local merged = merge_results.merge('textDocument/hover', {
      { contents = { kind = 'markdown', value = 'first' }, range = 'r' },
      { contents = 'second' },
      { contents = { 'third', { language = 'lua', value = 'fourth' } } },
    })
    local contents = { 'first', 'second', 'third', { language = 'lua', value = 'fourth' } }
    assert.same({ contents = contents, range = 'r' }, merged)
  end)
end)
