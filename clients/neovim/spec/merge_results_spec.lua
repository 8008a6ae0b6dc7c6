local merge_results = require('placet.editor.merge_results')

describe('results of several servers', function()
  it('are nil when all results are empty', function()
    assert.is_nil(merge_results.merge('textDocument/definition', { vim.NIL, {}, vim.empty_dict() }))
    assert.is_nil(merge_results.merge('textDocument/hover', {}))
  end)

  it('are a list without duplicates', function()
    local first, second = { uri = 'a', range = { 1, 2 } }, { uri = 'b' }
    local same = { range = { 1, 2 }, uri = 'a' }
    local results = { { first }, { second, same } }
    assert.same({ first, second }, merge_results.merge('textDocument/references', results))
  end)

  it('a single location counts as a list', function()
    local first, second = { uri = 'a' }, { uri = 'b' }
    assert.same({ first, second }, merge_results.merge('textDocument/definition', { first, { second } }))
  end)

  it('a number differs from its text', function()
    assert.same({ { 1 }, { '1' } }, merge_results.merge('x', { { { 1 } }, { { '1' } } }))
  end)

  for _, method in ipairs({
    'textDocument/rename',
    'textDocument/formatting',
    'textDocument/signatureHelp',
  }) do
    it('are the first result with content for ' .. method, function()
      assert.same({ 2 }, merge_results.merge(method, { {}, { 2 }, { 3 } }))
    end)
  end
end)

describe('hovers', function()
  it('of a single server stay as they are', function()
    local hover = { contents = { kind = 'markdown', value = 'x' } }
    assert.equal(hover, merge_results.merge('textDocument/hover', { hover }))
  end)

  it('are joined in every form', function()
    local merged = merge_results.merge('textDocument/hover', {
      { contents = { kind = 'markdown', value = 'first' }, range = 'r' },
      { contents = 'second' },
      { contents = { 'third', { language = 'lua', value = 'fourth' } } },
    })
    local contents = { 'first', 'second', 'third', { language = 'lua', value = 'fourth' } }
    assert.same({ contents = contents, range = 'r' }, merged)
  end)
end)
